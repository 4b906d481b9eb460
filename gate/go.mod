module github.com/pegasimd/pegasimd/gate

go 1.24.0

require (
	github.com/klauspost/cpuid/v2 v2.4.2
	golang.org/x/arch v0.22.0
	golang.org/x/sys v0.41.0
)
