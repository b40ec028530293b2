# SPDX-License-Identifier: Apache-2.0
# FFTW's interface: libfftw3 and libfftw3f, with their _threads and _omp names, in a folder of their own.
#
# Contract: client/fftw/*.c are in both libraries; those that are called api_NAME.c are compiled once for each precision. The
# functions for threads are in the libraries themselves; those of the other names bring them along.

FFTW_OUT := $(BUILD)/lib/fftw
FFTW_DIR = $(LIBDIR)/trnsci/fftw
FFTW_SOURCES := $(sort $(wildcard client/fftw/*.c))
FFTW_API := $(filter client/fftw/api_%,$(FFTW_SOURCES))
FFTW_CORE_OBJECTS := $(call objects,$(filter-out $(FFTW_API),$(FFTW_SOURCES)))
FFTW_DOUBLE_OBJECTS := $(call objects,$(FFTW_API))
FFTW_SINGLE_OBJECTS := $(patsubst client/fftw/%.c,$(BUILD)/obj/client/fftw/single/%.o,$(FFTW_API))
FFTW_LIBRARIES := $(FFTW_OUT)/libfftw3.so.3 $(FFTW_OUT)/libfftw3f.so.3
FFTW_NAMES := $(foreach name,fftw3 fftw3f,$(FFTW_OUT)/lib$(name)_threads.so.3 $(FFTW_OUT)/lib$(name)_omp.so.3)

$(FFTW_SINGLE_OBJECTS): CFLAGS_ALL += -DFFTW_SINGLE
$(FFTW_SINGLE_OBJECTS): $(BUILD)/obj/client/fftw/single/%.o: client/fftw/%.c
	$(compile)

$(FFTW_OUT)/libfftw3.so.3: $(FFTW_DOUBLE_OBJECTS)
$(FFTW_OUT)/libfftw3f.so.3: $(FFTW_SINGLE_OBJECTS)

# A library with threads, or handlers of fork, is never unloaded.
$(FFTW_LIBRARIES): $(FFTW_CORE_OBJECTS) $(LIB_ARCHIVE) client/fftw/libfftw3.map
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS_ALL) -shared -Wl,-soname,$(@F) -Wl,--version-script=client/fftw/libfftw3.map -Wl,-z,nodelete \
		$(if $(SAN),,-Wl,-z,defs) -o $@ $(filter %.o,$^) $(LIB_ARCHIVE) -lm
	@ln -sf $(@F) $(@:.3=)

$(BUILD)/obj/client/fftw/threads/single.o: CFLAGS_ALL += -DFFTW_SINGLE
$(BUILD)/obj/client/fftw/threads/single.o: client/fftw/threads/names.c
	$(compile)

$(filter $(FFTW_OUT)/libfftw3_%,$(FFTW_NAMES)): $(BUILD)/obj/client/fftw/threads/names.o $(FFTW_OUT)/libfftw3.so.3
$(filter $(FFTW_OUT)/libfftw3f_%,$(FFTW_NAMES)): $(BUILD)/obj/client/fftw/threads/single.o $(FFTW_OUT)/libfftw3f.so.3
$(FFTW_NAMES):
	$(say) LINK $@
	$(Q)$(CC) $(LDFLAGS_ALL) -shared -Wl,-soname,$(@F) -Wl,--filter=$(notdir $(filter %.so.3,$^)) -Wl,-rpath,'$$ORIGIN' -o $@ \
		-Wl,--no-as-needed $(filter %.o,$^) $(filter %.so.3,$^)
	@ln -sf $(@F) $(@:.3=)

# The command of the build tree names the libraries of the build tree.
$(BUILD)/bin/trnsci-fftw: client/fftw/trnsci-fftw.in
	$(say) MAKE $@
	@mkdir -p $(@D)
	$(Q)sed 's|@FFTW_DIR@|$(abspath $(FFTW_OUT))|' $< >$@ && chmod 755 $@

# These see the libraries alone, as programs do.
FFTW_TESTS := $(filter $(BUILD)/tests/fftw/%,$(CHECKS))
$(FFTW_TESTS): $(BUILD)/tests/fftw/%: tests/fftw/%.c $(FFTW_LIBRARIES)
	$(say) TEST $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -Ilib -Iproto,$(CFLAGS_ALL)) -Wno-conversion -Wno-missing-prototypes -Itests -Iclient/fftw $(LDFLAGS_ALL) -MF $@.d -o $@ $< \
		-L$(FFTW_OUT) -lfftw3 -lfftw3f -Wl,-rpath,'$$ORIGIN/../../lib/fftw' $(LIBS_$(@F)) -lcmocka -lm

install-fftw: fftw
	$(Q)$(call place_program,$(FFTW_DIR),$(FFTW_LIBRARIES) $(FFTW_NAMES))
	$(Q)for name in $(notdir $(FFTW_LIBRARIES) $(FFTW_NAMES)); do ln -sf $$name $(DESTDIR)$(FFTW_DIR)/$${name%.3} || exit; done
	$(Q)$(call place,644,$(FFTW_DIR)/include,client/fftw/fftw3.h)
	$(Q)$(call place,644,$(SHAREDIR)/man/man1,client/fftw/man/trnsci-fftw.1)
	$(Q)$(call place,644,$(SHAREDIR)/man/man7,client/fftw/man/trnsci-fftw.7)
	$(Q)mkdir -p $(DESTDIR)$(BINDIR) && sed 's|@FFTW_DIR@|$(FFTW_DIR)|' client/fftw/trnsci-fftw.in >$(DESTDIR)$(BINDIR)/trnsci-fftw
	$(Q)chmod 755 $(DESTDIR)$(BINDIR)/trnsci-fftw

fftw: $(FFTW_LIBRARIES) $(FFTW_NAMES) $(BUILD)/bin/trnsci-fftw
all: fftw
install: install-fftw

.PHONY: fftw install-fftw
LIBS_check_long = -lfftw3l
