#!/usr/bin/env bash
#
# Puts the gate into somebody else's project with the blocks that docs/gate.md gives to copy, from nothing to a green
# and then a red pull request. Run it by scripts/with-proxy.sh.
set -euo pipefail

if ! command -v valgrind >/dev/null; then
	echo "test-gate: valgrind is not here: run scripts/install.sh" >&2
	exit 1
fi
tree=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset GITHUB_STEP_SUMMARY
for who in AUTHOR COMMITTER; do
	export "GIT_${who}_NAME=Someone" "GIT_${who}_EMAIL=someone@example.com"
done

# block NAME: the text that the page gives for a file, which must be there once.
block() {
	awk -v name="$1" '
		$0 == "<!-- copy " name " -->" { found++; wait = 1; next }
		wait && /^```/ { wait = 0; inside = 1; next }
		inside && /^```$/ { inside = 0; next }
		inside { print }
		END { exit found != 1 }' "$tree/docs/gate.md" || {
		echo "test-gate: docs/gate.md has not one block for $1" >&2
		exit 1
	}
}
fail() {
	echo "test-gate: $1" >&2
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
grep -q "nothing is worse" "$work/out" || fail "the first run says nothing"

echo "== the pull request that brings the gate is green"
git checkout -q -b gate
block Makefile >Makefile
mkdir -p .github/workflows
block workflow >.github/workflows/gate.yml
(cd "$tree" && go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 "$work/project/.github/workflows/gate.yml")
if grep -E 'uses:' .github/workflows/gate.yml | grep -vE 'uses: [a-z/-]+@[0-9a-f]{40} # v'; then
	fail "the workflow has an action that is not pinned"
fi
# Nothing but a comment changes what is built, so that there is something to measure: a benchmark more.
sed -i 's/^func BenchmarkScore/func BenchmarkScoreAgain(b *testing.B) { BenchmarkScore(b) }\n\n&/' search_test.go
git add -A && git commit -q -m "Add the gate"
# The step of the workflow, as it runs there.
step=$(sed -n '/^  gate:/,/^  history:/s/^      - run: \(make gate.*\)/\1/p' .github/workflows/gate.yml)
export GITHUB_STEP_SUMMARY=$work/summary.md
BASE=origin/main bash -euo pipefail -c "$step" >"$work/out" 2>&1 || fail "the first pull request is red"
grep -q "| ScoreAgain | insn/op |.*| new |" "$work/out" || fail "the new benchmark is not listed"
grep -q "nothing is worse" "$work/summary.md" || fail "the job has no summary"
git push -q origin gate:main && git fetch -q

echo "== the pull request that makes something slower is red"
git checkout -q -b slow
sed -i 's/\tsum := float32(0)/&\n\t\tfor j := range 4 {\n\t\t\tsum += float32(j) * 0\n\t\t}/' search.go
git commit -q -a -m "Score more carefully"
if BASE=origin/main bash -euo pipefail -c "$step" >"$work/out" 2>&1; then
	fail "what is slower is green"
fi
grep -q "| Score | insn/op |.*| worse |" "$work/out" || fail "what is slower is not named"
[ -z "$(git status --porcelain)" ] || fail "the tree is not as it was"

echo "== a push to main is kept"
unset GITHUB_STEP_SUMMARY
git checkout -q main && git merge -q origin/main
while read -r step; do
	BASE=HEAD~1 bash -euo pipefail -c "$step" >"$work/out" 2>&1 || fail "$step fails"
done < <(sed -n '/^  history:/,$s/^      - run: \(\(make\|go\) .*\)/\1/p' .github/workflows/gate.yml)
git fetch -q origin bench-history
git ls-tree --name-only FETCH_HEAD | grep -q '\.jsonl$' || fail "the history is empty"
echo "test-gate: passed"
