#!/usr/bin/env bash
#
# Runs a command as if every module of this tree were published: proxy.sh COMMAND [ARGUMENTS...]
#
# The command runs in a copy of the tree without go.work, and gets our modules from a module proxy,
# the folder to which the go command downloads them from a commit of the same copy. They never reach
# the user's module cache; all other modules come from there. $PROXY is the folder, $VERSION the
# version of our modules, $TREE the tree that was copied.
set -euo pipefail
: "${1:?usage: proxy.sh COMMAND [ARGUMENTS...]}"
cd "$(dirname "$0")/.."

path=github.com/pegasimd/pegasimd
export TREE=$PWD
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
export PROXY=$work/published/cache/download

# The copy has the files that git tracks, except deleted ones, and new files that git does not ignore. Its only commit
# has the tag of each module, and git takes it for the published repository.
mkdir "$work/tree"
git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
	if [ -e "$file" ] || [ -L "$file" ]; then
		printf '%s\0' "$file"
	fi
done | tar -c --no-recursion --null -T - | tar -x -C "$work/tree"
cd "$work/tree"
git init -q
git add -A

# Our modules require one version of each other; go.work has it too, so that a clone needs no proxy.
versions=$(git ls-files '*go.mod' | xargs sed -nE "s|^.*$path[a-z/]* (v[0-9][^ ]*).*|\1|p" | sort -u)
if [ "$(wc -l <<<"$versions")" != 1 ] || [ "$(sed -nE "s|^.*$path[a-z/]* (v[^ ]*) =>.*|\1|p" go.work | sort -u)" != "$versions" ]; then
	echo "proxy: our modules require several versions of each other, or go.work has another:" $versions >&2
	exit 1
fi
export VERSION=$versions
git -c user.name=proxy -c user.email=proxy@localhost commit -q -m "Publish $VERSION"
git config --file "$work/gitconfig" "url.$work/tree.insteadOf" "https://$path"
for file in $(git ls-files '*go.mod'); do
	module=$(sed -n 's/^module //p' "$file") tag=${file%go.mod}$VERSION
	if [[ $module/ == $path/* ]]; then
		git tag "$tag"
		GIT_CONFIG_GLOBAL=$work/gitconfig GOMODCACHE=$work/published GOPROXY=direct GONOSUMDB=$path,$path/* \
			GOFLAGS=-modcacherw GOWORK=off go -C "$work" mod download "$module@$VERSION"
	fi
done

# A module cache with links to the folders of the user's cache, except our modules'.
cache=$(go env GOMODCACHE)
export GOMODCACHE=$work/modules
link() { # link FOLDER EXCEPT links the folders in a folder of the cache, except one
	local entry
	mkdir -p "$cache/$1" "$GOMODCACHE/$1"
	for entry in "$cache/$1"/*; do
		if [ -d "$entry" ] && [ "${entry##*/}" != "$2" ]; then
			ln -s "$entry" "$GOMODCACHE/$1/"
		fi
	done
}
link . github.com
rm -f "$GOMODCACHE/cache"
link github.com pegasimd
link cache/download github.com
rm -f "$GOMODCACHE/cache/download/sumdb"
link cache/download/github.com pegasimd

export GOPROXY="file://$PROXY,$(go env GOPROXY)" GONOSUMDB="$path,$path/*" GOWORK=off
# -mod=mod adds hashes of our modules, which the tree's go.sum cannot have (CONTRIBUTING.md), to the copy's. With -trimpath
# the build cache serves any folder.
export GOFLAGS="$(go env GOFLAGS) -mod=mod -trimpath"
rm -f go.work go.work.sum
if [ -z "${KEEP_SUMS:-}" ]; then
	find . -name go.sum -exec sed -i "\|^$path[ /]|d" {} + # hashes of what was published, not of this tree
fi
git add -A
"$@"
