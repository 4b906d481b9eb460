package main

import "github.com/pegasimd/pegasimd/pegasos"

// This file has what -json writes: each report is one object, whose keys are in the tags. Numbers
// that are not known, or not finite, are null.

// A cvReport is what cv writes.
type cvReport struct {
	Metric   string   `json:"metric"` // as -metric has it
	Folds    int      `json:"folds"`
	FoldRows []int    `json:"fold_rows"`
	Rows     int      `json:"rows"`
	Features int      `json:"features"`
	Labels   []string `json:"labels"` // null for numbers to predict
	// MeanSquare is R^2, the mean squared length of the rows as they are scaled, without a bias; 0
	// with -kernel.
	MeanSquare number    `json:"mean_squared_length"`
	Grid       []cvPoint `json:"grid"` // ascending by gamma, and descending by lambda
	Best       cvPoint   `json:"best"`
	Load       float64   `json:"load_seconds"`
	Seconds    float64   `json:"seconds"` // of all runs, side by side
	ISA        string    `json:"isa"`
	Layout     string    `json:"layout"`
	Seed       uint64    `json:"seed"`
	Model      string    `json:"model,omitempty"`
	Hash       string    `json:"model_hash,omitempty"`
	Gap        *number   `json:"model_gap,omitempty"`
	Config     any       `json:"config"` // of the best; what is left out goes by the rows
}

// A cvPoint is a setting that cv tries, and what its runs gave.
type cvPoint struct {
	Gamma     float64   `json:"gamma,omitempty"` // with -kernel, unless the data decide
	Lambda    number    `json:"lambda"`          // with C the mean over the folds, 0 with -kernel
	C         number    `json:"c"`               // with lambda the mean over the folds, 0 with -kernel
	Share     number    `json:"lambda_of_r2"`
	Mean      number    `json:"mean"`
	Spread    number    `json:"spread"` // standard deviation over the folds, of n-1
	Scores    []float64 `json:"scores"` // of each fold
	Objective number    `json:"objective"`
	Gap       number    `json:"gap"`
	Seconds   float64   `json:"train_seconds"` // of all folds

	cfg  pegasos.Config
	best bool
}
