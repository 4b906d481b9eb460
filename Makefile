# Plain make lists the targets. demo and test need Go, make and git, and nothing else. On Debian and Ubuntu
# "scripts/ci.sh only install" installs the other programs that ci and weekly need, except the browser of weekly,
# which "scripts/ci.sh only install_browser" installs.

SHELL := /bin/bash
GO ?= go
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.7.0

# Real data sets make some tests stricter; without them the tests say so.
ifneq ($(wildcard ../shared/data/a9a),)
export PEGASIMD_DATA ?= $(abspath ../shared/data)
endif

# Go's test cache does not notice these variables, which are read before a test begins.
ifneq ($(PEGASIMD_ISA)$(GODEBUG),)
export GOFLAGS := $(GOFLAGS) -count=1
endif

.DEFAULT_GOAL := help
.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{ printf "make %-15s %s\n", $$1, $$2 }'

.PHONY: demo
demo: ## train on the embedded digits and time the kernels, in under a minute
	@GOWORK=off $(GO) run ./scripts/demo

SHORT = -short

.PHONY: test
test: ## vet and test the library and the command
	@echo "== vet of the library: it names each package and its tests when it begins with them"
	@GOWORK=off $(GO) vet -v ./...
	@echo "== tests of the library: a line when those of a package have ended, in order of their names"
	@GOWORK=off $(GO) test $(SHORT) -timeout 30m ./...
	@echo "== vet and tests of the command"
	@$(GO) -C cmd/pegasimd vet -v ./...
	@$(GO) -C cmd/pegasimd test $(SHORT) -timeout 30m ./...

# The other modules, except the gate, whose tests measure times and so run alone, and its example,
# which plays somebody else's project. Long tests of the benchmarks fail on a busy machine.
MODULES = $(filter-out . cmd/pegasimd gate gate/example,$(shell git ls-files '*go.mod' | xargs -n 1 dirname))

.PHONY: test-all
test-all: SHORT = # also for its prerequisite
test-all: test ## the same with the long forms, and the other modules: Beam, the gate, benchmarks, the generator
	$(GO) -C gate test -timeout 30m ./...
	$(GO) test -short -timeout 30m $(or $(MODULES:%=./%/...),$(error git lists no modules: run this in a clone))
	GOWORK=off $(GO) -C gate/example test ./...

.PHONY: generate
generate: ## write the assembly, and the test vectors of the specification
	$(GO) generate ./internal/asm
	$(GO) test -count=1 -run Golden ./internal/asm ./spec -update

.PHONY: check
check: ## formatting, generated files, vet for every kind of machine, staticcheck
	scripts/check.sh "$(STATICCHECK)"

.PHONY: tidy
tidy: ## go mod tidy in every module, as if all were published
	scripts/proxy.sh scripts/rehearse.sh tidy -write

.PHONY: mutants
mutants: ## plant 60 faults in the generated kernels, which the tests must see; MUTANTS="6 -match dot"
	$(GO) -C internal/gen test -count=1 -v -timeout 2h -run Mutants . -mutants $(or $(MUTANTS),60)

.PHONY: certificate
certificate: ## hold proofs against independent optima, and verifiers against tampered models; TIME=10m
	TIME=$(or $(TIME),1m) scripts/ci.sh certificate

.PHONY: fuzz
fuzz: ## run each fuzz target; FUZZTIME=10m
	FUZZTIME=$(or $(FUZZTIME),1m) scripts/ci.sh fuzz

.PHONY: bench
bench: ## time every kernel and path beside the machine's limit, and training, in under 2 minutes; BENCH=-quick
	@mkdir -p build/bench
	$(GO) -C bench run ./kernels -dir ../build/bench $(BENCH)

# The newest Go, with its own vectors as peers; SIMD= does without.
SIMD = GOTOOLCHAIN=go1.27.4 GOEXPERIMENT=simd

.PHONY: bench-kernels
bench-kernels: ## time the kernels beside other libraries; PEERS=openblas,eigen for those in C; BENCH='-only TopMany'
	$(SIMD) $(GO) -C bench run -tags '$(PEERS)' ./kernels -peers -dir ../build/bench $(BENCH)

.PHONY: bench-trainers
bench-trainers: ## time the trainer beside others; TRAINERS=-seeds draws studies
	$(GO) -C bench run ./trainers -out ../build/bench $(TRAINERS)

.PHONY: adopt
adopt: ## link the kernels into other projects, run their tests and time them; ADOPT="-only hnsw"
	$(GO) -C bench run ./adopt $(ADOPT)

.PHONY: report
report: ## draw what make bench and make regress have measured: build/bench/report.html
	$(GO) -C bench run ./report -dir ../build/bench

.PHONY: regress
regress: ## has this change made a kernel slower than it is at BASE? (docs/gate.md)
	@mkdir -p build/history
	$(GO) -C gate build -o ../build/ .
	cd bench && ../build/gate -history ../build/history -base '$(or $(BASE),origin/main)' -package ./regress \
		-functions 'internal/asm\.' -limit 10m \
		-time 'Kernels/./n=(100|4096)/isa=[^g]|Rows/./././isa=[^g]' $(REGRESS)

.PHONY: gate-runs
gate-runs: ## gate equal, slower and allocating code of five kinds RUNS times each, and print every number; RUNS=20
	GATE_RUNS='$(or $(RUNS),20)' $(GO) -C gate test -v -run Kinds -timeout 8h .

# A test that compares with a program fails in CI if the program is missing; elsewhere it is skipped.
.PHONY: ci
ci: export PEGASIMD_TOOLS := need
ci: ## what a push runs
	@TIME=2m FROM=1000000000 FUZZTIME=6s MAKE='$(MAKE)' scripts/ci.sh check test-all paths purego emulated race certificate fuzz vulncheck

.PHONY: weekly
weekly: export PEGASIMD_TOOLS := need
weekly: ## the long ones: every float32, other architectures, mutants, the gate's self-test, the proxy, ONNX Runtime; WITHOUT=report_figures
	@TIME=20m TAMPERED=1 FUZZTIME=2m MAKE='$(MAKE)' scripts/ci.sh $(filter-out $(WITHOUT),exhaustive emulated_all mutants \
		gate_selftest proxy onnx report_figures beam_faults certificate fuzz)
