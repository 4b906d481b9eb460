package main

// A setting is a variant of ours: a pegasos.Config in JSON, to which lambda, the seed and the
// length are added. A field that the trainer doesn't have is reported, and the setting left out.
type setting struct {
	name   string
	config string
	epochs bool    // whole ones only
	long   float64 // passes of a run that is made on two threads, once, however long it takes
}

// For two classes. The first one is what users get who choose nothing.
var settings = []setting{
	{name: "Pegasimd", config: `{}`},
	// of rows as they are stored, which here is a random order
	{name: "Pegasimd, blocks", config: `{"order": "blocks"}`},
	{name: "Pegasimd, permutation", config: `{"order": "permutation"}`},
	{name: "Pegasimd, i.i.d.", config: `{"order": "iid"}`},
	{name: "Pegasimd, dual finish", config: `{"finish": "dual"}`, epochs: true},
	{name: "Pegasimd, auto finish", config: `{"finish": "auto"}`, epochs: true},
	{name: "Pegasimd, blocks, auto finish", config: `{"order": "blocks", "finish": "auto"}`,
		epochs: true},
}

// For more than two.
var settingsOfMany = []setting{
	{name: "Pegasimd, one-vs-rest", config: `{}`},
	// 84 passes over the 12,000 rows of a pair of Fashion-MNIST's classes are the million steps of
	// the design's target.
	{name: "Pegasimd, one-vs-one", config: `{"multiclass": "ovo"}`, epochs: true, long: 84},
	{name: "Pegasimd, Crammer-Singer", config: `{"multiclass": "crammer-singer"}`},
}

// What -study combines: of each study, a value of each choice. A value is a part of a
// pegasos.Config in JSON.
var studies = [][]choice{
	{
		{"t0", []value{{"R^2/lambda", `"offset":"r2"`}, {"0", `"offset":"none"`}}},
		{"order", []value{
			{"shuffled, blocks of 64", `"order":"shuffled"`},
			{"shuffled, blocks of 8", `"order":"shuffled","block":8`},
			{"permutation", `"order":"permutation"`},
			{"sequential", `"order":"sequential"`}, {"i.i.d.", `"order":"iid"`},
		}},
		{"average", []value{{"last half", `"average":"last-half"`}, {"none", `"average":"none"`}}},
	},
	{
		{"finish", []value{
			{"none", `"finish":"none"`}, {"dual", `"finish":"dual"`}, {"auto", `"finish":"auto"`},
		}},
		{"average", []value{{"last half", `"average":"last-half"`}, {"none", `"average":"none"`}}},
	},
}

type choice struct {
	name   string
	values []value
}

type value struct{ name, config string }
