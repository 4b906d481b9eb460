#!/usr/bin/env bash
#
# Runs every fuzz target for a while, as many at a time as there are processors: fuzz.sh TIME
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export work time=$1

targets() {
	for dir in $(git ls-files '*_test.go' | xargs grep -l '^func Fuzz' | xargs -n 1 dirname | sort -u); do
		if [[ $dir != internal/gen* ]]; then
			grep -ho '^func Fuzz[A-Za-z0-9_]*' "$dir"/*_test.go | sed "s|^func |$dir |"
		fi
	done
}

# Go's fuzzer may be late to end on a busy machine, and then fails without an input that fails.
late() {
	grep -q '^ *context deadline exceeded$' "$1" && ! grep -q 'Failing input\|panic:\|hung\|seed corpus\|--- FAIL: .*/' "$1"
}

fuzz() {
	local log=$work/${1//\//-}-$2
	if ! go -C "$1" test -run '^$' -fuzz "^$2\$" -fuzztime "$time" -fuzzminimizetime 10x -parallel 1 . >"$log" 2>&1 && ! late "$log"; then
		echo "== $1 $2: FAILED"
		cat "$log"
		return 1
	fi
	echo "== $1 $2: $(grep -o 'execs: [0-9]*' "$log" | tail -n 1)"
}
export -f fuzz late

targets | xargs -P "$(nproc)" -L 1 bash -c 'fuzz "$1" "$2"' fuzz
