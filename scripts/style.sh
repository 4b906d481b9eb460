#!/usr/bin/env bash
#
# Holds all Go files of the tree against scripts/style.
set -euo pipefail
cd "$(dirname "$0")/.."

git ls-files -z --cached --others --exclude-standard '*.go' | xargs -0 go run ./scripts/style
