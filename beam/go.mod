module github.com/pegasimd/pegasimd/beam

go 1.26.0

require github.com/pegasimd/pegasimd v0.1.0

require golang.org/x/sys v0.49.0 // indirect
