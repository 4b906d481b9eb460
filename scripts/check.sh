#!/usr/bin/env bash
#
# What can be checked without running anything: check.sh STATICCHECK
set -euo pipefail
cd "$(dirname "$0")/.."

unformatted=$(gofmt -l .)
if [ -n "$unformatted" ]; then
	echo "check: gofmt would change: $unformatted" >&2
	exit 1
fi

scripts/style.sh

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
	if [ "$module" = gate/example ]; then
		export GOWORK=off # it plays somebody else's module
	else
		unset GOWORK
	fi
	go -C "$module" run "$1" ./... # make test has go vet for this machine
done
unset GOWORK
go mod verify >/dev/null
# The workflow files, which nothing else reads before they are pushed.
go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
echo "check: passed"
