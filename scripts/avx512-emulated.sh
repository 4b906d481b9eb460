#!/usr/bin/env bash
#
# Runs static linux/amd64 test binaries on an emulated CPU with AVX-512
# (F, VL, BW, DQ), for machines whose own CPU lacks it.
#
#   CGO_ENABLED=0 GOARCH=amd64 go test -c -o /tmp/a.test ./a
#   CGO_ENABLED=0 GOARCH=amd64 go test -c -o /tmp/b.test ./b
#   scripts/avx512-emulated.sh /tmp/a.test -test.v
#   scripts/avx512-emulated.sh PEGASIMD_ISA=avx512 /tmp/a.test -test.v -- \
#                              FOO=bar /tmp/b.test -test.run=Dot
#
# Each command is [VAR=value...] BINARY [args...], commands are parted by "--",
# and all of them run one after the other in one boot, also after a failure. A
# folder "testdata" beside a binary is copied with it. PEGASIMD_ISA is passed on
# if it is set; nothing else of the environment is.
#
# Exit code: 0 if all commands ended with 0, else the code of the first that
# did not (128+signal if a signal ended it); 125 if the run itself failed, so
# nothing is known about the tests: something is not installed, the boot or the
# tests did not end in time, or the emulated CPU shows no AVX-512.
#
# Settings, from the environment:
#   AVX512_TIMEOUT  seconds for the boot and all commands together (900)
#   AVX512_MEMORY   MiB of memory of the emulated machine (1024; Bochs' most: 2048)
#   AVX512_CACHE    where the kernel is kept
#                   (${XDG_CACHE_HOME:-$HOME/.cache}/pegasimd/avx512)
#   AVX512_KERNEL   an x86-64 bzImage to boot instead of Debian's cloud kernel
#   AVX512_CPU      Bochs' name of another CPU model (corei7_skylake_x)
#   AVX512_VERBOSE  if not empty: show the kernel's messages, on stderr
#
# Why like this: of what Debian 12 packages only Bochs emulates AVX-512 (neither
# qemu's TCG nor valgrind do). It emulates a whole PC, so this boots Debian's
# cloud kernel from a CD image, with an initramfs that holds nothing but the
# tests and a small init (avx512init). Expect about 12 seconds for the boot and 100
# times the native time for Go code (60 million instructions a second), several
# hundred times for loops of FMAs (7 million YMM or 3 million ZMM ones a second),
# on one emulated core. Each 100 KB of output takes about 2 seconds.
#
# Known gap: Bochs 2.7 loads past the mask in VPMOVSXBD and its like from memory
# with an opmask (https://github.com/bochs-emu/Bochs/issues/2); masked VMOVUPS
# suppresses faults as it should.
set -euo pipefail

readonly me=avx512-emulated
readonly packages='bochs bochs-term bochsbios vgabios isolinux syslinux-common genisoimage cpio'
readonly isolinux=/usr/lib/ISOLINUX/isolinux.bin
readonly ldlinux=/usr/lib/syslinux/modules/bios/ldlinux.c32
readonly bios=/usr/share/bochs/BIOS-bochs-latest
readonly vgabios=/usr/share/vgabios/vgabios.bin

# The model is Skylake-X and not Ice Lake: Bochs 2.7 describes the latter's PKRU
# state wrongly in CPUID leaf 0xD, and Linux does not get through its boot on it.
cpu=${AVX512_CPU:-corei7_skylake_x}
limit=${AVX512_TIMEOUT:-900}
memory=${AVX512_MEMORY:-1024}

# The emulated clock: so many instructions make an emulated second, whatever they
# are. It's about what Bochs reaches on plain code, so that an emulated second is
# near a real one there; floating-point SIMD takes many times longer than it
# shows. So times that tests print say nothing about speed. The kernel gets the
# same number as the TSC's frequency (tsc_early_khz below), since Bochs' TSC counts
# instructions while its CPUID claims 3.5 GHz.
readonly ips=60000000

die() {
	printf '%s: %s\n' "$me" "$*" >&2
	exit 125
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

usage() { sed -n '3,/^set -e/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; }
case ${1-} in
-h | --help)
	usage
	exit 0
	;;
'')
	usage >&2
	exit 125
	;;
esac
[[ $limit =~ ^[1-9][0-9]*$ ]] || die "AVX512_TIMEOUT: not a number of seconds: $limit"
[[ $memory =~ ^[1-9][0-9]{0,3}$ && $memory -le 2048 ]] ||
	die "AVX512_MEMORY: not a number of MiB up to 2048: $memory"

for need in bochs-bin genisoimage cpio "$isolinux" "$ldlinux" "$bios" "$vgabios"; do
	[[ -r $need ]] || command -v "$need" >/dev/null ||
		die "$need is missing; install with: apt-get install -y --no-install-recommends $packages"
done
command -v go >/dev/null || die "go is missing from PATH"

# A new folder for each run, so that runs at the same time do not share one.
bochs_pid='' tail_pid='' drain_pid=''
tmp=$(mktemp -d "${TMPDIR:-/tmp}/$me.XXXXXXXX")
# shellcheck disable=SC2317 # reached by the trap
cleanup() {
	local pid
	for pid in $bochs_pid $tail_pid $drain_pid; do
		# Bochs does not end on SIGTERM.
		kill -KILL "$pid" 2>/dev/null || true
	done
	{ wait || true; } 2>/dev/null
	rm -rf "$tmp"
}
trap cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# --- the kernel ------------------------------------------------------------

# fetch_kernel FILE puts the kernel of Debian's current linux-image-cloud-amd64
# there. The package is only unpacked, not installed: that would touch /boot and
# its boot loader.
fetch_kernel() {
	local to=$1 package work
	work=$(mktemp -d "$tmp/kernel.XXXXXX")
	package=$(apt-cache depends linux-image-cloud-amd64 2>/dev/null |
		awk '$1 == "Depends:" && $2 ~ /^linux-image-/ && p == "" { p = $2 } END { print p }') || true
	[[ -n $package ]] || return 1
	(cd "$work" && apt-get download "$package") >"$tmp/apt.log" 2>&1 || return 1
	dpkg-deb --fsys-tarfile "$work"/*.deb | tar -xO --wildcards './boot/vmlinuz-*' >"$work/vmlinuz" || return 1
	[[ -s $work/vmlinuz ]] || return 1
	# Into the cache under its final name only when whole.
	cp "$work/vmlinuz" "$to.$$" && mv -f "$to.$$" "$to"
	rm -rf "$work"
}

kernel=${AVX512_KERNEL:-}
if [[ -z $kernel ]]; then
	cache=${AVX512_CACHE:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/pegasimd/avx512}
	mkdir -p "$cache"
	kernel=$cache/vmlinuz
	if [[ ! -s $kernel ]]; then
		# The package lists may be missing or tell of a version that's gone.
		fetch_kernel "$kernel" ||
			{ [[ $EUID == 0 ]] && apt-get update >"$tmp/apt.log" 2>&1 && fetch_kernel "$kernel"; } ||
			die "cannot download the kernel package that linux-image-cloud-amd64 depends on; try: apt-get update $(tail -n 1 "$tmp/apt.log" 2>/dev/null || true)"
	fi
fi
[[ -s $kernel ]] || die "no kernel: $kernel"

# --- the initramfs: /init and a folder /jobs/N for each command --------------

root=$tmp/root
mkdir -p "$root/jobs"
(cd "$here/avx512init" &&
	CGO_ENABLED=0 GOOS=linux GOARCH=amd64 GOAMD64=v1 \
		go build -trimpath -ldflags='-s -w' -o "$root/init" .) >&2 ||
	die "cannot build $here/avx512init"

jobs=0
# add_job [VAR=value...] BINARY [args...]
add_job() {
	local dir=$root/jobs/$jobs
	local -a env=(HOME=/tmp TMPDIR=/tmp PATH=/)
	[[ -z ${PEGASIMD_ISA+set} ]] || env+=("PEGASIMD_ISA=$PEGASIMD_ISA")
	while [[ ${1-} =~ ^[A-Za-z_][A-Za-z_0-9]*= ]]; do
		env+=("$1")
		shift
	done
	[[ $# -gt 0 ]] || die "command number $((jobs + 1)) names no binary; commands are parted by one --"
	[[ -f $1 && -r $1 ]] || die "no such file: $1"
	mkdir "$dir"
	cp "$1" "$dir/bin"
	chmod 755 "$dir/bin"
	printf '%s\0' "${1##*/}" "${@:2}" >"$dir/args"
	printf '%s\0' "${env[@]}" >"$dir/env"
	local data
	data=$(dirname "$1")/testdata
	[[ ! -d $data ]] || cp -RL "$data" "$dir/testdata"
	jobs=$((jobs + 1))
}

command=()
for word in "$@" --; do
	if [[ $word == -- ]]; then
		add_job ${command[@]+"${command[@]}"}
		command=()
	else
		command+=("$word")
	fi
done

# Not compressed: reading more from the "CD" is faster than unpacking it on the
# emulated CPU.
(cd "$root" && find . | LC_ALL=C sort | cpio --quiet -o -H newc -R 0:0 >"$tmp/initrd")

# --- the CD image -------------------------------------------------------------

# What the options are for:
#  noxsaves clearcpuid=xsavec,xsaves
#      without these there is NO AVX-512: Bochs 2.7 gives a wrong size for the
#      compacted XSAVE format, at which Linux turns off AVX and all above it
#  tsc=reliable tsc_early_khz=...
#      take the TSC as the clock, at the rate at which Bochs counts it
#  cryptomgr.notests, initcall_blacklist=..., init_on_alloc=0, mitigations=off,
#  nokaslr, clearcpuid=aperfmperf, loglevel=4
#      save 25 seconds of the boot: most by not testing the kernel's ciphers and
#      not checking certificates. Messages cost time too, by the emulated wire
#  reboot=t panic=-1
#      init ends the machine, and the kernel a panic, by a triple fault, at
#      which Bochs exits (reset_on_triple_fault=0)
level=4
[[ -z ${AVX512_VERBOSE:-} ]] || level=7
cat >"$tmp/isolinux.cfg" <<EOF
DEFAULT run
PROMPT 0
LABEL run
KERNEL vmlinuz
INITRD initrd
APPEND console=ttyS0,115200 loglevel=$level reboot=t panic=-1 noxsaves clearcpuid=xsavec,xsaves,aperfmperf tsc=reliable tsc_early_khz=$((ips / 1000)) no_timer_check nokaslr mitigations=off init_on_alloc=0 cryptomgr.notests initcall_blacklist=load_system_certificate_list
EOF
cp "$isolinux" "$tmp/isolinux.bin" # -boot-info-table writes into it
genisoimage -quiet -o "$tmp/cd.iso" \
	-b isolinux.bin -c boot.cat -no-emul-boot -boot-load-size 4 -boot-info-table \
	-graft-points "isolinux.bin=$tmp/isolinux.bin" "isolinux.cfg=$tmp/isolinux.cfg" \
	"ldlinux.c32=$ldlinux" "vmlinuz=$kernel" "initrd=$tmp/initrd" 2>"$tmp/iso.log" ||
	die "genisoimage failed: $(tail -n 1 "$tmp/iso.log")"

# --- the run ------------------------------------------------------------------

# The first serial port is the console, on which init reports; the second has
# only what the tests print. display_library "term" (curses) needs no X server,
# but a reader: see below. Paths are relative to $tmp, where Bochs is started,
# because a bochsrc has no quoting.
cat >"$tmp/bochsrc" <<EOF
config_interface: textconfig
display_library: term
romimage: file=$bios, options=fastboot
vgaromimage: file=$vgabios
cpu: model=$cpu, count=1, ips=$ips, reset_on_triple_fault=0
memory: guest=$memory, host=$memory
clock: sync=none, time0=utc
ata0-master: type=cdrom, path=cd.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=console
com2: enabled=1, mode=file, dev=out
log: bochs.log
panic: action=fatal
error: action=ignore
info: action=ignore
debug: action=ignore
EOF
bochs=(bochs-bin -q -f bochsrc)
# Debian's build has Bochs' debugger, which waits for a command before it starts.
if [[ $(bochs-bin --help 2>&1 || true) == *' -rc '* ]]; then
	echo c >"$tmp/rc"
	bochs+=(-rc rc)
fi
: >"$tmp/console"
: >"$tmp/out"

start=$SECONDS
# setpriv: should this script be killed, no Bochs is left behind.
(cd "$tmp" && TERM=xterm exec setpriv --pdeathsig KILL "${bochs[@]}" </dev/null >screen 2>&1) &
bochs_pid=$!
# Ends by itself after Bochs, with all of the output.
tail -n +1 -s 0.2 -f --pid="$bochs_pid" "$tmp/out" &
tail_pid=$!

# Bochs draws the emulated screen in a terminal that it opens for that and names. If
# nobody reads there, the terminal is full after some minutes, and Bochs waits.
drain() {
	local terminal
	terminal=$(sed -n 's/^Bochs connected to screen "\([^"]*\)".*/\1/p' "$tmp/screen" 2>/dev/null)
	[[ -n $terminal ]] && stty -F "$terminal" raw -echo 2>/dev/null || return 0
	cat "$terminal" >/dev/null 2>&1 &
	drain_pid=$!
}

said() { grep -aq "^avx512init: $1" "$tmp/console"; }

# ticks is the processor time that Bochs has used, in 1/100 s.
ticks() { awk '{ print $14 + $15 }' "/proc/$bochs_pid/stat" 2>/dev/null || echo 0; }

late='' booted='' still='' used=0 moved=$start
while kill -0 "$bochs_pid" 2>/dev/null; do
	[[ -n $drain_pid ]] || drain
	if [[ -z $booted ]] && said up; then
		booted=$((SECONDS - start))
	fi
	if now=$(ticks) && ((now - used >= 100)); then
		used=$now moved=$SECONDS
	elif ((SECONDS - moved >= 60)); then
		still=yes
		kill -KILL "$bochs_pid" 2>/dev/null || true
		break
	fi
	if ((SECONDS - start >= limit)); then
		late=yes
		kill -KILL "$bochs_pid" 2>/dev/null || true
		break
	fi
	sleep 0.3
done
# Bochs' own exit code says nothing: it is 1 after a triple fault.
{ wait "$bochs_pid" || true; } 2>/dev/null
wait "$tail_pid" || true
bochs_pid='' tail_pid='' # the reader of the screen, if any is left, goes with the script

[[ -z ${AVX512_VERBOSE:-} ]] || cat "$tmp/console" >&2

# last_words are the last lines of the console, or else of Bochs, in one line.
last_words() {
	local from=$tmp/console
	[[ -s $from ]] || from=$tmp/bochs.log
	[[ -s $from ]] || from=$tmp/screen
	tail -n 5 "$from" 2>/dev/null | tr -d '\r' | tr -cs '[:print:]' ' ' || true
}

[[ -z $still ]] || die "the emulator stood still for a minute; last: $(last_words)"
if ! said up; then
	[[ -z $late ]] || die "the boot did not finish within $limit s (AVX512_TIMEOUT); last: $(last_words)"
	die "the boot failed (AVX512_VERBOSE=1 shows more); last: $(last_words)"
fi
if said missing; then
	die "the emulated CPU $cpu has no $(sed -n 's/^avx512init: missing //p' "$tmp/console") in /proc/cpuinfo: no test was run"
fi
[[ -z $late ]] || die "booted, but the tests did not end within $limit s (AVX512_TIMEOUT)"
said 'done$' || die "booted, but the tests were not all run; last: $(last_words)"

code=0 ended=0
while read -r _ _ _ job_code; do
	ended=$((ended + 1))
	[[ $code != 0 ]] || code=$job_code
done < <(grep -a '^avx512init: exit [0-9]* [0-9]*$' "$tmp/console")
[[ $ended == "$jobs" ]] || die "$jobs commands, but $ended exit codes: $(last_words)"
printf '%s: %d run, exit %d; boot %s s, in all %s s\n' \
	"$me" "$jobs" "$code" "${booted:-?}" "$((SECONDS - start))" >&2
exit "$code"
