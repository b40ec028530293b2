# SPDX-License-Identifier: Apache-2.0
# Tests: tests/ROOM/check_STEM.c is a cmocka program beside lib/ROOM/STEM.c (or proto, daemon, client); an executable
# tests/{rules,e2e,daemon,...}/*.sh prints TAP. `make run-check` runs them all with prove, each under a time limit.

CHECK_SOURCES := $(sort $(wildcard tests/*/check_*.c))
CHECKS := $(patsubst %.c,$(BUILD)/%,$(CHECK_SOURCES))
SCRIPTS := $(sort $(wildcard tests/rules/*.sh) $(wildcard tests/e2e/*.sh))

LIBS_check_fft := -lfftw3 -lfftw3f -lfftw3l

$(BUILD)/tests/%: tests/%.c $(DAEMON_ARCHIVE) $(PROTO_ARCHIVE) $(LIB_ARCHIVE)
	$(say) TEST $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -I. -Itests $(LDFLAGS_ALL) -MF $@.d -o $@ $< $(filter %.o,$^) \
		$(DAEMON_ARCHIVE) $(PROTO_ARCHIVE) $(LIB_ARCHIVE) \
		-lcmocka $(LIBS_$(notdir $@)) $(LIBS_daemon) $(LIBS_msgpack) -lm

checks: $(CHECKS)

run-check: all checks
	@BUILD=$(BUILD) CMOCKA_MESSAGE_OUTPUT=TAP prove --timer -e tests/run-one $(CHECKS) $(SCRIPTS)

# make check-only T=rng/threefry : one test, with its whole output.
check-only: all $(BUILD)/tests/$(dir $(T))check_$(notdir $(T))
	@BUILD=$(BUILD) tests/run-one $(BUILD)/tests/$(dir $(T))check_$(notdir $(T))

run-check-full:
	@+BUILD=$(BUILD) tests/check-full

.PHONY: checks run-check check-only run-check-full
