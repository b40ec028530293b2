# SPDX-License-Identifier: Apache-2.0
# Tests: tests/ROOM/check_STEM.c is a cmocka program beside lib/ROOM/STEM.c (or proto, daemon, client); an executable
# tests/{rules,e2e,daemon,...}/*.sh prints TAP; tests/fuzz/fuzz_STEM.c is a libFuzzer target for one parser, with its
# corpus in tests/fuzz/corpus/STEM, which a plain main replays. `make run-check` runs them all with prove, each under a time limit.

CHECK_SOURCES := $(sort $(wildcard tests/*/check_*.c))
CHECKS := $(patsubst %.c,$(BUILD)/%,$(CHECK_SOURCES))
FUZZERS := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
SCRIPTS := $(sort $(wildcard tests/rules/*.sh) $(wildcard tests/e2e/*.sh))

LIBS_check_fft := -lfftw3 -lfftw3f -lfftw3l

$(BUILD)/tests/%: tests/%.c $(DAEMON_ARCHIVE) $(PROTO_ARCHIVE) $(LIB_ARCHIVE)
	$(say) TEST $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -I. -Itests $(LDFLAGS_ALL) -MF $@.d -o $@ $< $(filter %.o,$^) \
		$(DAEMON_ARCHIVE) $(PROTO_ARCHIVE) $(LIB_ARCHIVE) \
		-lcmocka $(LIBS_$(notdir $@)) $(LIBS_daemon) $(LIBS_msgpack) -lm

# With FUZZER set, libFuzzer brings main.
$(BUILD)/tests/fuzz/fuzz_%: tests/fuzz/fuzz_%.c tests/fuzz/replay.c $(DAEMON_ARCHIVE) $(PROTO_ARCHIVE) $(LIB_ARCHIVE)
	$(say) FUZZ $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -MF $@.d -o $@ $< $(if $(FUZZER),-fsanitize=fuzzer,tests/fuzz/replay.c) \
		$(DAEMON_ARCHIVE) $(PROTO_ARCHIVE) $(LIB_ARCHIVE) $(LIBS_daemon) $(LIBS_msgpack) -lm

# make fuzz F=codec SECONDS=60 : new inputs are kept in build/fuzz/corpus; a crash becomes a file of the corpus by hand.
fuzz:
	@mkdir -p build/fuzz/corpus/$(F)
	$(MAKE) CC=clang BUILD=build/fuzz FUZZER=1 SAN=fuzzer-no-link,address,undefined build/fuzz/tests/fuzz/fuzz_$(F)
	build/fuzz/tests/fuzz/fuzz_$(F) -max_total_time=$(or $(SECONDS),60) -rss_limit_mb=1024 -max_len=4096 \
		$(addprefix -dict=,$(wildcard tests/fuzz/$(F).dict)) build/fuzz/corpus/$(F) tests/fuzz/corpus/$(F)

checks: $(CHECKS) $(FUZZERS)

run-check: all checks
	@BUILD=$(BUILD) CMOCKA_MESSAGE_OUTPUT=TAP prove --timer -e tests/run-one $(CHECKS) $(FUZZERS) $(SCRIPTS)

# make check-only T=rng/threefry : one test, with its whole output.
check-only: all $(BUILD)/tests/$(dir $(T))check_$(notdir $(T))
	@BUILD=$(BUILD) tests/run-one $(BUILD)/tests/$(dir $(T))check_$(notdir $(T))

run-check-full:
	@+BUILD=$(BUILD) tests/check-full

.PHONY: fuzz checks run-check check-only run-check-full
