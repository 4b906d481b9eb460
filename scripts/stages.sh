#!/usr/bin/env bash
#
# Runs targets of the Makefile, one after the other until one fails, and prints what each took:
# stages.sh TARGETS...
set -uo pipefail
cd "$(dirname "$0")/.."

TIMEFORMAT='%R %U %S'
table='' sum=0
report() {
	printf '%s== %-18s %5d s\n' "$table" together "$sum"
}
trap report EXIT
for stage in "$@"; do
	# The times of all processes of the stage; what they print goes where it went before.
	{ took=$({ time ${MAKE:-make} --no-print-directory "$stage" >&3 2>&4; } 2>&1); } 3>&1 4>&2
	code=$?
	read -r wall user kernel <<<"$took"
	line=$(awk -v stage="$stage" -v wall="$wall" -v user="$user" -v kernel="$kernel" \
		'BEGIN { printf "== %-18s %5d s, %5d s of CPU", stage, wall, user + kernel }')
	echo "$line"
	table+=$line$'\n'
	sum=$((sum + ${wall%.*}))
	if ((code != 0)); then
		echo "$stage: FAILED"
		exit "$code"
	fi
done
