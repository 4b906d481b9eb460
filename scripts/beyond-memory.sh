#!/usr/bin/env bash
#
# Trains on a set about 4 times larger than the memory that it is given, file pages included, and holds the speed against the
# disk's: beyond-memory.sh FOLDER. It needs 2.1 GB there and the right to make a memory cgroup (root, Linux).
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$1 limit=$((512 << 20))
data=$dir/bigset.pgsm bin=$dir/pegasimd

go -C cmd/pegasimd build -o "$(realpath "$dir")/pegasimd" .
[[ -f $data ]] || go run ./scripts/bigset "$data"
sync
ls -l "$data"

# The group is made below the script's own, and has this limit.
if [[ -f /sys/fs/cgroup/cgroup.controllers ]]; then
	group=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)/pegasimd-$$ file=memory.max
else
	group=/sys/fs/cgroup/memory$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)/pegasimd-$$ file=memory.limit_in_bytes
fi
mkdir "$group"
trap 'rmdir "$group"' EXIT
echo $limit >"$group/$file"
limited() { bash -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$group" "$@"; }
forget() { dd of="$data" oflag=nocache conv=notrunc,fdatasync count=0 status=none; } # drops the file's pages

forget
echo "== the disk, read from start to end"
limited dd if="$data" of=/dev/null bs=1M 2>&1 | tail -1
forget
echo "== the disk, read by four at a time"
time (for i in 0 1 2 3; do limited dd if="$data" of=/dev/null bs=1M skip=$((i * 484)) count=484 status=none & done; wait)
forget
echo "== open"
time limited "$bin" convert -h >/dev/null
for order in "-order blocks -block 4096" "-order blocks -block 256" "-order sequential"; do
	for layout in mapped in-memory; do
		flags=$order
		[[ $layout == mapped ]] || { flags="$flags -in-memory"; [[ $order == *4096 ]] || continue; }
		forget
		echo "== $layout: $flags"
		# shellcheck disable=SC2086
		GOMEMLIMIT=200MiB limited "$bin" train -epochs 3 -lambda 1e-6 $flags "$data" "$dir/bigset.model" -json "$dir/run.json" || echo "exit code $?"
		cat "$group"/memory.max_usage_in_bytes "$group"/memory.peak 2>/dev/null || true
	done
done
