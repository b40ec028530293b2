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

# These see the libraries alone, as programs do.
FFTW_TESTS := $(filter $(BUILD)/tests/fftw/%,$(CHECKS))
$(FFTW_TESTS): $(BUILD)/tests/fftw/%: tests/fftw/%.c $(FFTW_LIBRARIES)
	$(say) TEST $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out -Ilib -Iproto,$(CFLAGS_ALL)) -Wno-conversion -Wno-missing-prototypes -Itests -Iclient/fftw $(LDFLAGS_ALL) -MF $@.d -o $@ $< \
		-L$(FFTW_OUT) -lfftw3 -lfftw3f -Wl,-rpath,'$$ORIGIN/../../lib/fftw' $(LIBS_$(@F)) -lcmocka -lm

fftw: $(FFTW_LIBRARIES)
all: fftw

.PHONY: fftw
