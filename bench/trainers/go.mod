module github.com/pegasimd/pegasimd/bench/trainers

go 1.26.0

require (
	github.com/klauspost/cpuid/v2 v2.4.2
	github.com/pegasimd/pegasimd v0.0.0
	golang.org/x/sys v0.47.0
)

replace github.com/pegasimd/pegasimd => ../..
