#!/usr/bin/env bash
#
# Looks for known vulnerabilities in what each module links, the standard library included:
# with-proxy.sh scripts/vulncheck.sh GOVULNCHECK, so that each module has the versions that it asks for,
# as where it is installed, and not the workspace's.
#
# The database is https://vuln.go.dev or, if PEGASIMD_VULNDB is set, the one of that address, such as
# file:///path/to/osv-files. Where it can't be reached nothing is checked, which is said and is no failure.
set -euo pipefail
cd "$(dirname "$0")/.."

db=${PEGASIMD_VULNDB:-https://vuln.go.dev}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
GOBIN="$work" GOFLAGS= go install "$1"
for module in $(git ls-files '*go.mod' | xargs -n 1 dirname); do
	if ! (cd "$module" && "$work/govulncheck" -db "$db" ./...) >"$work/out" 2>&1; then
		cat "$work/out" >&2
		if grep -q 'fetching vulnerabilities' "$work/out"; then
			echo "vulncheck: NOTHING WAS CHECKED: there is no database at $db" >&2
			exit 0
		fi
		echo "vulncheck: $module" >&2
		exit 1
	fi
	echo "vulncheck: $module: $(grep -m 1 -i 'vulnerabilities' "$work/out")"
done
