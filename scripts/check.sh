#!/usr/bin/env bash
#
# Checks that need no test: formatting, generated files, vet for every kind of machine and tag, staticcheck,
# workflows. check.sh STATICCHECK
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "check: $1" >&2
	exit 1
}
unformatted=$(gofmt -l .)
[ -z "$unformatted" ] || fail "gofmt would change $unformatted"

GOWORK=off go -C internal/gen run . -dir "$work"
for file in "$work"/*; do
	cmp "$file" "internal/asm/${file##*/}" || fail "the generated files are not current: run make generate"
done

# go vet compares the assembly with its declarations, for the architecture in $GOARCH.
# 386 has ints of 32 bits, s390x is big-endian and has no assembly.
for arch in amd64 arm64 386 s390x; do
	GOARCH=$arch CGO_ENABLED=0 go vet ./...
done
GOOS=js GOARCH=wasm go vet ./...
for os in darwin windows freebsd; do
	GOOS=$os go vet ./...
	GOOS=$os go -C cmd/pegasimd vet ./...
done
go vet -tags purego ./...
go vet -tags noasm ./...
GOARCH=arm64 go vet -tags noasm ./...

for module in $(git ls-files '*go.mod' | xargs -n 1 dirname); do
	work_file=
	if [ "$module" = gate/example ]; then
		work_file=off # It stands for a module of another project.
	fi
	GOWORK=$work_file go -C "$module" vet ./...
	GOWORK=$work_file go -C "$module" run "$1" ./...
done
go mod verify >/dev/null
# No other check reads the workflow files before they are pushed.
go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
echo "check: passed"
