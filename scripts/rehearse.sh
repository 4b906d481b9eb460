#!/usr/bin/env bash
#
# Uses our modules and the gate as others will once they are published: run it by scripts/proxy.sh. "rehearse.sh tidy"
# only checks whether go mod tidy would change a module; "tidy -write" copies its changes to the tree.
set -euo pipefail

path=github.com/pegasimd/pegasimd
tree=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A tidy go.sum has lines of our own modules too, which are in the tree only after scripts/release.sh.
tidy() {
	local module code=0
	for module in $(git ls-files '*go.mod' | xargs -n 1 dirname); do
		echo "== go mod tidy in $module"
		go -C "$module" mod tidy
		local sums=()
		if [ -f "$module/go.sum" ]; then # A module without requirements has no go.sum.
			sums=("$module/go.sum")
			sed -i "\|^$path[ /]|d" "${sums[@]}"
		fi
		if [ "${1:-}" = -write ]; then
			cp "$module/go.mod" "${sums[@]}" "$TREE/$module"
		else
			git diff --exit-code -- "$module/go.mod" "${sums[@]}" || code=1
		fi
	done
	return "$code"
}
if [ "${1:-}" = tidy ]; then
	tidy "${2:-}"
	exit
fi

echo "== go install $path/cmd/pegasimd@$VERSION"
(cd "$work" && GOBIN=$work/bin GOFLAGS=-trimpath go install "$path/cmd/pegasimd@$VERSION")
digits=dataset/digits/digits.csv.gz
"$work/bin/pegasimd" train -quiet -epochs 3 "$digits" "$work/digits.model"
"$work/bin/pegasimd" eval "$digits" "$work/digits.model"

echo "== go get, in a module of somebody else"
mkdir "$work/linker"
cd "$work/linker"
cat >main.go <<-'END'
	package main

	import (
		"context"
		"fmt"

		"github.com/pegasimd/pegasimd/dense"
		"github.com/pegasimd/pegasimd/pegasos"
		"github.com/pegasimd/pegasimd/sparse"
	)

	func main() {
		x, y := dense.New(4, 2), []float32{1, 1, -1, -1}
		for i, row := range [][]float32{{1, 2}, {2, 1}, {-1, -2}, {-2, -1}} {
			copy(x.Row(i), row)
		}
		m, err := pegasos.Train(context.Background(), x, y, pegasos.Config{})
		if err != nil {
			panic(err)
		}
		fmt.Println(dense.Dot(x.Row(0), x.Row(1)), sparse.Dot([]int32{1}, []float32{2}, x.Row(0)), len(m.Weights))
	}
END
go mod init example.com/linker 2>/dev/null
go mod edit -go="$(sed -n 's/^go //p' "$tree/go.mod")" # the library must build with the oldest Go that it supports
# Without the network: a real proxy would be asked for a module $path/dense. Modules of others are in the cache
# already, because the library was built, and are checked by go.sum.
GOPROXY=file://$PROXY,file://$GOMODCACHE/cache/download GOSUMDB=off go get $path/{dense,sparse,pegasos}@"$VERSION"
go vet .
[ "$(go run .)" = "4 4 1" ]
cat go.mod
diff <(grep '^go ' go.mod) <(grep '^go ' "$tree/go.mod")
# A program that links the kernels gets no other modules with them than cpuid and x/sys.
if go list -m all | grep -vE "^(example.com/linker|$path|github.com/klauspost/cpuid/v2|golang.org/x/sys)( |$)"; then
	echo "rehearse: the library brings more than cpuid and x/sys" >&2
	exit 1
fi

echo "== every example of every public package, in a module of somebody else"
mkdir "$work/examples"
cd "$work/examples"
go mod init example.com/examples 2>/dev/null
want=0
while read -r file; do
	package=$(dirname "$file")
	mkdir -p "$package"
	cp "$tree/$file" "$package/"
	if [ -d "$tree/$package/testdata" ]; then
		cp -r "$tree/$package/testdata" "$package/"
	fi
	want=$((want + $(grep -c '^	// \(Unordered output\|Output\):' "$tree/$file")))
done < <(git -C "$tree" ls-files '*example_test.go' | grep -v internal/)
go get $path/{dataset,dense,metrics,modelio,pegasos,pegasos/kernelsvm,quant,sparse}@"$VERSION" \
	$path/interop/blas32@"$VERSION"
go vet ./...
go test -v ./... >examples.log || { cat examples.log; exit 1; }
ran=$(grep -c '^--- PASS: Example' examples.log)
echo "$ran examples"
if [ "$ran" -lt 30 ] || [ "$ran" != "$want" ]; then
	echo "rehearse: $ran examples ran, of $want" >&2
	exit 1
fi
cd "$tree"

tidy

if ! command -v valgrind >/dev/null; then
	echo "rehearse: valgrind is not installed: scripts/ci.sh only install" >&2
	exit 1
fi
# From here on the gate runs in another project, with the blocks of docs/gate.md that are there to copy: in a first run, in
# a pull request that passes, in one that fails, and after a push.
unset GITHUB_STEP_SUMMARY
for who in AUTHOR COMMITTER; do
	export "GIT_${who}_NAME=Someone" "GIT_${who}_EMAIL=someone@example.com"
done

# block NAME prints the block of docs/gate.md with this name, which must exist once.
block() {
	awk -v name="$1" '
		$0 == "<!-- copy " name " -->" { found++; wait = 1; next }
		wait && /^```/ { wait = 0; inside = 1; next }
		inside && /^```$/ { inside = 0; next }
		inside { print }
		END { exit found != 1 }' "$tree/docs/gate.md" || {
		echo "rehearse: docs/gate.md has no block for $1, or several" >&2
		exit 1
	}
}
fail() {
	echo "rehearse: $1" >&2
	cat "$work/out" >&2
	exit 1
}

echo "== a project with plain benchmarks, which was never gated"
cp -r gate/example "$work/project"
cd "$work/project"
git init -q -b main
git add -A && git commit -q -m "Begin"
git init -q --bare "$work/origin"
git remote add origin "$work/origin"
git push -q origin main && git fetch -q

echo "== the first run"
block run >"$work/run"
sed -i 's/ *#.*//' "$work/run"
bash -euxo pipefail "$work/run" >"$work/out" 2>&1 || fail "the first run fails"
grep -q "nothing to compare: the head is the base" "$work/out" || fail "the first run says nothing"

echo "== the pull request that brings the gate is green"
git checkout -q -b gate
block Makefile >Makefile
mkdir -p .github/workflows
block workflow >.github/workflows/gate.yml
(cd "$tree" && go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 "$work/project/.github/workflows/gate.yml")
if grep -E 'uses:' .github/workflows/gate.yml | grep -vE 'uses: ([a-z/-]+@[0-9a-f]{40} # v|pegasimd/pegasimd@v)'; then
	fail "the workflow has an action that is not pinned"
fi
# A new benchmark gives the gate something to measure. It is the last one, so that the others stay at their addresses:
# moving a loop can cost a third of its time.
printf '\nfunc BenchmarkScoreAgain(b *testing.B) { BenchmarkScore(b) }\n' >>search_test.go
git add -A && git commit -q -m "Add the gate"
# This step, from the block for the Makefile, stands for the action.
step='make gate'
export GITHUB_STEP_SUMMARY=$work/summary.md
BASE=origin/main bash -euo pipefail -c "$step" >"$work/out" 2>&1 || fail "the first pull request is red"
grep -q "| ScoreAgain | insn/op |.*| new |" "$work/out" || fail "the new benchmark is not listed"
grep -qE "nothing is worse|numbers are not worse" "$work/summary.md" || fail "the job has no summary"
git push -q origin gate:main && git fetch -q

echo "== the pull request that makes something slower is red"
git checkout -q -b slow
sed -i 's/\tsum := float32(0)/&\n\t\tfor j := range 4 {\n\t\t\tsum += float32(j) * 0\n\t\t}/' search.go
git commit -q -a -m "Score more carefully"
if BASE=origin/main bash -euo pipefail -c "$step" >"$work/out" 2>&1; then
	fail "the slower code passes"
fi
grep -q "| Score | insn/op |.*| worse |" "$work/out" || fail "the slower benchmark is not named"
[ -z "$(git status --porcelain)" ] || fail "the tree is not as it was"

echo "== the first push to main is kept"
unset GITHUB_STEP_SUMMARY
git checkout -q main && git merge -q origin/main
while read -r step; do
	BASE=$(printf '0%.0s' {1..40}) bash -euo pipefail -c "$step" >"$work/out" 2>&1 || fail "$step fails"
done < <(sed -n '/^  history:/,$s/^      - run: \(\(make\|go\) .*\)/\1/p' .github/workflows/gate.yml)
git fetch -q origin bench-history
git ls-tree --name-only FETCH_HEAD | grep -q '\.jsonl$' || fail "the history is empty"
echo "rehearse: passed"
