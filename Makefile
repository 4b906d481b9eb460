# Plain make lists the targets. demo and test need Go, make and git, and nothing else; what another target needs, it says
# or scripts/install.sh installs (Debian).

SHELL := /bin/bash
GO ?= go
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.7.0
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.8.0
# The packages whose results are promised to be the same everywhere, with their golden hashes.
GOLDEN := ./internal/asm ./internal/store ./internal/elementary ./dense ./quant ./sparse ./pegasos ./pegasos/kernelsvm ./internal/vectors ./spec/verifier
# The trainer's tests of bits, files and byte order, for where all of them would take long.
export BITS := Golden|Bits|Model|Resume|Layouts|Threads

# Real data sets make some tests stricter; without them the tests say so.
ifneq ($(wildcard ../shared/data/a9a),)
export PEGASIMD_DATA ?= $(abspath ../shared/data)
endif

.DEFAULT_GOAL := help
.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{ printf "make %-16s %s\n", $$1, $$2 }'

.PHONY: tools
tools: ## install what make ci needs, on Debian as root
	scripts/install.sh

.PHONY: demo
demo: ## train on the embedded digits and time the kernels, in under a minute
	@GOWORK=off $(GO) run ./internal/demo

.PHONY: build
build: ## build the command into build/
	$(GO) -C cmd/pegasimd build -o ../../build/ .

# Some tests have long forms, most of them with real data: make ci runs them (SHORT=), make test does not.
SHORT ?= -short
LONG := ./dataset ./internal/replace ./modelio ./pegasos/kernelsvm
# The modules beside the root's. The example of the gate is a project of somebody else's.
MODULES = $(filter-out . gate/example,$(shell git ls-files '*go.mod' | xargs -n 1 dirname))

.PHONY: test
test: test-library ## vet and test everything on this machine, each path of its own (under 5 minutes)
	PEGASIMD_ISA=generic $(GO) test -count=1 -short -run '$(BITS)' ./pegasos ./pegasos/kernelsvm
	$(GO) vet $(MODULES:%=./%/...)
	$(GO) test $(SHORT) $(MODULES:%=./%/...)
	GOWORK=off $(GO) -C gate/example vet ./... && GOWORK=off $(GO) -C gate/example test ./...

.PHONY: test-library
test-library: ## vet and test the library alone, with the oldest Go and modules that it may be linked with: its own go.mod's
	GOWORK=off $(GO) vet ./...
	GOWORK=off $(GO) test $$(GOWORK=off $(GO) list ./... | grep -vxF "$$(GOWORK=off $(GO) list $(LONG))")
	GOWORK=off $(GO) test $(SHORT) $(LONG)

.PHONY: generate
generate: ## write the assembly anew
	$(GO) generate ./internal/asm

.PHONY: vectors
vectors: ## write the public test vectors anew (docs/spec.md): a change of theirs is one of what releases promise
	$(GO) test -count=1 -run Golden ./internal/vectors -update

.PHONY: drift
drift: ## fail if the generated files are not what generate writes
	scripts/drift.sh

.PHONY: check
check: ## gofmt, vet for every kind of machine and tag, staticcheck, the modules' requirements, documents
	scripts/check.sh "$(STATICCHECK)"
	$(GO) -C bench run ./pages -check

.PHONY: pages
pages: ## write what is generated of the documents: tables and drawings from docs/records and go list, screens of help, the schema of -json
	$(GO) -C bench run ./pages
	$(GO) -C cmd/pegasimd test -count=1 -run 'HelpPages|ReportSchema' . -update

.PHONY: style
style: ## Go lines over 100 columns, and functions that are long or complex
	scripts/style.sh

.PHONY: vulncheck
vulncheck: ## known vulnerabilities in what every module links (needs the network)
	scripts/with-proxy.sh scripts/vulncheck.sh "$(GOVULNCHECK)"

.PHONY: proxy
proxy: ## install the command, link the library and gate a project, from a module proxy made of this tree (docs/release.md)
	scripts/with-proxy.sh scripts/test-proxy.sh
	scripts/with-proxy.sh scripts/test-gate.sh

.PHONY: tidy
tidy: ## go mod tidy in every module, as if all were published
	scripts/with-proxy.sh scripts/tidy.sh -write

.PHONY: test-beam
test-beam: ## training and scoring on Apache Beam: on its runner in this process, killed and with faults (make test has it)
	$(GO) -C beam vet ./...
	$(GO) -C beam test ./...

.PHONY: beam-check
beam-check: ## the same with 20 kills of each kind, 400 jobs in a process, and real sets on every path (5 minutes)
	PEGASIMD_BEAM_KILLS=20 PEGASIMD_BEAM_JOBS=400 $(GO) -C beam test -count=1 -timeout 30m -v \
		-run 'Killed|ManyJobs' ./engine ./cmd/pegasimd-beam
	$(GO) -C beam test -count=1 -timeout 30m -v -run RealSets ./rounds -real

.PHONY: test-purego
test-purego: ## the tests without assembly, by either tag
	PEGASIMD_WANT=generic $(GO) test -count=1 -short -tags purego ./internal/asm ./dense ./quant ./sparse ./pegasos ./pegasos/kernelsvm
	PEGASIMD_WANT=generic $(GO) test -count=1 -short -tags noasm ./internal/asm ./internal/store ./dense ./sparse

.PHONY: test-emulated
test-emulated: ## the golden hashes on every architecture: natively or by emulators (scripts/install.sh)
	scripts/test-emulated.sh $(GOLDEN)

.PHONY: test-avx512
test-avx512: ## the vector path that make test does not take: AVX-512 in Bochs, or AVX2 where the machine has AVX-512
	scripts/test-avx512.sh

.PHONY: test-onnx
test-onnx: ## exported models in ONNX Runtime (needs npm)
	scripts/test-onnx.sh

.PHONY: race
race: ## the race detector, over the assembly and over plain Go
	$(GO) test -race -short -timeout 30m ./internal/asm ./dense ./quant ./sparse ./dataset
	$(GO) test -race -short -run '$(BITS)|Shard|Progress|Cancel|Partial' ./pegasos ./pegasos/kernelsvm
	$(GO) -C cmd/pegasimd test -race -short ./...
	$(GO) test -race -short -tags purego ./dense ./sparse
	$(GO) test -race -short -tags purego -run 'Golden|Threads' ./pegasos ./pegasos/kernelsvm

.PHONY: exhaustive
exhaustive: ## tests over all float32 (minutes)
	n=$$(getconf _NPROCESSORS_ONLN); seq 0 $$((n - 1)) | xargs -P $$n -I % env PEGASIMD_LONG=%/$$n \
		$(GO) test -count=1 -timeout 30m -v -run ExpAccuracy ./internal/asm

MUTANTS ?= 60
.PHONY: mutants
mutants: ## plant faults in the generated kernels; each must fail the tests
	$(GO) -C internal/gen run . -dir ../asm -mutants $(MUTANTS)

.PHONY: bench
bench: ## measure every kernel in every path, and training, beside the machine's limit (under 5 minutes); BENCH=-quick for a look
	@mkdir -p build/bench
	$(GO) -C bench build -o ../build/ ./suite
	build/suite -training build/bench/training.json $(BENCH) > build/bench/new.txt
	@mv build/bench/new.txt build/bench/bench.txt
	$(GO) -C bench tool benchstat -col /isa -row /op,/n ../build/bench/bench.txt > build/bench/benchstat.txt
	@echo; echo "build/bench/bench.txt has all numbers, build/bench/benchstat.txt the tables; make report draws them"

.PHONY: report
report: ## draw what make bench and make regress have measured: build/bench/report.html
	@test -f build/bench/bench.txt || $(MAKE) bench
	$(GO) -C bench build -o ../build/ ./report
	build/report

.PHONY: pictures
pictures: ## draw the pictures of the documents, docs/figures/kernels.svg and proof.svg, from what make bench has measured
	@test -f build/bench/bench.txt || $(MAKE) bench
	$(GO) -C bench build -o ../build/ ./report
	build/report -pictures docs/figures

.PHONY: report-check
report-check: ## look at a report in headless Chromium: every figure, light and dark, wide and narrow
	$(GO) -C bench test -tags chromium -count=1 -v ./report

.PHONY: bench-compare
bench-compare: bench-kernels bench-trainers ## both of these: Pegasimd beside other libraries

.PHONY: bench-kernels
bench-kernels: ## the kernels beside other libraries; PEERS=openblas,eigen for those in C, COMPARE=-quick for a look (bench/compare/README.md)
	$(GO) -C bench run -tags '$(PEERS)' ./compare $(COMPARE)

.PHONY: adopt
adopt: ## link the kernels into other projects, run their tests and time them (docs/linking.md); ADOPT="-only hnsw"
	$(GO) -C bench run ./adopt $(ADOPT)

.PHONY: bench-trainers
bench-trainers: ## the trainer beside other libraries; TRAINERS=-quick for a look (bench/trainers/README.md)
	$(GO) -C bench run ./trainers $(TRAINERS)

.PHONY: bench-defaults
bench-defaults: ## what trainers do when nobody sets a flag; DEFAULTS="-sets iris" (bench/defaults/README.md)
	$(GO) -C bench run ./defaults $(DEFAULTS)

.PHONY: test-trainers
test-trainers: ## short runs of the trainers' benchmarks, whose results must agree with each other
	$(GO) -C bench test ./trainers/... ./defaults

BASE ?= origin/main
.PHONY: regress
regress: ## compare the kernels with those of the commit BASE, in instructions and in time (docs/gate.md); REGRESS=flags
	@mkdir -p build/history
	$(GO) -C gate build -o ../build/ .
	build/gate -history build/history -base '$(BASE)' -dir bench -package ./kernels -functions 'internal/asm\.' \
		-copy bench/kernels -limit 10m -time 'Kernels/./n=(100|4096)/isa=[^g]' $(REGRESS)

.PHONY: history-pull history-push
history-pull: ## get what the gate measured in earlier runs into build/history, for make report
	$(GO) -C gate run . history pull
history-push: ## add what make regress has measured to the branch bench-history
	$(GO) -C gate run . history push

.PHONY: regress-selftest
regress-selftest: ## a kernel slowed on purpose is caught, equal code passes 20 times of 20 (3 minutes on 2 idle cores)
	$(GO) -C gate test -tags selftest -run Self -count=1 -timeout 30m -v .

.PHONY: gate-trial
gate-trial: ## try the gate on the Go repository in the folder REPO: FUNC slowed by 3 %, and equal code; TRIAL=flags
	$(GO) -C gate run ./trial -repo '$(abspath $(REPO))' -func '$(FUNC)' $(TRIAL)

.PHONY: models
models: ## llvm-mca's figures for CPUs that are not here (needs Debian's llvm-22)
	$(GO) run ./scripts/mca -mca llvm-mca-22 -objdump llvm-objdump-22

TIME ?= 1m
.PHONY: certificate
certificate: ## hold proofs of random problems against optima found independently, for TIME
	$(GO) test -count=1 -timeout 0 -run '^Test(Newton)?Certificates?$$' -v ./pegasos ./pegasos/kernelsvm -certify $(TIME)

FUZZTIME ?= 1m
.PHONY: fuzz
fuzz: ## run each fuzz target for FUZZTIME
	scripts/fuzz.sh $(FUZZTIME)

# Where CI lacks a program that a test compares with, the test fails; elsewhere it is skipped.
.PHONY: ci
ci: export PEGASIMD_TOOLS := need
ci: export SHORT :=
ci: export FUZZTIME := 30s
ci: ## everything but the benchmarks
	@MAKE='$(MAKE)' scripts/stages.sh check vulncheck proxy test test-onnx test-purego race test-emulated test-avx512 \
		mutants exhaustive report-check regress-selftest certificate fuzz
