# SPDX-License-Identifier: Apache-2.0
# The demo: a recording gets noise and is transformed, by a program that sees the installed header only.

SPEECH_OBJECTS := $(call objects,$(sort $(wildcard client/examples/speech/*.c)))

$(BUILD)/examples/noisy_speech: $(SPEECH_OBJECTS) $(SHARED)
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $(SPEECH_OBJECTS) -L$(BUILD)/lib -ltrnsci $(call pkg,--libs,sndfile) -Wl,-rpath,'$$ORIGIN/../lib' -lm

checks: $(BUILD)/examples/noisy_speech

run-demo: all $(BUILD)/examples/noisy_speech
	@client/examples/speech/demo.sh $(BUILD)

.PHONY: run-demo
