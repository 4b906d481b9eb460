#!/usr/bin/env bash
#
# Fails unless the generated files are just what the generator writes.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
GOWORK=off go -C internal/gen run . -dir "$work"
mkdir "$work/have"
cp internal/asm/kernels_*_*.go internal/asm/kernels_*.s "$work/have"
rm -f "$work"/have/*_test.go
if ! diff -r -x have "$work" "$work/have"; then
	echo "drift: the generated files are not current: run make generate" >&2
	exit 1
fi
echo "drift: the generated files are current"
