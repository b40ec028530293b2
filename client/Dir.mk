# SPDX-License-Identifier: Apache-2.0
# Beside the library and the command line: examples, the pkg-config file, and what the client's tests link.
#
# Contract: client/examples/NAME.c is one program that sees the installed header only, and becomes
# build/examples/NAME; the installed headers, the pkg-config file, man pages, completion and examples are named in
# CLIENT_HEADER, CPP_HEADER, PKGCONFIG_IN, CLIENT_MAN, MADE_MAN, COMPLETION, EXAMPLE_SOURCES and EXAMPLE_PROGRAMS
# for `make install`. MADE_MAN is a folder of pages that the build makes of other descriptions.

CLIENT_HEADER := client/include/trnsci/trnsci.h
CPP_HEADER := client/include/trnsci/trnsci.hpp
CLIENT_MAN := $(sort $(wildcard client/man/*.[1-9]))
MADE_MAN := $(BUILD)/man/pages
COMPLETION := client/cli/completion
PKGCONFIG_IN := client/trnsci.pc.in
EXAMPLE_SOURCES := $(sort $(wildcard client/examples/*.c))
# Those that the build leaves to others: JSON for the command line, programs in other languages.
EXAMPLE_PROGRAMS := $(sort $(wildcard $(addprefix client/examples/*.,json cpp js rb lua go)))
EXAMPLES := $(EXAMPLE_SOURCES:client/examples/%.c=$(BUILD)/examples/%)

$(BUILD)/examples/%: client/examples/%.c $(SHARED)
	$(say) EXAMPLE $@
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c17 $(OPT) $(WARNINGS) $(SANFLAGS) $(CFLAGS) -D_GNU_SOURCE -Iclient/include -o $@ $< \
		-L$(BUILD)/lib -ltrnsci -Wl,-rpath,'$$ORIGIN/../lib' -lm

examples: $(EXAMPLES)
checks: examples

.PHONY: examples

# client/man/NAME.in becomes NAME, with lists of options and operations as `trnsci-cli describe --json` states them.
OPERATION_EXAMPLES := $(BUILD)/man/operation_examples
$(BUILD)/man/%: client/man/%.c $(SHARED)
	$(say) CC $@
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c17 $(OPT) $(WARNINGS) $(SANFLAGS) $(CFLAGS) -D_GNU_SOURCE -Iclient/include -o $@ $< \
		-L$(BUILD)/lib -ltrnsci -Wl,-rpath,'$$ORIGIN/../lib:$$ORIGIN/../../lib' -lm

checks: $(OPERATION_EXAMPLES) $(patsubst client/%.c,$(BUILD)/%,$(wildcard client/man/examples/*.c))
LISTED_PAGES := $(patsubst client/man/%.in,$(MADE_MAN)/%,$(wildcard client/man/*.in))
$(LISTED_PAGES): $(MADE_MAN)/%: client/man/%.in client/man/expand $(BUILD)/bin/trnsci-cli $(OPERATION_EXAMPLES)
	$(say) PAGES $@
	@mkdir -p $(@D)
	$(Q)client/man/expand $(BUILD)/bin/trnsci-cli $< $(OPERATION_EXAMPLES) >$@

# A page for each function and type of the public header, of its comments and of client/man/examples, whose files become
# programs for the tests: build/man/examples/NAME.
PAGE_EXAMPLES := $(sort $(wildcard client/man/examples/*.c))
$(MADE_MAN)/made: $(CLIENT_HEADER) $(PAGE_EXAMPLES) client/man/function_pages client/man/Mdoc.pm client/man/libtrnsci.3
	$(say) PAGES $(@D)
	@mkdir -p $(@D)
	$(Q)client/man/function_pages $(@D) $(CLIENT_HEADER) $(PAGE_EXAMPLES)
	@touch $@

# And of the documents: client/docs/NAME.md becomes trnsci-NAME(7).
DOCUMENTS := $(sort $(wildcard client/docs/*.md))
DOCUMENT_PAGES := $(MADE_MAN)/trnsci-protocol.7 $(DOCUMENTS:client/docs/%.md=$(MADE_MAN)/trnsci-%.7)
$(MADE_MAN)/trnsci-protocol.7: proto/PROTOCOL.md
$(foreach document,$(DOCUMENTS),$(eval $(MADE_MAN)/trnsci-$(basename $(notdir $(document))).7: $(document)))
$(DOCUMENT_PAGES): client/man/markdown_page client/man/Mdoc.pm client/man/libtrnsci.3
	$(say) PAGES $@
	@mkdir -p $(@D)
	$(Q)client/man/markdown_page $(filter %.md,$^) $(basename $(@F)) 7 >$@

all: $(MADE_MAN)/made $(DOCUMENT_PAGES) $(LISTED_PAGES)
