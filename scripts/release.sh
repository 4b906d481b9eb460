#!/usr/bin/env bash
#
# Prepares a release in the tree: release.sh VERSION, such as v0.1.0. CONTRIBUTING.md has the rest.
#
# Our modules get that version in each other's go.mod and in go.work, and the hashes of it in go.sum, in
# the order in which they require each other: a module's hash is over its go.sum too.
set -euo pipefail
cd "$(dirname "$0")/.."

version=${1:?usage: release.sh VERSION}
if ! [[ $version =~ ^v(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$ ]]; then
	echo "release: $version is no version" >&2
	exit 1
fi
if [ -n "$(git status --porcelain)" ]; then
	echo "release: there are changes that are not committed" >&2
	exit 1
fi
path=github.com/pegasimd/pegasimd
published=(modelio/onnx interop/blas32 beam gate cmd/pegasimd) # after the root; each requires none that follows
for file in go.work $(git ls-files '*go.mod'); do
	sed -i -E "s#^(.*$path[a-z/]*) v[0-9][^ ]*#\1 $version#" "$file"
done
sed -i -E "s#($path/gate@)v[0-9][^ ]*#\1$version#" docs/gate.md # what others copy
for module in "${published[@]}"; do
	sed -i "\|^$path[ /]|d" "$module/go.sum"
done
for module in "${published[@]}"; do
	# shellcheck disable=SC2016 # expanded by proxy.sh's shell
	KEEP_SUMS=1 scripts/proxy.sh bash -c 'go -C "$0" mod tidy && cp "$0/go.sum" "$TREE/$0/go.sum"' "$module"
done
git diff --stat
echo
echo "Then: make ci, commit, and"
echo "    git tag $version$(printf " && git tag %s/$version" "${published[@]}")"
echo "    git push --atomic origin main $version$(printf " %s/$version" "${published[@]}")"
