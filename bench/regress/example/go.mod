module example.com/search

go 1.26.0

require (
	github.com/pegasimd/pegasimd v0.1.0
	github.com/pegasimd/pegasimd/bench v0.1.0
)

require (
	github.com/aclements/go-moremath v0.0.0-20210112150236-f10218a38794 // indirect
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	golang.org/x/arch v0.32.0 // indirect
	golang.org/x/perf v0.0.0-20260908200009-22c9c6c9d4da // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace (
	github.com/pegasimd/pegasimd => ../../..
	github.com/pegasimd/pegasimd/bench => ../..
)

tool github.com/pegasimd/pegasimd/bench/regress
