package main

import (
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/bench/internal/cpu"
	"github.com/pegasimd/pegasimd/bench/internal/frame"
	"github.com/pegasimd/pegasimd/internal/asm"
)

// The operands of the current operation are read from memory as package variables, so the compiler
// can't fold constants into the loops. sink takes single results, because a sum would be a
// dependency chain.
var (
	alpha, sink float32
	x, y, out   []float32
	rows        []float32 // contiguous rows, each as long as x
)

// A way is an implementation of an operation, ours if its name begins with ours.
type way struct {
	name string
	loop func(n int)
	got  func() []float32 // returns the result; nil if operation.got does
	inC  bool             // the loop is in C or C++
}

const (
	ours     = frame.Ours
	readLoop = "read loop"
)

func (w way) isOurs() bool { return strings.HasPrefix(w.name, ours) }

type operation struct {
	name    string
	sizes   []int
	both    bool    // also timed off alignment: operands are vectors
	ten     bool    // one of the ten by which releases are compared
	alpha   float32 // value of the variable alpha in timed calls
	prepare func(n, off int)
	per     func() int // divides the time of a call; nil for 1
	// want returns, before the operation runs, the expected results of got in float64, and the
	// magnitudes to which rounding errors are relative.
	want func() (values, sizes []float64)
	got  func() []float32
	ways []way
}

var operations = append(onFloats, rowsInL1, rowsInL2, rowsInL3, rowsFromMemory, topMany,
	topManyCosine, int8TopMany, pickedByDot, pickedByDistance, pickedByCosine, gemvT, ger, gemm,
	dotSparse, axpySparse)

// may512 reports whether peers may use AVX-512, if they let us choose: only if our path does.
var may512 = asm.Active() == asm.AVX512 || asm.Active() == asm.AVX512x256

// operation is a name up to the first comma.
func addWay(operation string, w way) {
	known := false
	for _, o := range operations {
		if name, _, _ := strings.Cut(o.name, ","); name == operation {
			o.ways, known = append(o.ways, w), true
		}
	}
	if !known {
		log.Fatalf("there is no operation %q for %s", operation, w.name)
	}
}

var inC []string

// operands are at offset off
type table struct {
	*operation
	frame.Grid
	off   int
	sizes []int
	ways  []way
}

// The passes over all cells spread a cell's samples over the run.
const passes = 5

func beside(o options, dir string) error {
	w, core, count := os.Stdout, alone(), passes
	if o.quick {
		count = 1
	}
	tables, failed := tablesOf(o)
	if tables == nil {
		return fmt.Errorf("-only %v matches no table", o.only)
	}
	log.Print("verification has ended")
	began := time.Now()
	var grids []*frame.Grid
	for pass := range count {
		log.Printf("pass %d of %d", pass+1, count)
		for _, t := range tables {
			for i := range t.sizes {
				t.race(i, o.rounds)
			}
		}
	}
	for _, t := range tables {
		grids = append(grids, &t.Grid)
	}
	frame.Head(w, "kernels", core)
	fmt.Fprintf(w, "%s; our path: %v; caches: %v\n", runtime.Version(), asm.Active(), cpu.Sizes())
	for _, peer := range inC {
		fmt.Fprintln(w, "Peer in C:", peer)
	}
	fmt.Fprintf(w, "Method: passes over all cells: %d, in %v; rounds a pass: %d; a sample: about "+
		"%v or,\nif that is longer, a call. Times are 25th percentiles, ratios medians of the rounds' "+
		"ratios.\n", count,
		time.Since(began).Round(time.Second/10), o.rounds, frame.Sample)
	for _, f := range failed {
		fmt.Fprintln(w, "Left out:", f)
	}
	err := errors.Join(frame.WriteCSV(filepath.Join(dir, "peers.csv"), grids), summary(w, tables),
		overview(w, tables))
	for _, t := range tables {
		if err == nil {
			err = t.write(w)
		}
	}
	return errors.Join(err, summary(w, tables))
}

// tablesOf leaves out peers with wrong results, and returns their errors in failed. A wrong result
// of ours ends the program.
func tablesOf(o options) (tables []*table, failed []string) {
	for _, op := range operations {
		for off, suffix := range []string{"", ", one float off"} {
			t := &table{operation: op, Grid: frame.Grid{Title: op.name + suffix}, off: off, sizes: op.sizes}
			if off > 0 && !op.both || !o.only.MatchString(t.Title) {
				continue
			}
			if o.sizes != nil && op.both {
				t.sizes = o.sizes
			} else if o.quick {
				t.sizes = t.sizes[len(t.sizes)/2:][:1]
			}
			for _, n := range t.sizes {
				t.Columns = append(t.Columns, strconv.Itoa(n))
			}
			for _, w := range op.ways {
				err := op.verify(w, t.sizes, off)
				switch {
				case err == nil:
					t.ways, t.Rows = append(t.ways, w), append(t.Rows, w.name)
				case w.isOurs():
					log.Fatalf("%s: %s: %v", t.Title, w.name, err)
				default:
					failed = append(failed, fmt.Sprintf("%s: %s: %v", t.Title, w.name, err))
				}
			}
			t.Races = make([]frame.Race, len(t.sizes))
			for i := range t.Races {
				t.Races[i] = make(frame.Race, len(t.ways))
			}
			tables = append(tables, t)
		}
	}
	return tables, failed
}

// verify compares results with float64, except the read loop's. It compares ours between all code
// paths.
func (o *operation) verify(w way, sizes []int, off int) error {
	if w.got == nil {
		w.got = o.got
	}
	active := asm.Active()
	defer asm.Use(active)
	for _, n := range sizes {
		roundings := ourRoundings
		if !w.isOurs() { // a peer may use a single accumulator
			roundings += math.Sqrt(float64(n))
		}
		once := func() []float32 {
			o.prepare(n, off)
			alpha = -.7
			w.loop(1)
			return slices.Clone(w.got())
		}
		o.prepare(n, off)
		alpha = -.7
		values, bounds := o.want()
		asm.Use(active)
		got := once()
		for i, v := range values {
			if w.name != readLoop && !near(got[i], v, bounds[i], roundings) {
				return fmt.Errorf("size %d: result %d is %v, want %v", n, i, got[i], v)
			}
		}
		for _, isa := range asm.Available() {
			asm.Use(isa)
			if w.isOurs() && !slices.Equal(once(), got) {
				return fmt.Errorf("size %d: path %v gives other bits than path %v", n, isa, active)
			}
		}
	}
	return nil
}

func (t *table) race(i, rounds int) {
	t.prepare(t.sizes[i], t.off)
	alpha = t.alpha
	runtime.GC()
	var loops []func(int)
	for _, w := range t.ways {
		loops = append(loops, w.loop)
	}
	per := 1.
	if t.per != nil {
		per = float64(t.per())
	}
	race := frame.Loops(rounds, loops...)
	for k := range race {
		for _, seconds := range race[k] {
			t.Races[i][k] = append(t.Races[i][k], seconds/per)
		}
	}
}

const ourRoundings = 32.

func near(got float32, want, size, roundings float64) bool {
	return float64(got) == want ||
		math.Abs(float64(got)-want) <= roundings*0x1p-24*size+0x1p-126
}

func fill(v []float32, seed uint64) {
	r := rand.New(rand.NewPCG(seed, uint64(len(v))))
	for i := range v {
		v[i] = 2*r.Float32() - 1
	}
}

func sums(n int, term func(i int) float64) (sum, size float64) {
	for i := range n {
		v := term(i)
		sum, size = sum+v, size+math.Abs(v)
	}
	return sum, size
}

func each(n int, of func(i int) (value, size float64)) (values, sizes []float64) {
	for i := range n {
		v, size := of(i)
		values, sizes = append(values, v), append(sizes, size)
	}
	return values, sizes
}
