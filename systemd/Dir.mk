# SPDX-License-Identifier: Apache-2.0
# The service's units and `make install`, under DESTDIR and PREFIX. What the client's room brings, it names itself
# (CLIENT_HEADER, PKGCONFIG, CLIENT_MAN, COMPLETION, EXAMPLE_SOURCES).

# Recursive, since a command line may set PREFIX only for this goal.
BINDIR = $(DESTDIR)$(PREFIX)/bin
LIBDIR = $(DESTDIR)$(PREFIX)/lib
SHAREDIR = $(DESTDIR)$(PREFIX)/share
UNITDIR = $(LIBDIR)/systemd/system
SYSUSERSDIR = $(LIBDIR)/sysusers.d
SERVICE := $(BUILD)/systemd/trnscid.service

# install MODE FOLDER FILES : as files of the same names
place = for file in $(3); do install -D -m $(1) $$file $(2)/$${file\#\#*/} || exit; done

# The prefix may differ from that of the last build.
$(SERVICE) $(PKGCONFIG): FORCE
$(SERVICE): systemd/trnscid.service.in
	@mkdir -p $(@D)
	$(Q)sed 's|@PREFIX@|$(PREFIX)|g' $< >$@

all: $(SERVICE)

install: all
	$(Q)$(call place,755,$(BINDIR),$(BUILD)/bin/trnscid $(BUILD)/bin/trnsci-cli)
	$(Q)$(call place,755,$(LIBDIR),$(SHARED))
	$(Q)$(call place,644,$(LIBDIR),$(STATIC))
	$(Q)ln -sf $(notdir $(SHARED)) $(LIBDIR)/$(SONAME)
	$(Q)ln -sf $(SONAME) $(LIBDIR)/libtrnsci.so
	$(Q)$(call place,644,$(DESTDIR)$(PREFIX)/include/trnsci,$(CLIENT_HEADER))
	$(Q)$(call place,644,$(LIBDIR)/pkgconfig,$(PKGCONFIG))
	$(Q)$(call place,644,$(SHAREDIR)/man/man8,daemon/man/trnscid.8)
	$(Q)for page in $(CLIENT_MAN); do install -D -m 644 $$page $(SHAREDIR)/man/man$${page##*.}/$${page##*/}; done
	$(Q)$(if $(wildcard $(COMPLETION)),install -D -m 644 $(COMPLETION) $(SHAREDIR)/bash-completion/completions/trnsci-cli)
	$(Q)$(call place,644,$(SHAREDIR)/doc/trnsci/examples,$(EXAMPLE_SOURCES))
	$(Q)$(call place,644,$(UNITDIR),$(SERVICE) systemd/trnscid.socket)
	$(Q)install -D -m 644 systemd/trnsci.sysusers $(SYSUSERSDIR)/trnsci.conf

.PHONY: install FORCE
