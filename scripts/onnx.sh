#!/usr/bin/env bash
#
# Compares predictions of exported models in ONNX Runtime with those of pegasimd. Needs Node.js with npm, and the network if
# npm has no copy of the runtime.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! command -v npm >/dev/null; then
	echo "onnx: npm is not installed" >&2
	exit 1
fi
cp scripts/onnx/* "$work"
# The runtime's install script, which is not run, fetches files for GPUs.
(cd "$work" && npm ci --ignore-scripts --no-audit --no-fund --silent)
go -C cmd/pegasimd build -o "$work/pegasimd" .

# check NAME TRAIN TEST FLAGS... trains, exports, predicts and compares.
check() {
	local name="$work/$1" train=$2 test=$3
	shift 3
	local scores=-scores
	[[ "$*" == *eps-insensitive* ]] && scores=
	"$work/pegasimd" train -quiet "$@" "$train" "$name.model"
	"$work/pegasimd" convert -to onnx "$name.model" "$name.onnx"
	"$work/pegasimd" convert -to json "$name.model" "$name.json"
	"$work/pegasimd" predict -quiet $scores "$test" "$name.model" "$name.predicted"
	node "$work/check.mjs" "$name.onnx" "$name.json" "$test" "$name.predicted"
}

digits=dataset/digits/digits.csv.gz
check digits $digits $digits -bias augmented
check digits-log $digits $digits -loss log -epochs 3
check digits-multinomial $digits $digits -multiclass multinomial -bias unregularised
check digits-joint $digits $digits -multiclass crammer-singer -epochs 3
check digits-pairs $digits $digits -multiclass ovo -bias augmented
check digits-calibrated $digits $digits -proba -epochs 3
cat >"$work/pets.csv" <<-END
	weight,age,pet
	1,2,cat
	2,1,cat
	-1,-2,dog
	0,0,dog
	-3,4,the "bird"
	-2,5,the "bird"
END
sed -i 's/the "bird"/"the ""bird"""/' "$work/pets.csv"
check names "$work/pets.csv" "$work/pets.csv" -bias augmented
grep -v bird "$work/pets.csv" >"$work/two.csv"
check two-names "$work/two.csv" "$work/two.csv"
check digits-unit $digits $digits -scale unit -epochs 3
printf '5000.1,0\n5000.2,0\n5000.4,1\n5000.9,1\n' >"$work/far.csv"
check far "$work/far.csv" "$work/far.csv" -scale standard
printf '0,1\n1,3\n2,5\n3,7\n' >"$work/line.csv"
check line "$work/line.csv" "$work/line.csv" -loss eps-insensitive -epochs 500 -bias augmented
check curves $digits $digits -curves products -epochs 3
check pieces $digits $digits -curves pieces -loss log -multiclass ovr -epochs 3
awk 'BEGIN { for (i = 0; i < 300; i++) { x = i % 17 - 8; y = i % 13 - 6; print 100 * x "," y "," x * y + y * y } }' >"$work/saddle.csv"
check saddle "$work/saddle.csv" "$work/saddle.csv" -curves products -loss eps-insensitive
# The rows to predict have words that no training row has, and gaps in columns that have none in training.
awk 'BEGIN {
	srand(1); print "age,city,member,scores,income,often,y"
	split("Rome,Paris,Oslo,Lima", city, ","); split("yes,no", member, ",")
	for (i = 0; i < 400; i++) {
		a = int(rand() * 60) + 20; c = int(rand() * 4) + 1; b = int(rand() * 2) + 1; n = 1000 * rand()
		print (i % 9 ? a : "") "," (i % 11 ? city[c] : "NA") "," member[b] "," (i % 3 ? "" : a > 40) "," n "," (i % 4 ? "" : n) "," \
			(a + 10 * c + 9 * b + n / 50 > 85)
	}
}' >"$work/table.csv"
sed '2~7s/^[^,]*/NA/; 3~7s/Rome/Bern/; 4~7s/,yes,/,null,/; 5~7s/,no,/,maybe,/; 6~7s/Oslo/(NULL)/' "$work/table.csv" >"$work/odd.csv"
check table "$work/table.csv" "$work/odd.csv"
check table-calibrated "$work/table.csv" "$work/odd.csv" -proba -curves products
check table-number "$work/table.csv" "$work/odd.csv" -label-column income -loss eps-insensitive
check people docs/people.csv docs/people.csv

data=${PEGASIMD_DATA:-}
if [ -z "$data" ]; then
	echo "onnx: PEGASIMD_DATA is not set: a9a WAS NOT TESTED"
	exit
fi
check a9a "$data/a9a/a9a.svm.gz" "$data/a9a/a9a.t.svm.gz"
check a9a-log "$data/a9a/a9a.svm.gz" "$data/a9a/a9a.t.svm.gz" -loss log -bias augmented
check a9a-calibrated "$data/a9a/a9a.svm.gz" "$data/a9a/a9a.t.svm.gz" -proba -epochs 3 -bias augmented
check a9a-joint "$data/a9a/a9a.svm.gz" "$data/a9a/a9a.t.svm.gz" -multiclass multinomial -epochs 3
check letter-pairs "$data/letter/letter.scale.svm.gz" "$data/letter/letter.scale.t.svm.gz" -epochs 3 -multiclass ovo
check letter "$data/letter/letter.scale.svm.gz" "$data/letter/letter.scale.t.svm.gz" -epochs 3
check abalone "$data/abalone/abalone_scale.svm.gz" "$data/abalone/abalone_scale.svm.gz" -loss eps-insensitive -bias augmented
