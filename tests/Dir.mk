# SPDX-License-Identifier: Apache-2.0
# Tests: tests/ROOM/check_STEM.c is a cmocka program beside lib/ROOM (or proto, daemon, client), and large rooms have the
# folders that the tested ones have: tests/daemon/streams/check_store.c. An executable tests/{rules,e2e,python,mpi}/*.sh prints
# TAP, as do the long ones in tests/statistics; tests/fuzz/fuzz_STEM.c is a libFuzzer target for one parser, with its corpus
# in tests/fuzz/corpus/STEM, which a plain main replays. `make run-check` runs them all with prove, each under a time limit,
# but for the long ones.

CHECK_SOURCES := $(sort $(wildcard tests/*/check_*.c tests/*/*/check_*.c))
CHECKS := $(patsubst %.c,$(BUILD)/%,$(CHECK_SOURCES))
FUZZERS := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
# A sanitizer has nothing to say about texts: the source, manuals, completion, documents.
SCRIPTS_OF_TEXTS := tests/rules/%.sh tests/e2e/b_%.sh tests/e2e/c55_readme.sh tests/e2e/c57_documents.sh tests/e2e/c80_manuals.sh tests/e2e/c81_html.sh
SCRIPTS := $(filter-out $(if $(SAN),$(SCRIPTS_OF_TEXTS)),\
	$(sort $(wildcard tests/rules/*.sh) $(wildcard tests/e2e/*.sh) $(wildcard tests/python/*.sh) $(wildcard tests/mpi/*.sh)))

# make run-check ROOMS="daemon e2e" : those only; ROOMS="streams" : of that folder.
ROOMS ?=
in_rooms = $(if $(ROOMS),$(foreach test,$(1),$(if $(filter $(ROOMS),$(subst /, ,$(dir $(test:$(BUILD)/%=%)))),$(test))),$(1))

LIBS_check_fft := -lfftw3 -lfftw3f -lfftw3l
LIBS_check_real := $(LIBS_check_fft)
LIBS_check_transform_errors := $(LIBS_check_fft)
LIBS_check_series := $(LIBS_check_fft)
LIBS_check_elementary := -lgsl -lgslcblas
LIBS_check_statistics := -lgsl -lgslcblas

# What checks share stands beside them, or in the harness; each links of it, of the library and of the daemon what it uses.
TEST_HELPERS := $(BUILD)/obj/tests/libtests.a
$(TEST_HELPERS): $(call objects,$(filter-out tests/daemon/streams/torn_% $(CHECK_SOURCES),$(wildcard tests/harness/*.c $(foreach room,client daemon proto,tests/$(room)/*.c tests/$(room)/*/*.c))))
$(BUILD)/obj/tests/%.o: CFLAGS_ALL += -I. -Itests -Idaemon

TEST_ARCHIVES = $(TEST_HELPERS) $(STATIC) $(DAEMON_ARCHIVE) $(PROTO_ARCHIVE) $(LIB_ARCHIVE)
$(BUILD)/tests/%: tests/%.c $(TEST_ARCHIVES)
	$(say) TEST $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -I. -Itests -Idaemon $(LDFLAGS_ALL) -MF $@.d -o $@ $< $(filter %.o,$^) $(TEST_ARCHIVES) \
		-lcmocka $(LIBS_$(notdir $@)) $(LIBS_daemon) $(LIBS_msgpack) -lm

# With FUZZER set, libFuzzer brings main.
$(BUILD)/tests/fuzz/fuzz_%: tests/fuzz/fuzz_%.c tests/fuzz/replay.c $(DAEMON_ARCHIVE) $(PROTO_ARCHIVE) $(LIB_ARCHIVE)
	$(say) FUZZ $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -I. -Itests -Idaemon $(LDFLAGS_ALL) -MF $@.d -o $@ $< $(if $(FUZZER),-fsanitize=fuzzer,tests/fuzz/replay.c) \
		$(filter %.o,$^) $(LDFLAGS_$(@F)) $(DAEMON_ARCHIVE) $(PROTO_ARCHIVE) $(LIB_ARCHIVE) $(LIBS_daemon) $(LIBS_msgpack) -lm

# The library itself, whose connections, sends and waits the target stands in for.
$(BUILD)/tests/fuzz/fuzz_reply: $(call objects,$(CLIENT_SOURCES))
LDFLAGS_fuzz_reply := -Wl,--wrap=handshake_connect,--wrap=fdpass_send,--wrap=poll

# Transforms step by 0 from a NULL that they do not use, which only clang takes amiss.
# make fuzz F=codec SECONDS=60 : new inputs are kept in build/fuzz/corpus; a crash becomes a file of the corpus by hand.
FUZZ_BUILD := CC=clang BUILD=build/fuzz FUZZER=1 SAN=fuzzer-no-link,address,undefined CFLAGS=-fno-sanitize=pointer-overflow

fuzz:
	@+$(MAKE) --no-print-directory $(FUZZ_BUILD) build/fuzz/tests/fuzz/fuzz_$(F)
	@tests/fuzz/run build/fuzz/tests/fuzz $(or $(SECONDS),60) $(F)

# make check-arm64 : the checks of random numbers, and of transforms' kernels, on another CPU, emulated; cmocka is not needed there, nor peers.
FOREIGN_CHECKS := $(foreach check,$(filter tests/rng/% tests/math/% tests/distributions/% tests/gemm/check_panel.c $(patsubst %,tests/fft/check_%.c,bytes chunks layout rows transpose),$(CHECK_SOURCES)),$(if \
	$(LIBS_$(basename $(notdir $(check)))),,$(BUILD)/foreign/$(basename $(check:tests/%=%))))

$(BUILD)/foreign/%: tests/%.c $(LIB_ARCHIVE)
	$(say) TEST $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -Itests/foreign/include -I. -Itests $(LDFLAGS_ALL) -static -MF $@.d -o $@ $< \
		$(LIB_ARCHIVE) -lm

run-foreign: $(FOREIGN_CHECKS)
	@prove --timer -j$$(nproc) -e 'tests/run-one $(EMULATOR)' $(FOREIGN_CHECKS)

check-arm64:
	@tests/need $(call quoted,$(DEPS_ARM64))
	@+$(MAKE) --no-print-directory CC=aarch64-linux-gnu-gcc AR=aarch64-linux-gnu-ar BUILD=build/arm64 \
		EMULATOR=qemu-aarch64-static run-foreign

# The codec's peer.
$(BUILD)/tests/proto/check_codec_random: CFLAGS_ALL += $(CFLAGS_msgpack)

# These stand in for calls of the C library, so no other check may meet them.
$(addprefix $(BUILD)/tests/daemon/streams/,check_power check_power_ring check_scarce): $(addprefix $(BUILD)/obj/tests/daemon/streams/,torn_mark.o torn_vfs.o)

# Checks of what happens inside the library link its objects.
PROOFS := $(call objects,$(wildcard client/selftest/proofs/*.c))
INNER_CHECKS := $(BUILD)/tests/client/check_call_ends $(filter $(BUILD)/tests/client/selftest/%,$(CHECKS))
$(INNER_CHECKS): CFLAGS_ALL += -Iclient
$(BUILD)/tests/client/check_call_ends: $(call objects,$(CLIENT_SOURCES))
$(filter $(BUILD)/tests/client/selftest/%,$(CHECKS)): $(PROOFS)
$(BUILD)/tests/client/npy/check_npy: $(call objects,$(NPY_SOURCES))

# Loaded into the daemon and its clients by the checks of faults.
$(BUILD)/tests/faults/inject.so: tests/faults/inject.c
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c17 -O1 -g $(WARNINGS) -Wno-missing-prototypes -D_GNU_SOURCE -pthread -fPIC -shared -MMD -MP -o $@ $< -ldl

$(filter $(BUILD)/tests/client/% $(BUILD)/tests/daemon/%,$(CHECKS)): | $(BUILD)/tests/faults/inject.so $(BUILD)/bin/trnscid

# make soak SECONDS=3600 : a crowd of 1,000 clients that come and go, for so long.
soak: all $(BUILD)/tests/client/check_soak
	BUILD=$(BUILD) SOAK_SECONDS=$(or $(SECONDS),300) $(BUILD)/tests/client/check_soak

# make fuzz-all SECONDS=30 : each target for so long.
fuzz-all:
	@tests/need $(call quoted,$(DEPS_FUZZ))
	@+$(MAKE) --no-print-directory $(FUZZ_BUILD) $(FUZZERS:$(BUILD)/%=build/fuzz/%)
	@tests/fuzz/run build/fuzz/tests/fuzz $(or $(SECONDS),30) $(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))

# The generated part of proto/PROTOCOL.md, which check_protocol holds to the tables.
protocol: $(BUILD)/tests/proto/check_protocol
	TRNSCI_UPDATE=1 $<

# The list of trnscid.conf(5), which check_settings holds to the table.
manual: settings-manual
settings-manual: $(BUILD)/tests/daemon/check_settings
	TRNSCI_UPDATE=1 $< >/dev/null

checks: $(call in_rooms,$(CHECKS) $(FUZZERS))

run-check: all checks
	@BUILD=$(BUILD) SAN=$(SAN) tests/run-all $(call in_rooms,$(CHECKS) $(FUZZERS) $(SCRIPTS))

# make check-boot : what is installed, under a really booted systemd (root).
check-boot: all $(BUILD)/tests/daemon/check_sandbox
	@tests/need $(call quoted,$(DEPS_BOOT))
	@BUILD=$(BUILD) TRNSCI_FULL=1 prove --timer -e tests/run-one tests/e2e/d_systemd.sh tests/e2e/d_install.sh

# make check-packages : the Debian packages of make deb, booted (root); the library's binary interface; whether builds repeat.
check-packages: deb all
	@tests/need $(call quoted,$(DEPS_PACKAGES))
	@BUILD=$(BUILD) TRNSCI_FULL=1 BOOT_SECONDS=240 TEST_TIMEOUT=600 prove --timer -e tests/run-one \
		$(addprefix tests/packages/,abi.sh lintian.sh boot.sh tutorial.sh wheel.sh container.sh reproducible.sh)

# The description of the library's binary interface that tests/packages/abi.sh holds it to.
abi: $(SHARED)
	@tests/need abigail-tools
	@BUILD=$(BUILD) tests/packages/abi.sh update

# make check-only T=rng/threefry : one test, with its whole output.
check-only: all $(BUILD)/tests/$(dir $(T))check_$(notdir $(T))
	@BUILD=$(BUILD) tests/run-one $(BUILD)/tests/$(dir $(T))check_$(notdir $(T))

# make statistics : the long tables of distributions and of correlations between streams, dieharder, points beside scipy's.
STATISTICS := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/statistics/check_*.c)))

statistics: $(STATISTICS)
	@tests/need $(call quoted,$(DEPS_STATISTICS))
	@for check in $^; do TRNSCI_FULL=1 $$check || exit; done
	@$(MAKE) --no-print-directory run-points run-dieharder

run-dieharder: $(BUILD)/tests/statistics/write_words
	@BUILD=$(BUILD) tests/statistics/dieharder.sh

# The bounds of the matrix modes, derived anew from norms.
run-bounds:
	@tests/statistics/matrix_bounds.py

run-points: all
	@BUILD=$(BUILD) tests/statistics/points.py

# scipy's and numpy's own tests on the Python package, its types, pip, the plots of its examples.
run-python: all
	@BUILD=$(BUILD) tests/python/long

run-check-full:
	@+tests/check-full

.PHONY: settings-manual check-boot check-packages abi soak fuzz-all statistics run-dieharder run-points run-bounds fuzz checks run-foreign check-arm64 run-check check-only run-check-full
