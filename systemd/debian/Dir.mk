# SPDX-License-Identifier: Apache-2.0
# make deb : Debian packages, in build/deb. They are built in a copy of the tree, so the checkout stays untouched.
# DEB_BUILD_OPTIONS is dpkg-buildpackage's.

DEB_TREE := Makefile LICENSE README.md CHANGELOG.md CONTRIBUTING.md client daemon lib proto systemd tests
DEB_BUILD := $(BUILD)/deb/trnscid-$(VERSION)

deb:
	@tests/need $(call quoted,$(DEPS_BUILD) $(DEPS_DEB))
	@grep -q '^trnscid ($(VERSION))' systemd/debian/changelog || \
		{ echo "make deb: the first line of systemd/debian/changelog is not of version $(VERSION)" >&2; exit 1; }
	$(Q)rm -rf $(BUILD)/deb && mkdir -p $(DEB_BUILD)
	$(Q)tar --exclude=__pycache__ --exclude=build -c $(DEB_TREE) | tar -x -C $(DEB_BUILD)
	$(Q)cp -a systemd/debian $(DEB_BUILD)/debian
	$(say) DEB "$(DEB_BUILD), with its tests; what it says is in $(BUILD)/deb/log"
	$(Q)cd $(DEB_BUILD) && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u BUILD dpkg-buildpackage -us -uc -b -j$(or $(JOBS),$(shell nproc)) \
		$(if $(V),,>../log 2>&1 || { tail -n 40 ../log >&2; exit 1; })
	@ls $(BUILD)/deb/*.deb

.PHONY: deb
