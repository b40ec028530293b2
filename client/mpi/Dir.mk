# SPDX-License-Identifier: Apache-2.0
# libtrnsci-mpi: arrays that the ranks of an MPI job share. Built where mpicc is (any MPI-3), by `make` itself; without it
# the library, its command and its tests are left out.
#
# Contract: the library is client/mpi/*.c on the installed header and npy's; the command is client/mpi/command/*.c on the
# installed headers, as examples/NAME.c, which becomes build/examples/NAME; tests/mpi/NAME.c becomes build/tests/mpi/NAME, which tests/mpi/*.sh run.

MPICC ?= mpicc
MPI_READY := $(if $(SAN),,$(shell command -v $(MPICC) 2>/dev/null))
# The compiler behind Open MPI's and MPICH's wrappers.
MPI_CC = OMPI_CC="$(CC)" MPICH_CC="$(CC)" $(MPICC)

MPI_HEADER := client/include/trnsci/trnsci-mpi.h
MPI_SONAME := libtrnsci-mpi.so.$(SOVERSION)
MPI_SHARED := $(BUILD)/lib/libtrnsci-mpi.so.$(VERSION)
MPI_COMMAND := $(BUILD)/bin/trnsci-mpi
MPI_OBJECTS := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard client/mpi/*.c)))
MPI_COMMAND_OBJECTS := $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(wildcard client/mpi/command/*.c)))
MPI_TESTS := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/mpi/*.c)))
MPI_LINK = -L$(BUILD)/lib -ltrnsci-mpi -ltrnsci

$(BUILD)/obj/client/mpi/%.o: client/mpi/%.c
	$(say) MPICC $(@:$(BUILD)/obj/%.o=%)
	@mkdir -p $(@D)
	$(Q)$(MPI_CC) $(CFLAGS_ALL) -Iclient/mpi -Iclient -c $< -o $@

$(MPI_SHARED): $(MPI_OBJECTS) $(call objects,$(NPY_SOURCES)) client/mpi/libtrnsci-mpi.map $(SHARED)
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(MPI_CC) $(LDFLAGS_ALL) -shared -Wl,-soname,$(MPI_SONAME) -Wl,--version-script=client/mpi/libtrnsci-mpi.map \
		-Wl,-z,defs -Wl,-rpath,'$$ORIGIN' -o $@ $(filter %.o,$^) -L$(BUILD)/lib -ltrnsci -lm
	@ln -sf $(notdir $@) $(BUILD)/lib/$(MPI_SONAME)
	@ln -sf $(MPI_SONAME) $(BUILD)/lib/libtrnsci-mpi.so

$(MPI_COMMAND): $(MPI_COMMAND_OBJECTS) $(MPI_SHARED)
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(MPI_CC) $(LDFLAGS_ALL) -o $@ $(MPI_COMMAND_OBJECTS) $(MPI_LINK) -Wl,-rpath,'$$ORIGIN/../lib'

$(BUILD)/tests/mpi/%: tests/mpi/%.c $(MPI_SHARED)
	$(say) TEST $@
	@mkdir -p $(@D)
	$(Q)$(MPI_CC) $(CFLAGS_ALL) -Itests -MF $@.d -o $@ $< $(MPI_LINK) -Wl,-rpath,'$$ORIGIN/../../lib' $(LIBS_$(@F)) -lm

MPI_EXAMPLES := $(patsubst client/mpi/examples/%.c,$(BUILD)/examples/%,$(sort $(wildcard client/mpi/examples/*.c)))
MPI_PAGE_EXAMPLES := $(sort $(wildcard client/mpi/man/examples/*.c))
MPI_PAGE_PROGRAMS := $(patsubst client/mpi/man/examples/%.c,$(BUILD)/man/examples/mpi_%,$(MPI_PAGE_EXAMPLES))
$(MPI_EXAMPLES): $(BUILD)/examples/%: client/mpi/examples/%.c $(MPI_SHARED)
$(MPI_PAGE_PROGRAMS): $(BUILD)/man/examples/mpi_%: client/mpi/man/examples/%.c $(MPI_SHARED)
$(MPI_EXAMPLES) $(MPI_PAGE_PROGRAMS):
	$(say) EXAMPLE $@
	@mkdir -p $(@D)
	$(Q)$(MPI_CC) $(CFLAGS_ALL) -MF $@.d -o $@ $< $(MPI_LINK) -Wl,-rpath,'$$ORIGIN/../lib:$$ORIGIN/../../lib' -lm

# A page for each function and type of the header, of its comments and examples.
MPI_PAGES := $(BUILD)/man/mpi
$(MPI_PAGES)/made: $(MPI_HEADER) $(CLIENT_HEADER) $(MPI_PAGE_EXAMPLES) client/man/function_pages client/man/Mdoc.pm client/man/libtrnsci.3
	$(say) PAGES $(@D)
	@mkdir -p $(@D)
	$(Q)client/man/function_pages $(@D) $(MPI_HEADER) $(CLIENT_HEADER) $(MPI_PAGE_EXAMPLES)
	@touch $@

install-mpi: mpi
	$(Q)$(if $(MPI_READY),$(call place_program,$(BINDIR),$(MPI_COMMAND)))
	$(Q)$(if $(MPI_READY),$(call place_program,$(LIBDIR),$(MPI_SHARED)))
	$(Q)$(if $(MPI_READY),ln -sf $(notdir $(MPI_SHARED)) $(DESTDIR)$(LIBDIR)/$(MPI_SONAME))
	$(Q)$(if $(MPI_READY),ln -sf $(MPI_SONAME) $(DESTDIR)$(LIBDIR)/libtrnsci-mpi.so)
	$(Q)$(if $(MPI_READY),$(call place,644,$(PREFIX)/include/trnsci,$(MPI_HEADER)))
	$(Q)$(if $(MPI_READY),$(call place_filled,$(LIBDIR)/pkgconfig,client/mpi/trnsci-mpi.pc.in))
	$(Q)$(if $(MPI_READY),$(call place,644,$(SHAREDIR)/man/man1,client/mpi/man/trnsci-mpi.1))
	$(Q)$(if $(MPI_READY),install -D -m 644 -t $(DESTDIR)$(SHAREDIR)/man/man3 $(MPI_PAGES)/*.3)
	$(Q)$(if $(MPI_READY),$(call place,644,$(SHAREDIR)/doc/trnsci-mpi,$(wildcard client/mpi/examples/*)))

mpi: $(if $(MPI_READY),$(MPI_SHARED) $(MPI_COMMAND) $(MPI_PAGES)/made)
all: mpi
install: install-mpi
checks: $(if $(MPI_READY),$(MPI_TESTS) $(MPI_EXAMPLES) $(MPI_PAGE_PROGRAMS))

.PHONY: mpi install-mpi
