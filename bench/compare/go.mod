module github.com/pegasimd/pegasimd/bench/compare

go 1.26.0

require (
	github.com/ajroetker/go-highway v0.0.12
	github.com/klauspost/cpuid/v2 v2.4.2
	github.com/pegasimd/pegasimd v0.0.0
	github.com/tphakala/simd v1.3.0
	github.com/viterin/vek v0.4.3
	github.com/weaviate/weaviate v1.38.0
	golang.org/x/sys v0.47.0
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/chewxy/math32 v1.10.1 // indirect
	github.com/viterin/partial v1.1.0 // indirect
	golang.org/x/exp v0.0.0-20251113190631-e25ba8c21ef6 // indirect
)

replace github.com/pegasimd/pegasimd => ../..

// go-highway requires a tool of its own that was never published.
exclude github.com/ajroetker/go-highway/hwy/goat v0.0.0
