# SPDX-License-Identifier: Apache-2.0
# The Python package: built into build/python where Python's and numpy's headers are there, by `make` itself, and by
# `pip install --no-build-isolation ./client/python` (setup.py), which links build/lib/libtrnsci.a.
#
# make wheel writes a wheel that needs numpy alone, and a source distribution, to build/wheel.
#
# make PYTHON=/path/to/python3 builds for another one; PYTHONDIR is where `make install` puts the package.

PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)
# Five words: both folders of headers, the suffix of extensions, the folders of packages below /usr and below other
# prefixes; or none.
PYTHON_FACTS := $(shell $(PYTHON) client/python/facts 2>/dev/null)
PYTHON_INCLUDES := $(addprefix -isystem ,$(wordlist 1,2,$(PYTHON_FACTS)))
PYTHON_PACKAGE := $(BUILD)/python/trnsci
PYTHON_CORE := $(PYTHON_PACKAGE)/_core$(word 3,$(PYTHON_FACTS))
# Recursive, since a command line may set PREFIX only for `make install`.
PYTHONDIR = $(PREFIX)/$(word $(if $(filter /usr,$(PREFIX)),4,5),$(PYTHON_FACTS))
PYTHON_OBJECTS := $(patsubst client/python/src/%.c,$(BUILD)/obj/client/python/src/%.o,$(sort $(wildcard client/python/src/*.c)))
PYTHON_SOURCES := $(patsubst client/python/trnsci/%,%,$(shell find client/python/trnsci -name '*.py' -o -name '*.pyi' -o -name py.typed))
PYTHON_FILES := $(addprefix $(PYTHON_PACKAGE)/,$(PYTHON_SOURCES))
# Types that the built package states: a sanitizer's cannot be loaded as it is.
PYTHON_STUBS := $(if $(SAN),,_core.pyi fft/_transforms.pyi)

# PyMethodDef casts functions of several kinds; -Wpedantic is not ours to hold numpy's macros to.
$(BUILD)/obj/client/python/src/%.o: client/python/src/%.c
	$(say) CC $(@:$(BUILD)/obj/%.o=%)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 $(OPT) -pthread -fPIC -fvisibility=hidden -MMD -MP $(WARNINGS) $(NUMERICS) $(SANFLAGS) $(SAME_PATHS) $(CFLAGS) \
		-Wno-missing-field-initializers -Iclient/include $(PYTHON_INCLUDES) -c $< -o $@

# The library's names stay inside, so that another copy of it in the process is none of ours.
$(PYTHON_CORE): $(PYTHON_OBJECTS) $(STATIC)
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS_ALL) -shared -Wl,--exclude-libs,ALL -o $@ $^ $(LIBS_msgpack) -lm

$(PYTHON_FILES): $(PYTHON_PACKAGE)/%: client/python/trnsci/%
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(addprefix $(PYTHON_PACKAGE)/,$(PYTHON_STUBS)): $(PYTHON_PACKAGE)/%: client/python/stubs.py client/python/trnsci/_core.pyi.in $(PYTHON_CORE) $(PYTHON_FILES)
	$(say) STUB $@
	$(Q)PYTHONDONTWRITEBYTECODE=1 $(PYTHON) $< $(BUILD)/python $* >$@.new && mv $@.new $@

# Files that have left the tree: Python would find them.
PYTHON_STALE := $(filter-out $(PYTHON_FILES) $(addprefix $(PYTHON_PACKAGE)/,$(PYTHON_STUBS)), \
	$(shell find $(PYTHON_PACKAGE) -name '*.py' -o -name '*.pyi' 2>/dev/null))
$(if $(PYTHON_STALE),$(shell rm -f $(PYTHON_STALE)))

# The interpreter is not built with a sanitizer: tests/python loads the runtime of AddressSanitizer before it. That of
# ThreadSanitizer would have to be in it.
PYTHON_READY := $(if $(findstring thread,$(SAN)),,$(word 4,$(PYTHON_FACTS)))
python: $(if $(PYTHON_READY),$(PYTHON_CORE) $(PYTHON_FILES) $(addprefix $(PYTHON_PACKAGE)/,$(PYTHON_STUBS)))
all: python

# Files of the package lie below PYTHONDIR as they lie below build/python.
install-python: python
	$(Q)$(if $(PYTHON_READY),for file in $(PYTHON_SOURCES) $(PYTHON_STUBS) $(notdir $(PYTHON_CORE)); do \
		install -D -m 644 $(PYTHON_PACKAGE)/$$file $(DESTDIR)$(PYTHONDIR)/trnsci/$$file || exit; done)
	$(Q)$(if $(and $(PYTHON_READY),$(SPLIT_DEBUG)),strip --strip-debug $(DESTDIR)$(PYTHONDIR)/trnsci/$(notdir $(PYTHON_CORE)))

install: install-python

wheel:
	@tests/need $(call quoted,$(DEPS_BUILD) $(DEPS_WHEEL))
	@$(again) html
	@$(PYTHON) client/python/make_wheel $(BUILD)

.PHONY: python install-python wheel
