#!/usr/bin/env bash
#
# Trains on a set about 4 times as large as the memory limit, which includes file pages, and prints the disk's speed for
# comparison: beyond-memory.sh FOLDER. FOLDER needs 2.4 GB; the script must be allowed to make a memory cgroup (root, Linux).
set -euo pipefail
dir=$(realpath "${1:?usage: beyond-memory.sh FOLDER}")
cd "$(dirname "$0")/.."
data=$dir/bigset.pgsm limit=$((512 << 20))

go -C cmd/pegasimd build -o "$dir/pegasimd" .
[[ -f $data ]] || go run ./scripts/bigset "$data"
ls -l "$data"

# The cgroup with the limit is a child of the script's own.
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
train() {
	forget
	echo "== train $*"
	GOMEMLIMIT=${memory:-200MiB} limited "$dir/pegasimd" train "$@" "$data" "$dir/bigset.model" || echo "exit code $?"
}

forget
echo "== the disk, from start to end"
limited dd if="$data" of=/dev/null bs=1M 2>&1 | tail -1
for order in "blocks -block 4096" "blocks -block 256" sequential "blocks -block 4096 -in-memory"; do
	train -epochs 3 -lambda 1e-6 -order $order
done
echo "== the same without a limit, all pages in memory"
cat "$data" >/dev/null
"$dir/pegasimd" train -epochs 3 -lambda 1e-6 -order blocks -block 4096 "$data" "$dir/bigset.model"

echo "== 260 MB in 128 MiB, without flags"
data=$dir/smallset.pgsm
[[ -f $data ]] || go run ./scripts/bigset -rows 320000 "$data"
echo $((128 << 20)) >"$group/$file"
memory=60MiB train
