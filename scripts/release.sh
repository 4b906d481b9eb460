#!/usr/bin/env bash
#
# release.sh VERSION, such as v0.1.0, prepares a release in the tree. CONTRIBUTING.md has the other steps.
# Our modules get that version in each other's go.mod and in go.work, and the hashes of it in go.sum, in
# the order in which they require each other: a module's hash is over its go.sum too.
#
# release.sh binaries FOLDER [GOOS/GOARCH...] builds the command of the commit for these systems, or for the
# usual ones. FOLDER, which must not exist, gets an archive and a bill of materials for each, and SHA256SUMS.
# Each program is built twice, in clones at two places with caches of their own, and must have equal bytes.
set -euo pipefail
cd "$(dirname "$0")/.."

version=${1:?usage: release.sh VERSION, or release.sh binaries FOLDER [GOOS/GOARCH...]}
if [ -n "$(git status --porcelain)" ]; then
	echo "release: there are changes that are not committed" >&2
	exit 1
fi

# build OS ARCH builds the command twice and writes the files of one system to $out.
build() {
	local place name=pegasimd-$1-$2 program=pegasimd
	[ "$1" != windows ] || program=pegasimd.exe
	for place in "$work"/{first,second}; do
		rm -rf "$place/cache"
		GOCACHE=$place/cache CGO_ENABLED=0 GOOS=$1 GOARCH=$2 GOAMD64=v1 GOARM64=v8.0 GOFLAGS= \
			go -C "$place/tree/cmd/pegasimd" build -trimpath -ldflags='-s -w' -o "$place/$program" .
	done
	if ! cmp "$work"/{first,second}/"$program"; then
		echo "release: two builds for $1/$2 differ" >&2
		exit 1
	fi
	cp LICENSE "$work/first/"
	tar -C "$work/first" --sort=name --mtime="@$(git log -1 --format=%ct)" --owner=0 --group=0 \
		--numeric-owner --mode=u=rwX,go=rX -cf - "$program" LICENSE | gzip -9n >"$out/$name.tar.gz"
	go run ./scripts/sbom "$work/first/$program" >"$out/$name.cdx.json"
}

if [ "$version" = binaries ]; then
	out=$(realpath -m "${2:?usage: release.sh binaries FOLDER [GOOS/GOARCH...]}")
	mkdir "$out"
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	for place in "$work"/{first,second}; do
		git clone -q . "$place/tree"
	done
	systems=("${@:3}")
	if [ "${#systems[@]}" = 0 ]; then
		systems=({linux,darwin,windows}/{amd64,arm64})
	fi
	for system in "${systems[@]}"; do
		build "${system%/*}" "${system#*/}"
	done
	(cd "$out" && sha256sum ./* >"$work/sums" && sed 's|\./||' "$work/sums" | tee SHA256SUMS)
	exit
fi

if ! [[ $version =~ ^v(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$ ]]; then
	echo "release: $version: want a version such as v0.1.0" >&2
	exit 1
fi
path=github.com/pegasimd/pegasimd
published=(modelio/onnx interop/blas32 beam gate cmd/pegasimd) # after the root; each requires none that follows
for file in go.work $(git ls-files '*go.mod'); do
	sed -i -E "s#^(.*$path[a-z/]*) v[0-9][^ ]*#\1 $version#" "$file"
done
sed -i -E "s#($path/gate@|uses: pegasimd/pegasimd@)v[0-9][^ ]*#\1$version#" docs/gate.md # the text for others to copy
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
