#!/usr/bin/env bash
#
# Installs what make ci needs beyond Go, make and git, on Debian as root: emulators for the other architectures, an
# emulator of a whole PC with AVX-512, liblinear's programs, which tests compare with, Valgrind for the regression gate,
# Chromium for the report, and the shells whose completion is tested.
set -euo pipefail

packages=(gcc libc6-dev qemu-user nodejs npm liblinear-tools valgrind procps chromium fonts-dejavu-core zsh fish)
if ! grep -q avx512dq /proc/cpuinfo; then
	# For scripts/test-avx512.sh, which emulates what the machine lacks.
	packages+=(bochs bochs-term bochsbios vgabios isolinux syslinux-common genisoimage cpio)
fi
missing=()
for package in "${packages[@]}"; do
	if [ "$package" = nodejs ] && command -v node >/dev/null || [ "$package" = npm ] && command -v npm >/dev/null; then
		continue
	fi
	if ! dpkg -s "$package" >/dev/null 2>&1; then
		missing+=("$package")
	fi
done
if [ "${#missing[@]}" -gt 0 ]; then
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi
