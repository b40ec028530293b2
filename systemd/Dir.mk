# SPDX-License-Identifier: Apache-2.0
# The service's units, `make install` and `make uninstall`, under DESTDIR, PREFIX, BINDIR and LIBDIR. What the client's room
# brings, it names itself (CLIENT_HEADER, CPP_HEADER, PKGCONFIG_IN, CLIENT_MAN, MADE_MAN, COMPLETION, EXAMPLE_SOURCES, EXAMPLE_PROGRAMS).
#
# Without DESTDIR, root installs into the running system: its user, loader and service manager then know the service.

# Recursive, since a command line may set them only for this goal.
BINDIR = $(PREFIX)/bin
LIBDIR = $(PREFIX)/lib
SHAREDIR = $(PREFIX)/share
# systemd looks below lib, wherever libraries are.
SYSTEMDDIR = $(PREFIX)/lib/systemd
UNITDIR = $(SYSTEMDDIR)/system
SYSUSERSDIR = $(PREFIX)/lib/sysusers.d
DAEMON_MAN := $(sort $(wildcard daemon/man/*.[1-9]))

# The command finds the library of its own tree. Packages need neither that (RPATH=) nor symbols apart (SPLIT_DEBUG=):
# their loader knows the folder, and their tools strip.
RPATH = $$ORIGIN/$(shell realpath -m --relative-to=$(BINDIR) $(LIBDIR))
SPLIT_DEBUG = yes
APART_CLI = $(BUILD)/install/rpath$(subst /,_,$(subst $$ORIGIN,,$(RPATH)))/trnsci-cli
INSTALLED_CLI = $(if $(filter $$ORIGIN/../lib,$(RPATH)),$(BUILD)/bin/trnsci-cli,$(APART_CLI))
$(APART_CLI): $(call objects,$(CLI_SOURCES)) $(SHARED)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS_ALL) -o $@ $(call objects,$(CLI_SOURCES)) -L$(BUILD)/lib -ltrnsci \
		$(if $(RPATH),-Wl$(comma)-rpath$(comma)'$(RPATH)') $(LIBS_cli) -lm

# place MODE FOLDER FILES : as files of the same names
place = for file in $(3); do install -D -m $(1) $$file $(DESTDIR)$(2)/$${file\#\#*/} || exit; done
# place_stripped FOLDER FILES : the debug symbols go to FOLDER/.debug, where debuggers look for them
place_stripped = for file in $(2); do name=$${file\#\#*/} to=$(DESTDIR)$(1); \
	install -D -m 755 $$file $$to/$$name && mkdir -p $$to/.debug && \
	$(OBJCOPY) --only-keep-debug $$file $$to/.debug/$$name.debug && chmod 644 $$to/.debug/$$name.debug && \
	$(OBJCOPY) --strip-unneeded --add-gnu-debuglink=$$to/.debug/$$name.debug $$to/$$name || exit; done

# place_filled FOLDER FILES : X.in becomes X, with the folders of this goal. Nothing of it is kept below build/, since the
# prefix may be another one each time.
place_filled = for file in $(2); do name=$${file\#\#*/} && mkdir -p $(DESTDIR)$(1) && sed -e 's|@PREFIX@|$(PREFIX)|' \
	-e 's|@BINDIR@|$(BINDIR)|g' -e 's|@LIBDIR@|$(patsubst $(PREFIX)/%,$${exec_prefix}/%,$(LIBDIR))|' -e 's|@VERSION@|$(VERSION)|' \
	-e 's|@LIBS_PRIVATE@|$(LIBS_msgpack)|' $$file >$(DESTDIR)$(1)/$${name%.in} && chmod 644 $(DESTDIR)$(1)/$${name%.in} || exit; done

place_program = $(if $(SPLIT_DEBUG),$(place_stripped),$(call place,755,$(1),$(2)))

install: all $(INSTALLED_CLI)
	$(Q)$(call place_program,$(BINDIR),$(BUILD)/bin/trnscid $(INSTALLED_CLI))
	$(Q)$(call place_program,$(LIBDIR),$(SHARED))
	$(Q)$(call place,644,$(LIBDIR),$(STATIC))
	$(Q)$(OBJCOPY) --strip-debug $(DESTDIR)$(LIBDIR)/$(notdir $(STATIC))
	$(Q)ln -sf $(notdir $(SHARED)) $(DESTDIR)$(LIBDIR)/$(SONAME)
	$(Q)ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libtrnsci.so
	$(Q)$(call place,644,$(PREFIX)/include/trnsci,$(CLIENT_HEADER) $(CPP_HEADER))
	$(Q)$(call place_filled,$(LIBDIR)/pkgconfig,$(PKGCONFIG_IN))
	$(Q)for page in $(CLIENT_MAN) $(DAEMON_MAN) $(MADE_MAN)/*.[1-9]; do \
		install -D -m 644 $$page $(DESTDIR)$(SHAREDIR)/man/man$${page##*.}/$${page##*/} || exit; done
	$(Q)install -D -m 644 $(COMPLETION)/trnsci-cli.bash $(DESTDIR)$(SHAREDIR)/bash-completion/completions/trnsci-cli
	$(Q)install -D -m 644 $(COMPLETION)/_trnsci-cli $(DESTDIR)$(SHAREDIR)/zsh/vendor-completions/_trnsci-cli
	$(Q)install -D -m 644 $(COMPLETION)/trnsci-cli.fish $(DESTDIR)$(SHAREDIR)/fish/vendor_completions.d/trnsci-cli.fish
	$(Q)$(call place,644,$(SHAREDIR)/doc/trnsci/examples,$(EXAMPLE_SOURCES) $(EXAMPLE_PROGRAMS))
	$(Q)$(call place,644,$(SHAREDIR)/doc/trnsci,systemd/trnscid.conf)
	$(Q)$(call place,644,$(UNITDIR),systemd/trnscid.socket systemd/trnsci-metrics.socket)
	$(Q)$(call place_filled,$(UNITDIR),systemd/trnscid.service.in systemd/trnsci-metrics@.service.in)
	$(Q)$(call place,644,$(SYSTEMDDIR)/user,systemd/user/trnscid.socket)
	$(Q)$(call place_filled,$(SYSTEMDDIR)/user,systemd/user/trnscid.service.in)
	$(Q)install -D -m 644 systemd/trnsci.sysusers $(DESTDIR)$(SYSUSERSDIR)/trnsci.conf
	$(Q)$(if $(DESTDIR),,systemd/running_system installed $(SYSUSERSDIR)/trnsci.conf)

# What install would lay down goes, and its folders that bear our name.
uninstall: all
	$(Q)$(if $(DESTDIR),,systemd/running_system leaving)
	$(Q)list=$$(mktemp -d) && $(MAKE) -s --no-print-directory install DESTDIR=$$list && \
		(cd $$list && find . ! -type d) | while read -r file; do rm -f "$(DESTDIR)/$$file"; done && \
		(cd $$list && find . -depth -type d \( -name '*trnsci*' -o -path '*/trnsci/*' -o -name .debug \)) | \
		while read -r folder; do [ ! -d "$(DESTDIR)/$$folder" ] || rmdir --ignore-fail-on-non-empty "$(DESTDIR)/$$folder"; done; \
		rm -rf "$$list"
	$(Q)$(if $(DESTDIR),,systemd/running_system uninstalled)

.PHONY: install uninstall
