#!/usr/bin/env bash
# Install Mesa's Vulkan driver for the processor (lavapipe) and Vulkan's loader, for the tests of the Vulkan
# target. Where that is not possible (no apt, no right to install, no network) it says so and succeeds: the
# tests then skip, with the reason. Safe to repeat.
set -uo pipefail

packages=(mesa-vulkan-drivers libvulkan1)

skip() {
	echo "lavapipe: not installed: $1; the tests of the Vulkan target are skipped"
	exit 0
}

as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo --non-interactive "$@"; fi
}

dpkg --status "${packages[@]}" >/dev/null 2>&1 && exit 0
command -v apt-get >/dev/null || skip "this system has no apt-get"
as_root true 2>/dev/null || skip "that takes root, or sudo without a password"
echo "installing ${packages[*]} for the tests of the Vulkan target"
install=(env DEBIAN_FRONTEND=noninteractive timeout 300 apt-get install -qq --yes --no-install-recommends "${packages[@]}")
# The list of packages may be missing or old: fetch it only then.
as_root "${install[@]}" >/dev/null 2>&1 && exit 0
as_root timeout 120 apt-get update -qq >/dev/null 2>&1 || skip "the list of packages cannot be fetched"
as_root "${install[@]}" >/dev/null 2>&1 || skip "apt-get fails to install ${packages[*]}"
