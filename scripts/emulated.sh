#!/usr/bin/env bash
#
# Runs the tests of bits, with their golden hashes, for other architectures and CPUs, in qemu-user, in Node.js or, for v3,
# on this CPU: emulated.sh NAMES... of arm64, s390x, 386, riscv64, wasm, haswell, nehalem, v3. A name that can't be run is
# an error.
set -euo pipefail
: "${1:?usage: emulated.sh NAMES...}"
cd "$(dirname "$0")/.."
export CGO_ENABLED=0

# The packages whose results must be equal on all architectures.
packages=(./internal/asm ./internal/rows/store ./internal/base/floats ./dense ./half ./quant ./sparse ./spec ./spec/verifier)
# The trainer's packages, and their tests of bits, files and byte order: all tests take minutes in emulation.
trainer=(./pegasos ./pegasos/kernelsvm/... ./internal/train/...)
bits='Golden|Bits|Model|Resume|Layouts|Threads'

# on WANT EXEC ARGUMENTS... runs tests that must find the paths WANT.
on() {
	local want=$1 exec=$2
	shift 2
	PEGASIMD_WANT="$want" go test -count=1 -short -timeout 30m -exec "$exec" "$@"
}
all() {
	on "$1" "$2" "${packages[@]}"
	on "$1" "$2" -run "$bits" "${trainer[@]}"
}
golden() { on "$1" "$2" -run 'Golden|PathsWanted' "${packages[@]}" "${trainer[@]}"; }
# legal tests that an emulated CPU runs all instructions of the code paths that are detected on it.
legal() { on "$1" "$2" -run 'Golden|PathsWanted|LongVectors|ManyRows' ./internal/asm; }

for name in "$@"; do
	echo "== $name"
	case $name in
	arm64)
		export GOARCH=arm64
		all "generic neon neondot" "qemu-aarch64 -cpu max"
		on "generic neon neondot" "qemu-aarch64 -cpu max" -run Golden ./beam/internal/runs
		legal "generic neon" "qemu-aarch64 -cpu cortex-a72" # without SDOT and UDOT
		;;
	s390x) GOARCH=s390x golden generic qemu-s390x ;; # big-endian, no assembly
	386) GOARCH=386 GODEBUG=asyncpreemptoff=1 all generic qemu-i386 ;; # qemu-i386 crashes on preemption signals
	riscv64) GOARCH=riscv64 golden generic qemu-riscv64 ;;
	wasm) GOOS=js GOARCH=wasm golden generic "$(go env GOROOT)/lib/wasm/go_js_wasm_exec" ;;
	haswell) GOARCH=amd64 legal "generic avx2" "qemu-x86_64 -cpu Haswell" ;;
	nehalem) GOARCH=amd64 legal generic "qemu-x86_64 -cpu Nehalem" ;;
	v3) GOARCH=amd64 GOAMD64=v3 golden "" env ;; # the compiler's own AVX2 and FMA
	*)
		echo "emulated: no way to run $name" >&2
		exit 2
		;;
	esac
	unset GOARCH
done
