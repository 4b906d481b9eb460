#!/usr/bin/env bash
#
# Runs every fuzz target for a while: fuzz.sh TIME
set -euo pipefail
cd "$(dirname "$0")/.."

for dir in $(git ls-files '*_test.go' | xargs grep -l '^func Fuzz' | xargs -n 1 dirname | sort -u); do
	if [[ $dir == internal/gen* ]]; then
		continue
	fi
	for target in $(grep -ho '^func Fuzz[A-Za-z0-9_]*' "$dir"/*_test.go | cut -d ' ' -f 2); do
		echo "== $dir $target"
		go -C "$dir" test -run '^$' -fuzz "^$target\$" -fuzztime "$1" -fuzzminimizetime 10x .
	done
done
