module github.com/pegasimd/pegasimd/bench

go 1.26.0

require (
	github.com/chromedp/cdproto v0.159.1
	github.com/chromedp/chromedp v0.22.1
	github.com/klauspost/cpuid/v2 v2.4.2
	github.com/pegasimd/pegasimd v0.1.0
	github.com/pegasimd/pegasimd/gate v0.1.0
	github.com/tphakala/simd v1.3.0
	github.com/viterin/vek v0.4.3
	github.com/weaviate/weaviate v1.38.0
	golang.org/x/perf v0.0.0-20260908200009-22c9c6c9d4da
	golang.org/x/sys v0.49.0
	golang.org/x/tools v0.51.0
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/aclements/go-moremath v0.0.0-20210112150236-f10218a38794 // indirect
	github.com/chewxy/math32 v1.10.1 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/viterin/partial v1.1.0 // indirect
	golang.org/x/exp v0.0.0-20260824195058-e88cd73687aa // indirect
)

tool golang.org/x/perf/cmd/benchstat
