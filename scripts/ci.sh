#!/usr/bin/env bash
#
# Runs stages, one after the other until one fails, and prints the time of each: ci.sh STAGES... A stage is a
# function of this file or a target of the Makefile. "ci.sh only FUNCTION" runs one function and nothing around it.
set -euo pipefail
cd "$(dirname "$0")/.."

govulncheck=golang.org/x/vuln/cmd/govulncheck@v1.8.0
# The trainer's packages, and their tests of bits, files and byte order: all tests take long without assembly.
trainer=(./pegasos ./pegasos/kernelsvm/... ./internal/train/...)
bits='Golden|Bits|Model|Resume|Layouts|Threads'

# install installs what the stages need beyond Go, make, git and a browser, on Debian and Ubuntu as root.
install() { packages gcc libc6-dev qemu-user nodejs npm liblinear-tools python3 valgrind procps; }

# install_browser installs what report_figures needs. Hosted Ubuntu runners of amd64 have Google Chrome; Ubuntu's
# package chromium installs a snap, which does not run there.
install_browser() {
	packages fonts-dejavu-core
	if ! browser >/dev/null; then
		packages chromium
		browser >/dev/null || no_browser
	fi
}

# browser prints the path of the browser that $CHROMIUM names, or of the first browser that runs. Ubuntu's command
# chromium, which only asks to install the snap, fails here.
browser() {
	local name
	for name in ${CHROMIUM:-chromium google-chrome google-chrome-stable chromium-browser}; do
		if "$name" --version >/dev/null 2>&1; then
			command -v "$name"
			return
		fi
	done
	return 1
}
no_browser() {
	echo "report_figures: no browser runs here: install Chromium or Google Chrome, or name one in CHROMIUM" >&2
	return 1
}

# packages installs the named Debian packages that are missing.
packages() {
	local missing=()
	for package in "$@"; do
		if ! dpkg -s "$package" >/dev/null 2>&1 && ! { [[ $package = @(nodejs|npm) ]] && command -v "${package%js}" >/dev/null; }; then
			missing+=("$package")
		fi
	done
	if [ "${#missing[@]}" -gt 0 ]; then
		apt-get update -qq
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
	fi
}

# purego tests without assembly, with the tags purego and noasm.
purego() {
	export PEGASIMD_WANT=generic
	go test -count=1 -short -tags purego ./internal/asm ./dense ./half ./quant ./sparse
	go test -count=1 -short -tags purego -run "$bits" "${trainer[@]}"
	go test -count=1 -short -tags noasm ./internal/asm ./internal/rows/store ./dense ./sparse
}

# at_once runs COMMAND... WORD for each word of the standard input, as many at a time as there are processors. A line of
# output begins with the word.
at_once() {
	xargs -n 1 | xargs -P "$(nproc)" -I % bash -c 'set -o pipefail; "${@:2}" "$1" 2>&1 | sed -u "s|^|$1: |"' at_once % "$@"
}

emulated() { at_once scripts/emulated.sh <<<"arm64 s390x"; }
emulated_all() { at_once scripts/emulated.sh <<<"386 riscv64 wasm haswell nehalem v3"; }
onnx() { scripts/onnx.sh; }

# race runs the race detector on the callers of the assembly, and on plain Go, whose stores the detector sees.
race() {
	go test -race -short -timeout 30m ./internal/asm ./dense ./half ./quant ./sparse ./dataset
	go test -race -short -run "$bits|Shard|Progress|Cancel|Partial" "${trainer[@]}"
	go test -race -short -tags purego ./dense ./sparse
	go test -race -short -tags purego -run 'Golden|Threads' "${trainer[@]}"
}

# paths tests the trainer on every path of this machine.
paths() {
	local path
	for path in $(go test -count=1 -v -run PathsWanted ./internal/asm | sed -n 's/.*paths tested: \(.*\);.*/\1/p'); do
		echo "== $path"
		PEGASIMD_ISA=$path go test -count=1 -short -run "$bits" ./internal/rows/store "${trainer[@]}"
	done
}

# certificate compares proofs of random problems with independent optima for TIME: the problems from number FROM on, or
# other problems each time. Then both verifiers verify tampered models: all with TAMPERED=1, fewer with a larger number.
certificate() {
	at_once scripts/ci.sh only certify <<<"pegasos: pegasos:Newton pegasos:Descent pegasos:Curves pegasos/kernelsvm: \
		internal/train/rounds:"
	go -C cmd/pegasimd test -count=1 -timeout 1h -v -run '^TestTampered$' . -tampered "${TAMPERED:-9}"
}

certify() { # certify FOLDER:NAME
	go test -count=1 -timeout 0 -run "^Test${1#*:}Certificates?\$" -v "./${1%:*}" -certify "${TIME:-1m}" \
		-certify-from "${FROM:-0}"
}

# exhaustive runs the tests of all float32 values, a share of them on each processor.
exhaustive() {
	local n
	n=$(nproc)
	seq 0 $((n - 1)) | xargs -P "$n" -I % env PEGASIMD_LONG=%/"$n" \
		go test -count=1 -timeout 60m -v -run 'ExpAccuracy|NearestHalves' ./internal/asm
}

# beam_faults trains and scores on Apache Beam with 20 kills of each kind, 400 jobs in a process, and real sets.
beam_faults() {
	PEGASIMD_BEAM_KILLS=20 PEGASIMD_BEAM_JOBS=400 go -C beam test -count=1 -timeout 30m -v \
		-run 'Killed|ManyJobs' ./internal/engine ./cmd/pegasimd-beam
	if [ -n "${PEGASIMD_DATA:-}" ]; then
		go -C beam test -count=1 -timeout 30m -v -run RealSets ./internal/runs -real
	else
		echo "beam_faults: NO REAL SETS: PEGASIMD_DATA is not set" >&2
	fi
}

# gate_selftest runs the gate on slowed kernels, which must fail, and on equal code, which must pass.
gate_selftest() { go -C gate test -tags selftest -run Self -count=1 -timeout 30m -v .; }

# avx512_if_present runs paths if the CPU has AVX-512. The log and the workflow's page say whether it did.
avx512_if_present() {
	local said
	if grep -q avx512dq /proc/cpuinfo; then
		paths
		said="avx512: tested on"
	else
		said="avx512: NOT TESTED: it is missing on"
		echo "::warning title=avx512::not tested by this job: its runner has no AVX-512"
	fi
	said+=$(sed -n 's/^model name.*:/ /p' /proc/cpuinfo | head -n 1)
	echo "$said" | tee -a "${GITHUB_STEP_SUMMARY:-/dev/null}"
}

# report_figures tests the reports of benchmarks and of models in headless Chromium: light and dark, wide and narrow.
report_figures() {
	local path
	path=$(browser) || no_browser
	CHROMIUM=$path go -C bench test -tags chromium -count=1 -v ./report
}

# add_history adds to build/history the lines that the jobs of this workflow run have uploaded.
add_history() {
	local from=${RUNNER_TEMP:?}/gate file
	mkdir -p "$from"
	if ! gh run download "$GITHUB_RUN_ID" --pattern 'gate-*' --dir "$from"; then
		echo "::warning title=gate::no figures are added to the history: none could be downloaded"
	fi
	while read -r file; do
		cat "$file" >>"build/history/${file##*/}"
	done < <(find "$from" -name '*.jsonl')
}

# proxy uses the modules and the gate as others will once they are published (CONTRIBUTING.md).
proxy() {
	scripts/proxy.sh scripts/rehearse.sh
}

# vulncheck looks for known vulnerabilities in what each module links. The database is PEGASIMD_VULNDB or
# https://vuln.go.dev. If it can't be reached, vulncheck prints that nothing was checked, and fails in GitHub Actions
# alone.
vulncheck() { scripts/proxy.sh scripts/ci.sh only vulncheck_modules; }
vulncheck_modules() {
	local db=${PEGASIMD_VULNDB:-https://vuln.go.dev} bin=$PWD/.vulncheck
	GOBIN=$bin GOFLAGS='' go install "$govulncheck"
	for module in $(git ls-files '*go.mod' | xargs -n 1 dirname); do
		if ! (cd "$module" && "$bin/govulncheck" -db "$db" ./...) >"$bin/out" 2>&1; then
			cat "$bin/out" >&2
			if grep -q 'fetching vulnerabilities' "$bin/out"; then
				echo "vulncheck: NOTHING WAS CHECKED: there is no database at $db" >&2
				[ -z "${GITHUB_ACTIONS:-}" ]
				return
			fi
			return 1
		fi
		echo "vulncheck: $module: $(grep -m 1 -i 'vulnerabilities' "$bin/out")"
	done
}

# fuzz runs every fuzz target for FUZZTIME, as many at a time as there are processors.
fuzz() {
	git ls-files '*_test.go' | xargs grep -o '^func Fuzz[A-Za-z0-9_]*' | sed 's|/[^/]*:func | |' | sort -u |
		xargs -P "$(nproc)" -L 1 scripts/ci.sh only fuzz_target
}
fuzz_target() { # fuzz_target FOLDER NAME
	local log
	log=$(mktemp)
	if ! go -C "$1" test -run '^$' -fuzz "^$2\$" -fuzztime "${FUZZTIME:-1m}" -fuzzminimizetime 10x -parallel 1 . >"$log" 2>&1; then
		# On a busy machine Go's fuzzer may end late, and then fails without a failing input.
		if ! grep -q '^ *context deadline exceeded$' "$log" || grep -q 'Failing input\|panic:\|hung\|seed corpus\|--- FAIL: .*/' "$log"; then
			echo "== $1 $2: FAILED"
			cat "$log"
			return 1
		fi
	fi
	echo "== $1 $2: $(grep -o 'execs: [0-9]*' "$log" | tail -n 1)"
}

if [ "${1:-}" = only ]; then
	shift
	"${@:?usage: ci.sh only FUNCTION}"
	exit
fi

: "${1:?usage: ci.sh STAGES..., or ci.sh only FUNCTION}"
TIMEFORMAT='%R %U %S'
table='' sum=0
trap 'printf "%s== %-18s %5d s\n" "$table" together "$sum"' EXIT
for stage in "$@"; do
	if [ "$(type -t "$stage")" = function ]; then
		command=(scripts/ci.sh only "$stage")
	else
		command=("${MAKE:-make}" --no-print-directory "$stage")
	fi
	code=0
	# took gets the times of all processes of the stage; their output goes to the script's stdout and stderr.
	{ took=$({ time "${command[@]}" >&3 2>&4; } 2>&1) || code=$?; } 3>&1 4>&2
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
