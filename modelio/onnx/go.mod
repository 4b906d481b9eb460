module github.com/pegasimd/pegasimd/modelio/onnx

go 1.26.0

require (
	github.com/pegasimd/pegasimd v0.1.0
	google.golang.org/protobuf v1.36.12
)

require (
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
