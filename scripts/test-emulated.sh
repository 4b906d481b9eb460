#!/usr/bin/env bash
#
# Runs the tests of the packages named, and their golden hashes with them, on every architecture: 386 natively, the others
# in qemu-user or Node.js. A path or architecture that can't be run is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CGO_ENABLED=0

for tool in qemu-aarch64 qemu-s390x qemu-riscv64 qemu-x86_64 node; do
	if ! command -v "$tool" >/dev/null; then
		echo "test-emulated: $tool is not there: run scripts/install.sh" >&2
		exit 1
	fi
done

# on NAME WANT EXEC PACKAGES... runs tests that must find the paths WANT.
on() {
	local name=$1 want=$2 exec=$3
	shift 3
	echo "== $name: $want"
	PEGASIMD_WANT="$want" go test -count=1 -short -timeout 30m -exec "$exec" "$@"
}

# The trainer's tests take minutes in emulation, and without assembly: here it is those of bits, files and byte order.
bits=${BITS:?is set by the Makefile}
emulated() {
	local kept=()
	for package in "${@:4}"; do
		if [[ "$package" != ./pegasos* ]]; then
			kept+=("$package")
		fi
	done
	on "$1" "$2" "$3" "${kept[@]}"
	on "$1" "$2" "$3" -run "$bits" ./pegasos ./pegasos/kernelsvm
}

GOARCH=386 emulated "386" "generic" env "$@"
GOARCH=arm64 emulated "arm64 (qemu)" "generic neon" "qemu-aarch64" "$@"
GOARCH=arm64 on "arm64 (qemu), training in rounds" "generic neon" "qemu-aarch64" -run Golden ./beam/rounds
# That these CPUs have the instructions of the paths that are found on them, which the generator checks
# too: what the paths compute at every length is
# tested natively.
legal='Golden|PathsWanted|LongVectors|ManyRows'
GOARCH=amd64 on "Haswell (qemu)" "generic avx2" "qemu-x86_64 -cpu Haswell" -run "$legal" ./internal/asm
GOARCH=amd64 on "Nehalem (qemu)" "generic" "qemu-x86_64 -cpu Nehalem" -run "$legal" ./internal/asm
here=$(go test -v -run PathsWanted ./internal/asm | sed -n 's/.*paths tested: \(.*\);.*/\1/p')
GOARCH=amd64 GOAMD64=v3 emulated "GOAMD64=v3" "${here:?no paths were found}" env "$@"
GOARCH=s390x emulated "s390x, big-endian (qemu)" "generic" "qemu-s390x" "$@"
# Beside these two, what is left to differ is arithmetic: the golden hashes.
GOARCH=riscv64 on "riscv64 (qemu)" "generic" "qemu-riscv64" -run 'Golden|PathsWanted' "$@"
GOOS=js GOARCH=wasm on "wasm (node)" "generic" "$(go env GOROOT)/lib/wasm/go_js_wasm_exec" -run 'Golden|PathsWanted' "$@"
