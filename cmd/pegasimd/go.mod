module github.com/pegasimd/pegasimd/cmd/pegasimd

go 1.26.0

require (
	github.com/klauspost/compress v1.19.2
	github.com/pegasimd/pegasimd v0.1.0
	github.com/pegasimd/pegasimd/modelio/onnx v0.1.0
)

require (
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	golang.org/x/sys v0.49.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)
