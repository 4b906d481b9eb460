#!/usr/bin/env bash
#
# Tests the vector paths that make test does not. A machine with AVX-512 takes that path by itself: there
# it is the trainer on AVX2. Elsewhere it is AVX-512, in Bochs, which is some hundred times slower, so that
# the tests are the short ones and the paths that ran natively are left out.
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ " $(go run ./internal/paths) " == *" avx512 "* ]]; then
	PEGASIMD_ISA=avx2 go test -count=1 -short -run "${BITS:?is set by the Makefile}" \
		./internal/store ./pegasos ./pegasos/kernelsvm
	exit
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for package in internal/asm internal/vectors sparse internal/store pegasos pegasos/kernelsvm; do
	CGO_ENABLED=0 go test -c -o "$work/${package//\//-}.test" "./$package"
done
export AVX512_TIMEOUT=${AVX512_TIMEOUT:-1500} PEGASIMD_ISA=avx512

# emulated runs commands as avx512-emulated.sh does. A test that hangs ends by its own time limit, which counts emulated
# seconds, and has failed. If there is no end to it in real time, it's the emulator that hangs, and it gets a second chance.
emulated() {
	local code=0
	scripts/avx512-emulated.sh "$@" || code=$?
	if ((code == 125)); then
		echo "once more" >&2
		code=0
		scripts/avx512-emulated.sh "$@" || code=$?
	fi
	return "$code"
}

# Two machines side by side.
emulated "$work/sparse.test" -test.short -test.timeout 10m -test.run 'Meaning|Single' -- \
	"$work/internal-store.test" -test.short -test.timeout 10m -- \
	"$work/internal-asm.test" -test.short -test.timeout 20m -test.run 'ExactOverlap|BasisVectors|ExpAccuracy|VectorsInMemory|ManyRows|Steps' -- \
	"$work/pegasos-kernelsvm.test" -test.short -test.timeout 10m -test.v -test.run Golden -- \
	"$work/pegasos.test" -test.short -test.timeout 10m -test.v -test.run Golden >"$work/models" 2>&1 &
models=$!
code=0
emulated PEGASIMD_WANT='generic avx2 avx512 avx512x256' "$work/internal-asm.test" -test.short -test.v -test.run PathsWanted -- \
	"$work/internal-asm.test" -test.short -test.timeout 20m -test.run '(Golden|Same|Guard|Exact|NaN|Long|NegativeZeros)//isa=avx512' -- \
	"$work/internal-vectors.test" -test.short -test.timeout 10m -test.v -test.run 'GoldenVectors/avx512' || code=$?
wait "$models" || code=$?
cat "$work/models"
exit "$code"
