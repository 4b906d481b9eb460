#!/usr/bin/env bash
#
# Fails if go mod tidy would change a module; tidy.sh -write changes it. Run it by scripts/with-proxy.sh.
#
# A tidy go.sum has lines of our own modules too, which are not in the tree (docs/release.md).
set -euo pipefail

code=0
for module in $(git ls-files '*go.mod' | xargs -n 1 dirname); do
	echo "== go mod tidy in $module"
	go -C "$module" mod tidy
	sums=()
	if [ -f "$module/go.sum" ]; then # a module that requires nothing has none
		sums=("$module/go.sum")
		sed -i '\|^github.com/pegasimd/pegasimd[ /]|d' "${sums[@]}"
	fi
	if [ "${1:-}" = -write ]; then
		cp "$module/go.mod" "${sums[@]}" "$TREE/$module"
	else
		git diff --exit-code -- "$module/go.mod" "${sums[@]}" || code=1
	fi
done
exit "$code"
