package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/bench/internal/frame"
	"github.com/pegasimd/pegasimd/internal/asm"
)

// The operands of the operation at hand. They are variables, so that loops read them as a program
// reads its own, and the compiler folds nothing into the loops. sink takes results one at a time:
// a sum of them would be a chain of additions that hides small differences.
var (
	alpha, sink float32
	x, y, out   []float32
	rows        []float32 // one after the other, each as long as x

	bytesX, bytesY []uint8
)

// times calls f n times. It is inlined with f: each way to call a kernel has a loop of its own, as
// a user's program has.
func times(n int, f func()) {
	for range n {
		f()
	}
}

// A way is one to carry out an operation: ours, whose name begins so, or a peer's.
type way struct {
	name string
	loop func(n int)
	got  func() []float32 // its result, where that is not the operation's
}

const (
	ours     = "Pegasimd"
	sameBits = "our bits in " // begins the name of a peer that promises them
	readLoop = "read loop"
)

func (w way) isOurs() bool { return strings.HasPrefix(w.name, ours) }

// An operation is carried out by us and by peers at several sizes.
type operation struct {
	name    string
	sizes   []int
	both    bool    // also with vectors one float off
	alpha   float32 // while it is timed
	prepare func(n, off int)
	per     func() int // the number of rows of a call; nil for 1
	// want returns what got is to be, in float64, and bounds what is rounded. It is called before
	// the operation.
	want func() (values, sizes []float64)
	got  func() []float32
	ways []way
}

var operations = []*operation{
	&dot, &axpy, &scale, &sum, &sumSquares, &norm, &squaredDistance, &distance, &cosine,
	&cosine64, &halfDot, &uint8Dot, &int8Dot, &rowsInCache, &gemvT, &ger, &gemm,
	&rowsFromMemory, &halfRowsFromMemory, &int8RowsFromMemory, &bitsFromMemory, &pickedRows,
	&dotSparse, &axpySparse,
}

// add adds a peer to the operation of a name.
func add(operation, name string, loop func(n int)) {
	for _, o := range operations {
		if o.name == operation {
			o.ways = append(o.ways, way{name: name, loop: loop})
		}
	}
}

// inC names peers of this build that are not Go modules, whose versions go.mod has.
var inC []string

// A table is of an operation with its operands in one place.
type table struct {
	*operation
	title string
	off   int
	sizes []int
	ways  []way
	races []frame.Race // by size, of all passes
}

// beside times all operations in passes, minutes apart, and writes the tables.
func beside(o options, w io.Writer) error {
	core, passes, cells := alone(), 5, 0
	if o.quick {
		passes = 1
	}
	tables, failed := tablesOf(o)
	for _, t := range tables {
		cells += len(t.sizes)
	}
	bar := progress(float64(100 * passes * cells))
	for range passes {
		for _, t := range tables {
			for i := range t.sizes {
				bar.Describe(fmt.Sprint(t.title, " ", t.sizes[i]))
				t.race(i, o.rounds)
				bar.Add(100)
			}
		}
	}
	bar.Finish()
	frame.Head(w, "kernels", core)
	fmt.Fprintf(w, "%s; our path: %v; peers in C: %q\n", runtime.Version(), asm.Active(), inC)
	fmt.Fprintf(w, "Method: %d passes of %d rounds, %v a sample; the 25th percentile of the times "+
		"and, in brackets the median of the rounds' ratios to the first row\n", passes, o.rounds,
		frame.Sample)
	for _, f := range failed {
		fmt.Fprintln(w, "Left out:", f)
	}
	for _, t := range tables {
		if err := t.write(w); err != nil {
			return err
		}
	}
	count(w, tables)
	return nil
}

// tablesOf verifies every way at the very sizes at which it is timed. A peer that is wrong is left
// out of the table and named.
func tablesOf(o options) (tables []*table, failed []string) {
	for _, op := range operations {
		for off, suffix := range []string{"", ", one float off"} {
			t := &table{operation: op, title: op.name + suffix, off: off, sizes: op.sizes}
			if off > 0 && !op.both || !o.only.MatchString(t.title) {
				continue
			}
			if o.sizes != nil && op.both {
				t.sizes = o.sizes
			} else if o.quick {
				t.sizes = t.sizes[len(t.sizes)/2:][:1]
			}
			t.races = make([]frame.Race, len(t.sizes))
			for _, w := range op.ways {
				err := op.verify(w, t.sizes, off)
				switch {
				case err == nil:
					t.ways = append(t.ways, w)
				case w.isOurs():
					log.Fatalf("%s: %s: %v", t.title, w.name, err)
				default:
					failed = append(failed, fmt.Sprintf("%s: %s: %v", t.title, w.name, err))
				}
			}
			tables = append(tables, t)
		}
	}
	return tables, failed
}

// verify compares one call with float64, and ours with plain Go on each path, to the bit.
func (o *operation) verify(w way, sizes []int, off int) error {
	if w.got == nil {
		w.got = o.got
	}
	defer asm.Use(asm.Active())
	for _, n := range sizes {
		once := func() []float32 {
			o.prepare(n, off)
			alpha = -.7
			w.loop(1)
			return slices.Clone(w.got())
		}
		o.prepare(n, off)
		alpha = -.7
		values, bounds := o.want()
		got := once()
		for i, v := range values {
			if w.name != readLoop && !near(got[i], v, bounds[i]) {
				return fmt.Errorf("result %d of %d is %v, want %v", i, n, got[i], v)
			}
		}
		if strings.HasPrefix(w.name, sameBits) {
			o.ways[0].loop(1)
			if !slices.Equal(o.got(), got) {
				return errors.New("it has other bits than ours")
			}
		}
		for _, isa := range asm.Available() {
			asm.Use(isa)
			if w.isOurs() && !slices.Equal(once(), got) {
				return fmt.Errorf("%v has other bits", isa)
			}
		}
	}
	return nil
}

// race times one pass of the i-th size.
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
	race := frame.Loops(rounds, frame.Sample, loops...)
	if t.races[i] == nil {
		t.races[i] = make(frame.Race, len(race))
	}
	for k := range race {
		for _, seconds := range race[k] {
			t.races[i][k] = append(t.races[i][k], seconds/per)
		}
	}
}

// write writes the table, and under it how many times as long as the best peer our first way takes.
func (t *table) write(w io.Writer) error {
	text := frame.Table{Title: t.title, Head: []string{""}}
	best := []any{"ours by the best peer's"}
	for i := range t.races {
		text.Head = append(text.Head, strconv.Itoa(t.sizes[i]))
		cell := ""
		if ratio, peer := t.behind(i); peer != "" {
			cell = fmt.Sprintf("%.2f, %s", ratio, peer)
		}
		best = append(best, cell)
	}
	for k, way := range t.ways {
		row := []any{way.name}
		for _, r := range t.races {
			ratio, _, _ := r.Ratio(k, 0)
			row = append(row, fmt.Sprintf("%s (%.2f)", frame.Short(r.Seconds(k)), ratio))
		}
		text.Add(row...)
	}
	text.Add(best...)
	return text.Write(w)
}

// behind returns how many times as long as the best peer our first way takes at the i-th size.
func (t *table) behind(i int) (most float64, peer string) {
	us := slices.IndexFunc(t.ways, way.isOurs)
	for k, w := range t.ways {
		ratio, _, _ := t.races[i].Ratio(us, k)
		if ratio > most && !w.isOurs() && w.name != readLoop {
			most, peer = ratio, w.name
		}
	}
	return most, peer
}

// count writes in how many cells of kernels of vectors we are behind the best peer.
func count(w io.Writer, tables []*table) {
	cells, level, far := 0, 0, []string{}
	for _, t := range tables {
		for i, n := range t.sizes {
			ratio, peer := t.behind(i)
			if peer == "" || !t.both {
				continue
			}
			cells++
			if ratio <= 1.05 {
				level++
			} else if ratio > 1.15 {
				far = append(far, fmt.Sprintf("%s %d (%.2f, %s)", t.title, n, ratio, peer))
			}
		}
	}
	fmt.Fprintf(w, "\nOf %d cells of vectors %d are at most 1.05 of the best peer's time, and %d above "+
		"1.15: %s\n", cells, level, len(far), strings.Join(far, "; "))
}

func fill(v []float32, seed uint64) {
	r := rand.New(rand.NewPCG(seed, uint64(len(v))))
	for i := range v {
		v[i] = 2*r.Float32() - 1
	}
}

// sums returns the sum of n terms and that of their absolute values.
func sums(n int, term func(i int) float64) (sum, size float64) {
	for i := range n {
		v := term(i)
		sum, size = sum+v, size+math.Abs(v)
	}
	return sum, size
}

// each returns n values and their sizes, both in float64.
func each(n int, of func(i int) (value, size float64)) (values, sizes []float64) {
	for i := range n {
		v, size := of(i)
		values, sizes = append(values, v), append(sizes, size)
	}
	return values, sizes
}
