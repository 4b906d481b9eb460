module github.com/pegasimd/pegasimd/cmd/pegasimd

go 1.25.0

require (
	github.com/pegasimd/pegasimd v0.0.0
	google.golang.org/protobuf v1.36.12
)

require (
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	golang.org/x/sys v0.47.0 // indirect
)

replace github.com/pegasimd/pegasimd => ../..
