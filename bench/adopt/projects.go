package main

// A project is one that the kernels are linked into: the smallest patch, and what is timed.
type project struct {
	name    string
	module  string
	version string
	folder  string // of the package, in the module
	imports []string
	edits   []edit
	calls   []call
	theirs  string // benchmarks of theirs that go through the patch, a regular expression
	rows    int    // of a matrix m that is made for the calls, with n elements a row
	setup   string // statements that the benchmark of size n executes before the calls
}

// An edit replaces a piece of one file by calls of ours, or adds a file. Nothing of theirs is
// written down here but names.
type edit struct {
	file string
	fn   string // the body of this function becomes what is in with,
	loop bool   // or only its first loop does
	old  string // or, where fn is empty, this expression does, all over the file
	with string // the replacement, or the text of the new file if fn and old are empty
	uses string // import path of our package that with names; "" if with names none
}

// A call is timed at all sizes: expr is of vectors x and y and a matrix m, with n elements a row.
type call struct {
	name, expr string
	loop       bool // it was a loop in Go
}

// sizes are those that calls are timed at: small ones, and what embeddings have.
var sizes = []int{8, 32, 128, 384, 768, 1536}

const (
	library = "github.com/pegasimd/pegasimd"
	dense   = library + "/dense"
	blas    = library + "/interop/blas32"
)

var projects = []project{
	{
		name: "hnsw", module: "github.com/coder/hnsw", version: "v0.6.1", folder: ".",
		edits: []edit{
			{file: "distance.go", old: "vek32.CosineSimilarity", with: "dense.Cosine", uses: dense},
			{file: "distance.go", fn: "EuclideanDistance", with: "return dense.Distance(a, b)",
				uses: dense},
		},
		imports: []string{"math/rand"},
		setup:   hnswSearch,
		calls: append([]call{
			{name: "cosine", expr: "CosineDistance(x, y)"},
			{name: "Euclidean", expr: "EuclideanDistance(x, y)", loop: true},
		}, hnswSearches...),
		theirs: "^BenchmarkCosineSimilarity$|^Benchmark_HNSW_1536$",
	},
	hnswByRows,
	{
		name: "chromem-go", module: "github.com/philippgille/chromem-go", version: "v0.7.0",
		folder: ".",
		edits: []edit{
			{file: "vector.go", fn: "dotProduct", loop: true,
				with: "dotProduct = dense.Dot(a, b)", uses: dense},
			{file: "vector.go", fn: "normalizeVector", uses: dense,
				with: "res := make([]float32, len(v))\ndense.Normalize(res, v)\nreturn res"},
			{file: "vector.go", fn: "subtractVector", loop: true, with: "dense.Sub(res, a, b)",
				uses: dense},
			{file: "vector.go", fn: "isNormalized", loop: true, with: "sqSum = dense.Dot64(v, v)",
				uses: dense},
		},
		calls: []call{
			{name: "dot", expr: "first(dotProduct(x, y))", loop: true},
			{name: "normalize", expr: "normalizeVector(x)[0]", loop: true},
			{name: "subtract", expr: "subtractVector(x, y)[0]", loop: true},
			{name: "is normalized", expr: "truth(isNormalized(x))", loop: true},
		},
		theirs: "^BenchmarkCollection_Query_NoContent_(100|1000|5000)$",
	},
	{
		name: "weaviate", module: "github.com/weaviate/weaviate", version: "v1.38.0",
		folder: "adapters/repos/db/vector/hnsw/distancer",
		edits: []edit{
			{file: "dot_product_amd64.go", fn: "init", with: "dotProductImplementation = dense.Dot",
				uses: dense},
			{file: "dot_product_arm64.go", fn: "init", with: "dotProductImplementation = dense.Dot",
				uses: dense},
			{file: "l2_amd64.go", fn: "init", with: "l2SquaredImpl = dense.SquaredDistance",
				uses: dense},
			{file: "l2_arm64.go", fn: "init", with: "l2SquaredImpl = dense.SquaredDistance",
				uses: dense},
		},
		calls: []call{
			{name: "dot", expr: "first(NewDotProductProvider().SingleDist(x, y))"},
			{name: "squared L2", expr: "first(NewL2SquaredProvider().SingleDist(x, y))"},
		},
		theirs: "^BenchmarkDist$",
	},
	weaviateByRows,
	{
		name: "genkit", module: "github.com/firebase/genkit/go", version: "v1.4.0",
		folder: "plugins/localvec",
		edits: []edit{
			{file: "localvec.go", fn: "similarity", uses: dense,
				with: "return float64(dense.Cosine(vals1, vals2))"},
		},
		calls:  []call{{name: "cosine", expr: "float32(similarity(x, y))", loop: true}},
		theirs: "^$", // it has none
	},
	{
		name: "spago", module: "github.com/nlpodyssey/spago", version: "v1.1.0",
		folder: "mat/internal/matfuncs",
		edits: []edit{
			{file: "dotprod_amd64.go", fn: "DotProd32", with: "return dense.Dot(x1, x2)",
				uses: dense},
			{file: "dotprod_purego.go", fn: "DotProd32", with: "return dense.Dot(x1, x2)",
				uses: dense},
			{file: "sum_amd64.go", fn: "Sum32", with: "return dense.Sum(x)", uses: dense},
			{file: "sum_purego.go", fn: "Sum32", with: "return dense.Sum(x)", uses: dense},
		},
		calls: []call{
			{name: "dot", expr: "DotProd32(x, y)"},
			{name: "sum", expr: "Sum32(x)"},
		},
		theirs: "^Benchmark(DotProd|Sum)32$",
	},
	{
		name: "gonum", module: "gonum.org/v1/gonum", version: "v0.17.0", folder: "blas/blas32",
		edits: []edit{
			{file: "blas32.go", old: "gonum.Implementation{}", with: "fast.Implementation{}",
				uses: blas},
		},
		calls: []call{
			{name: "Dot", expr: "Dot(Vector{n, 1, x}, Vector{n, 1, y})"},
			{name: "Nrm2", expr: "Nrm2(Vector{n, 1, x})", loop: true},
			{name: "Gemv, 64 rows", expr: "does(func() { Gemv(blas.NoTrans, 1, " +
				"General{64, n, n, m}, Vector{n, 1, x}, 0, Vector{64, 1, z}) })"},
		},
		theirs:  "^$", // they are of double precision
		imports: []string{"gonum.org/v1/gonum/blas"},
		rows:    64,
	},
}
