#!/usr/bin/env bash
#
# Tests the AVX-512 path: natively where the machine has it, and else in Bochs, which is some hundred times slower, so
# that there the tests are the short ones and the paths that ran natively are left out.
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ " $(go run ./internal/paths) " == *" avx512 "* ]]; then
	PEGASIMD_ISA=avx512 go test -count=1 ./internal/asm ./dense ./sparse ./pegasos
	exit
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for package in internal/asm dense sparse pegasos; do
	CGO_ENABLED=0 go test -c -o "$work/${package//\//-}.test" "./$package"
done
AVX512_TIMEOUT=${AVX512_TIMEOUT:-2400} scripts/avx512-emulated.sh \
	PEGASIMD_ISA=avx512 PEGASIMD_WANT='generic avx2 avx512' "$work/internal-asm.test" -test.short -test.v -test.run PathsWanted -- \
	PEGASIMD_ISA=avx512 "$work/internal-asm.test" -test.short -test.run '(Golden|Same|Guard|Exact|NaN|Long|NegativeZeros)//isa=avx512' -- \
	PEGASIMD_ISA=avx512 "$work/internal-asm.test" -test.short -test.run 'ExactOverlap|BasisVectors|ExpAccuracy|VectorsInMemory|ManyRows' -- \
	PEGASIMD_ISA=avx512 "$work/sparse.test" -test.short -test.run 'Meaning|Single' -- \
	PEGASIMD_ISA=avx512 "$work/pegasos.test" -test.short -test.run Golden
