# SPDX-License-Identifier: Apache-2.0
# trnsciD. What to type (`make help` prints this list):
#
#: make             build into build/; what it needs: make deps-build
#: make lib         the library alone: a C compiler, make, pkg-config and msgpack-c are enough
#: make demo        install what is missing, build, and show the main job
#: make check       install what is missing, build, and run the tests
#: make install     DESTDIR= PREFIX=/usr/local LIBDIR=PREFIX/lib; make uninstall. Without DESTDIR: into the running system
#: make deb         Debian packages in build/deb, built in a copy of the tree; make check-packages tests them
#: make wheel       a Python wheel that needs numpy alone, and a source distribution, in build/wheel
#: make dist        the tree as build/trnsci-VERSION.tar.gz, which builds
#: make html        the manual as one site, build/html/index.html: documents, manual pages, Python's reference, with a search
#: make bench       the speed of everything, beside its peers
#:
#: Long tests:
#: make check-full  sanitizers, long statistics, fuzzing, crowds, another CPU, a booted systemd: 45 minutes
#: make statistics  every distribution, stream and point set against what it should be like, as tables
#: make check-arm64 the checks of random numbers and transforms on AArch64, emulated; make check-boot: under a booted systemd
#: make soak        1,000 clients that come and go, SECONDS=300; make fuzz F=codec SECONDS=60: one fuzz target
#: make bench-against  part of it beside FFTW built with AVX-512 and, where tests/bench/against --mkl has fetched it, MKL
#: make bench-mpi   transforms over MPI ranks beside FFTW's
#: make bench-sweep time as a function of size: which sizes take longer than their neighbours allow
#:
#: With any of them: V=1 shows commands, CC=clang builds with clang, -j2 uses two CPUs; SAN=address,undefined or SAN=thread builds
#: with sanitizers, in a build folder of its own.
#
# How it is built: every .c file below lib/, proto/, daemon/ or client/, by being there. Each folder's other rules stand in its own
# Dir.mk. Settings come first, then flags, sources, programs, and the commands above.

VERSION := 0.2.0
SOVERSION := 1

CC ?= gcc
AR ?= ar
LD ?= ld
OBJCOPY ?= objcopy
PREFIX ?= /usr/local
DESTDIR ?=
SAN ?=
V ?=

# Every sanitizer set has a build folder of its own: make SAN=address,undefined; make SAN=thread.
BUILD ?= build$(if $(SAN),/san-$(subst $(comma),-,$(SAN)))
comma := ,
Q := $(if $(V),,@)
say = @$(if $(V),:,printf '  %-7s %s\n')

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:

# A file's name chooses the instruction set: X_simd.c is compiled once for each of $(SIMD), X_aes.c for each of $(AES),
# X_avx512bf16.c and X_amx.c for that one only.
ARCH := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))
ISA := $(if $(filter x86_64,$(ARCH)),avx2 avx512 avx512bf16 amx) $(if $(filter aarch64,$(ARCH)),neon)
FOREIGN_ISA := $(filter-out $(ISA),avx2 avx512 avx512bf16 amx neon)
SIMD := $(filter avx2 avx512 neon,$(ISA))
AES := $(if $(filter x86_64,$(ARCH)),aesni vaes256 vaes512) $(if $(filter aarch64,$(ARCH)),armaes)

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes -Wmissing-prototypes \
	-Wvla -Wformat=2 -Wundef
# The bytes of a random number depend on these: no contraction, no reassociation, no flush to zero.
NUMERICS := -ffp-contract=off -fno-math-errno -fno-fast-math
SANFLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all)
# Sanitized kernels would take minutes to compile at -O3, with inline address checks, or with checks for undefined
# behaviour around every intrinsic (their shared bodies have these in the scalar variant).
OPT ?= $(if $(SAN),-O1 -g1,-O3 -g)
# Two builds are the same, byte for byte, wherever the tree lies.
SAME_PATHS := -ffile-prefix-map=$(CURDIR)=.
CFLAGS_ALL := -std=c17 $(OPT) -pthread -fPIC -fvisibility=hidden -MMD -MP $(WARNINGS) $(NUMERICS) $(SANFLAGS) $(SAME_PATHS) \
	-D_GNU_SOURCE -DTRNSCI_VERSION='"$(VERSION)"' -Ilib -Iproto -Iclient/include $(CFLAGS)
is_clang := $(findstring clang,$(shell $(CC) --version 2>/dev/null))
SANFLAGS_CC := $(if $(findstring address,$(SAN)),$(if $(is_clang),-mllvm -asan,--param asan)-instrumentation-with-call-threshold=0)
SANFLAGS_ISA := $(if $(findstring undefined,$(SAN)),-fno-sanitize=undefined)
LDFLAGS_ALL := -pthread $(SANFLAGS) $(LDFLAGS)

# gcc fills and copies a small structure by `rep stos` and `rep movs`, which take some 30 cycles to begin; a request has a
# dozen of them. Not for kernels.
SMALL_COPIES := vector_loop:256:noalign$(comma)libcall:-1:noalign
ROOMS_copies := $(if $(is_clang),,$(if $(filter x86_64,$(ARCH)),lib/base/% lib/engine/% proto/% daemon/% client/%))
copies_of = $(if $(filter $(ROOMS_copies),$(1)),-mmemset-strategy=$(SMALL_COPIES) -mmemcpy-strategy=$(SMALL_COPIES))

# A loop of few instructions takes up to a fifth more time where it crosses a line of the instruction cache. Functions that
# begin a line keep their loops where they are, whatever is linked before them. For debuggers, kernels have functions and
# lines only: where their variables are would be three quarters of every program that holds them.
ROOMS_kernels := lib/rng/% lib/math/% lib/distributions/% lib/fft/% lib/gemm/%
kernel_flags_of = $(if $(filter $(ROOMS_kernels),$(1)),-falign-functions=64 -g1)

FLAGS_avx2 := -mavx2 -mfma -DSIMD_AVX2
FLAGS_avx512 := -mavx2 -mfma -mavx512f -mavx512dq -mavx512bw -mavx512vl -mprefer-vector-width=512 -DSIMD_AVX512
FLAGS_avx512bf16 := $(FLAGS_avx512) -mavx512bf16
FLAGS_amx := $(FLAGS_avx512bf16) -mamx-tile -mamx-bf16
FLAGS_neon := -DSIMD_NEON
FLAGS_aesni := $(FLAGS_avx2) -maes -DAES_NI
FLAGS_vaes256 := $(FLAGS_avx2) -maes -mvaes -DAES_VAES256
FLAGS_vaes512 := $(FLAGS_avx512) -maes -mvaes -DAES_VAES512
FLAGS_armaes := $(FLAGS_neon) -march=armv8-a+crypto

# Which library each name stands for; msgpack-c is called differently by each release of Debian, and Debian 13's
# pkg-config file lists a stray relative include folder.
pkg = $(shell for p in $(2); do pkg-config $(1) $$p 2>/dev/null && exit; done)
MSGPACK_NAMES := msgpack-c msgpackc msgpack
CFLAGS_msgpack = $(filter-out -Iinclude,$(call pkg,--cflags,$(MSGPACK_NAMES)))
LIBS_msgpack = $(call pkg,--libs,$(MSGPACK_NAMES))
LIBS_daemon = $(call pkg,--libs,libevent) $(call pkg,--libs,libsystemd) $(call pkg,--libs,sqlite3)
LIBS_cli = $(call pkg,--libs,json-c) $(call pkg,--libs,sndfile) $(call pkg,--libs,ncursesw)

# The packages that have them: Debian's, Fedora's, Arch's, openSUSE's.
PACKAGES_msgpack := libmsgpack-dev or libmsgpack-c-dev, msgpack-devel, msgpack-c, msgpack-c-devel
PACKAGES_libevent := libevent-dev, libevent-devel, libevent, libevent-devel
PACKAGES_libsystemd := libsystemd-dev, systemd-devel, systemd-libs, systemd-devel
PACKAGES_sqlite3 := libsqlite3-dev, sqlite-devel, sqlite, sqlite3-devel
PACKAGES_json-c := libjson-c-dev, json-c-devel, json-c, libjson-c-devel
PACKAGES_sndfile := libsndfile1-dev, libsndfile-devel, libsndfile, libsndfile-devel
PACKAGES_ncursesw := libncurses-dev, ncurses-devel, ncurses, ncurses-devel

own = $(filter-out $(foreach isa,$(FOREIGN_ISA),%_$(isa).c),$(sort $(shell find $(1) -name '*.c' 2>/dev/null)))
# One object for each source, but for X_simd.c and X_aes.c one for each instruction set. lib/gemm has no kernel for NEON.
variants = $(filter-out %_simd.c %_aes.c,$(1)) $(foreach isa,$(SIMD),$(patsubst %_simd.c,%_simd_$(isa).c,$(filter %_simd.c,$(1)))) \
	$(foreach isa,$(AES),$(patsubst %_aes.c,%_aes_$(isa).c,$(filter %_aes.c,$(1))))
WITHOUT := lib/gemm/kernel_simd_neon.c
objects = $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out $(WITHOUT),$(call variants,$(1))))

LIB_SOURCES := $(call own,lib)
PROTO_SOURCES := $(call own,proto)
CLIENT_SOURCES := $(call own,$(addprefix client/,call session remote embedded api selftest))
NPY_SOURCES := $(call own,client/npy)
CLI_SOURCES := $(call own,client/cli) $(NPY_SOURCES) lib/base/suggest.c
DAEMON_SOURCES := $(call own,daemon)

LIB_ARCHIVE := $(BUILD)/obj/liblib.a
PROTO_ARCHIVE := $(BUILD)/obj/libproto.a
DAEMON_ARCHIVE := $(BUILD)/obj/libdaemon.a
SONAME := libtrnsci.so.$(SOVERSION)
SHARED := $(BUILD)/lib/libtrnsci.so.$(VERSION)
STATIC := $(BUILD)/lib/libtrnsci.a

all: $(BUILD)/bin/trnscid $(BUILD)/bin/trnsci-cli lib

lib: $(SHARED) $(STATIC)

# A package that is not there is named before a compiler misses its header.
has = | $(addprefix $(BUILD)/obj/has-,$(1))
$(call objects,$(filter proto/codec%,$(PROTO_SOURCES))): $(call has,msgpack)
$(call objects,$(DAEMON_SOURCES)): $(call has,libevent libsystemd sqlite3)
$(call objects,$(CLI_SOURCES)): $(call has,json-c sndfile ncursesw)
$(BUILD)/obj/has-%:
	@mkdir -p $(@D)
	@for name in $(if $(filter msgpack,$*),$(MSGPACK_NAMES),$*); do pkg-config --exists $$name 2>/dev/null && touch $@ && exit; done; \
		echo "pkg-config does not find $*. Its package is, with Debian, Fedora, Arch and openSUSE: $(PACKAGES_$*)" >&2; exit 1

$(LIB_ARCHIVE): $(call objects,$(LIB_SOURCES))
$(PROTO_ARCHIVE): $(call objects,$(PROTO_SOURCES))
$(DAEMON_ARCHIVE): $(call objects,$(filter-out daemon/main.c,$(DAEMON_SOURCES)))
%.a:
	$(say) AR $@
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(AR) rcsD $@ $^

# The last part of an object's name is its instruction set: X_simd.c becomes X_simd_avx2.o and so on.
flags_of = $(FLAGS_$(lastword $(subst _, ,$(basename $(notdir $(1))))))
define compile
	$(say) CC $(@:$(BUILD)/obj/%.o=%)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(call copies_of,$<) $(call kernel_flags_of,$<) $(SANFLAGS_CC) $(if $(call flags_of,$@),$(call flags_of,$@) $(SANFLAGS_ISA)) $(if $(filter proto/codec%,$<),$(CFLAGS_msgpack)) $(if $(filter daemon/%,$<),-Idaemon) $(if $(filter client/%,$<),-Iclient) $(if $(filter client/cli/%,$<),-Iclient/cli) -c $< -o $@
endef
$(BUILD)/obj/%.o: %.c
	$(compile)
$(foreach isa,$(SIMD),$(eval $(BUILD)/obj/%_simd_$(isa).o: %_simd.c; $$(compile)))
$(foreach isa,$(AES),$(eval $(BUILD)/obj/%_aes_$(isa).o: %_aes.c; $$(compile)))

# At -O1, gcc 12 loses lanes that are alive across the many calls of a sanitizer.
$(BUILD)/obj/lib/math/feistel_simd_avx512.o: SANFLAGS_ISA += $(if $(SAN),-O2)

$(BUILD)/bin/trnscid: $(BUILD)/obj/daemon/main.o $(DAEMON_ARCHIVE) $(PROTO_ARCHIVE) $(LIB_ARCHIVE)
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(LIBS_daemon) $(LIBS_msgpack) -lm

# The command line sees the installed library only, through its installed header.
$(BUILD)/bin/trnsci-cli: $(call objects,$(CLI_SOURCES)) $(SHARED)
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $(call objects,$(CLI_SOURCES)) -L$(BUILD)/lib -ltrnsci \
		-Wl,-rpath,'$$ORIGIN/../lib' $(LIBS_cli) -lm

CLIENT_OBJECTS := $(call objects,$(CLIENT_SOURCES) $(PROTO_SOURCES) $(LIB_SOURCES))

$(SHARED): $(CLIENT_OBJECTS) client/libtrnsci.map
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS_ALL) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=client/libtrnsci.map \
		$(if $(SAN),,-Wl,-z,defs) -o $@ $(CLIENT_OBJECTS) $(LIBS_msgpack) -lm
	@ln -sf $(notdir $@) $(BUILD)/lib/$(SONAME)
	@ln -sf $(SONAME) $(BUILD)/lib/libtrnsci.so

# One object whose hidden symbols are local, so that our internal names cannot meet a program's own.
$(STATIC): $(CLIENT_OBJECTS)
	$(say) AR $@
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(LD) -r -o $(BUILD)/obj/trnsci.o $(CLIENT_OBJECTS)
	$(Q)$(OBJCOPY) --localize-hidden $(BUILD)/obj/trnsci.o
	$(Q)$(AR) rcsD $@ $(BUILD)/obj/trnsci.o

# What each command needs, by Debian's names; A|B: either. tests/need installs what is missing.
DEPS_BUILD := gcc libc6-dev pkg-config libevent-dev libmsgpack-dev|libmsgpack-c-dev libsystemd-dev libsqlite3-dev libjson-c-dev libsndfile1-dev libncurses-dev perl-base
DEPS_HTML := mandoc cmark-gfm
DEPS_DEMO := alsa-utils gnuplot-nox
DEPS_CHECK := g++ sox flac libcmocka-dev libfftw3-dev perl $(DEPS_HTML) neovim python3-msgpack libgsl-dev universal-ctags \
	python3-dev python3-numpy python3-scipy python3-pytest libopenmpi-dev openmpi-bin python3-mpi4py
DEPS_FUZZ := clang libclang-rt-14-dev|libclang-rt-dev
DEPS_BOOT := systemd systemd-container dbus
DEPS_ARM64 := gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static
DEPS_STATISTICS := dieharder python3-scipy python3-mpmath
DEPS_FULL = $(DEPS_FUZZ) $(DEPS_PACKAGES) $(DEPS_ARM64) $(DEPS_STATISTICS) slurmctld slurmd slurm-client munge iproute2 shellcheck chromium zsh fish \
	mypy python3-hypothesis python3-matplotlib python3-pip python3-setuptools python3-wheel
DEPS_WHEEL := python3-dev python3-numpy python3-setuptools python3-wheel $(DEPS_HTML)
DEPS_DEB := build-essential dpkg-dev debhelper dh-python systemd-dev|systemd python3-dev python3-numpy $(DEPS_HTML)
DEPS_PACKAGES := $(DEPS_DEB) $(DEPS_BOOT) lintian abigail-tools mmdebstrap $(DEPS_WHEEL) python3-pip
DEPS_BENCH := g++ libfftw3-dev librandom123-dev libopenblas-dev python3-numpy python3-scipy clang redis-server \
	redis-tools libhiredis-dev gnuplot-nox python3-pyfftw

DEPS_SWEEP := python3 gnuplot-nox

quoted = $(foreach word,$(1),'$(word)')

deps:
	@tests/need $(call quoted,$(DEPS_BUILD) $(DEPS_DEMO) $(DEPS_CHECK))

# What a build needs, without the demo and the tests.
deps-build:
	@tests/need $(call quoted,$(DEPS_BUILD))

# A second make, which sees what the first has installed. It runs on every CPU; -j changes that.
again = +$(MAKE) --no-print-directory $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

demo:
	@tests/need $(call quoted,$(DEPS_BUILD) $(DEPS_DEMO))
	@$(again) run-demo

check: deps
	@$(again) run-check

check-full: deps
	@tests/need $(call quoted,$(DEPS_FULL))
	@$(again) run-check-full

bench: deps
	@tests/need $(call quoted,$(DEPS_BENCH))
	@$(again) run-bench

bench-against: deps
	@tests/need $(call quoted,$(DEPS_BENCH))
	@$(again) run-bench-against

bench-mpi: deps
	@tests/need $(call quoted,$(DEPS_BENCH) libfftw3-mpi-dev)
	@$(again) run-bench-mpi

bench-sweep: deps
	@tests/need $(call quoted,$(DEPS_SWEEP))
	@$(again) run-bench-sweep

# Of what git has.
dist:
	@mkdir -p $(BUILD)
	@git archive --prefix=trnsci-$(VERSION)/ HEAD | gzip -9n >$(BUILD)/trnsci-$(VERSION).tar.gz
	@ls $(BUILD)/trnsci-$(VERSION).tar.gz

help:
	@sed -n 's/^#: \{0,1\}//p' Makefile

include tests/Dir.mk
include client/Dir.mk client/examples/Dir.mk client/python/Dir.mk client/mpi/Dir.mk client/fftw/Dir.mk
include systemd/Dir.mk systemd/debian/Dir.mk client/html/Dir.mk
include tests/bench/Dir.mk

clean:
	rm -rf build

.PHONY: all lib deps deps-build demo dist check check-full bench bench-against bench-mpi bench-sweep help clean
-include $(shell find $(BUILD)/obj $(BUILD)/tests -name '*.d' 2>/dev/null)
