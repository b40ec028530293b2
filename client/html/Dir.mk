# SPDX-License-Identifier: Apache-2.0
# make html : one site, build/html, of all documents, manual pages and docstrings, to be read from files. `make install` puts it below
# share/doc where the build has mandoc and cmark-gfm.

HTML := $(BUILD)/html
HTML_DOCUMENTS := README.md CONTRIBUTING.md CHANGELOG.md tests/bench/FIGURES.md client/python/README.md proto/PROTOCOL.md $(DOCUMENTS)
HTML_NAMES := index contributing changelog figures python trnsci-protocol.7 $(DOCUMENTS:client/docs/%.md=trnsci-%.7)
HTML_MAN := client/man/*.[1-9] daemon/man/*.[1-9] client/fftw/man/*.[1-9] client/mpi/man/*.[1-9] $(MADE_MAN)/*.[1-9] $(if $(MPI_READY),$(MPI_PAGES)/*.[1-9])

$(HTML)/index.js: $(wildcard client/html/*) $(HTML_DOCUMENTS) $(wildcard $(HTML_MAN)) $(PYTHON_FILES) $(MADE_MAN)/made | all
	$(say) SITE $(@D)
	$(Q)client/html/make_pages $(@D) $(BUILD)/python $(join $(HTML_DOCUMENTS),$(addprefix =,$(HTML_NAMES))) $(HTML_MAN)

HTML_READY := $(if $(SAN),,$(if $(shell command -v mandoc),$(shell command -v cmark-gfm)))
html: $(HTML)/index.js
checks: $(if $(HTML_READY),html)

install-html: $(if $(HTML_READY),html)
	$(Q)$(if $(HTML_READY),$(call place,644,$(SHAREDIR)/doc/trnsci/html,$(HTML)/*.*))
install: install-html

.PHONY: html install-html
