// Command bigset writes a large sparse data set in the pgsm format, row by row. Each row has 100
// nonzeros and the length 1. A hidden linear rule gives the labels; about 5 % are then flipped.
//
//	go run ./scripts/bigset [-rows 2500000] [-cols 100000] OUT.pgsm
package main

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/sys/atomicfile"
)

const perRow = 100

func main() {
	rows := flag.Int("rows", 2_500_000, "how many `rows`, of 812 bytes each")
	cols := flag.Int("cols", 100_000, "how many `features`, 1,000 or more")
	flag.Parse()
	if flag.NArg() != 1 || *cols < 10*perRow {
		flag.Usage()
		os.Exit(2)
	}
	err := atomicfile.WriteFile(flag.Arg(0), func(w io.Writer) error {
		return write(w.(io.WriterAt), *rows, *cols)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(w io.WriterAt, rows, cols int) error {
	p, err := dataset.NewPGSMWriter(w, dataset.PGSMShape{
		Layout: dataset.LayoutSparse, Rows: rows, Cols: cols, NNZ: rows * perRow, IndexBase: 1,
	})
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(1, 2))
	rule := make([]int8, cols)
	for j := range rule {
		rule[j] = int8(2*r.IntN(2) - 1)
	}
	idx, val := make([]int32, perRow), make([]float32, perRow)
	for k := range val {
		val[k] = 0.1
	}
	for range rows {
		sum := 0
		for k := range idx { // one from each of perRow equal ranges
			idx[k] = int32(k*(cols/perRow) + r.IntN(cols/perRow))
			sum += int(rule[idx[k]])
		}
		y := float32(1)
		if sum < 0 {
			y = -1
		}
		if r.IntN(20) == 0 {
			y = -y
		}
		if err := p.Append(y, idx, val); err != nil {
			return err
		}
	}
	return p.Close()
}
