package main

import (
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/pegasimd/pegasimd/bench/internal/frame"
	"github.com/pegasimd/pegasimd/internal/asm"
)

// The operands of the operation at hand. They are variables, so that loops read them as a program
// reads its own, and the compiler folds nothing into the loops. sink takes results one at a time:
// a sum of them would be a chain of additions that hides small differences.
var (
	alpha, sink    float32
	x, y, out      []float32
	rows           []float32 // one after the other, each as long as x
	operandsMemory = aligned(2*longest + 4*page)
)

const longest = 1 << 20 // of the vectors

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
	per     func() int // a call is of so many rows; nil for 1
	// want returns what got is to be, in float64, and bounds what is rounded. It is called before
	// the operation.
	want func() (values, sizes []float64)
	got  func() []float32
	ways []way
}

// A table is of an operation with its operands in one place.
type table struct {
	*operation
	off   int
	sizes []int
	ways  []way
	races []frame.Race // by size, of all passes
}

var operations = []*operation{
	&dot, &axpy, &scale, &sum, &sumSquares, &distance, &cosine, &wholeNumbers,
	&rowsInCache, &rowsFromMemory, &pickedRows, &bytesFromMemory,
	overText("DotSparse, hot", 2048, dotSparse), overText("DotSparse", 1_500_000, dotSparse),
	overText("AxpySparse, hot", 2048, axpySparse), overText("AxpySparse", 1_500_000, axpySparse),
	&gemm, &rankK,
}

// add adds a peer to the operations whose names are this up to a comma.
func add(operation, name string, loop func(n int)) {
	for _, o := range operations {
		if first, _, _ := strings.Cut(o.name, ","); first == operation {
			o.ways = append(o.ways, way{name: name, loop: loop})
		}
	}
}

// beside times all operations in passes, minutes apart, and writes the tables.
func beside(o options, w io.Writer) error {
	core := alone()
	passes := 5
	if o.quick {
		passes = 1
	}
	tables, failed := tablesOf(o)
	cells := 0
	for _, t := range tables {
		cells += len(t.sizes)
	}
	bar := progress(float64(passes*cells) * 100)
	for range passes {
		for _, t := range tables {
			for i, n := range t.sizes {
				bar.Describe(fmt.Sprint(t.title(), " ", n))
				t.race(i, n, o.rounds)
				bar.Add(100)
			}
		}
	}
	bar.Finish()
	frame.Head(w, "kernels", core)
	fmt.Fprintf(w, "%s; our path: %v; peers in C: %q\n", runtime.Version(), asm.Active(), inC)
	fmt.Fprintf(w, "Method: %d passes of %d rounds, %v a sample; the 25th percentile of the times, "+
		"and in brackets the median of the rounds' ratios to the first row\n", passes, o.rounds,
		frame.Sample)
	for _, f := range failed {
		fmt.Fprintln(w, "Left out:", f)
	}
	for _, t := range tables {
		if err := t.write(w); err != nil {
			return err
		}
	}
	return nil
}

// tablesOf verifies every way at the very sizes at which it is timed. A peer that is wrong is left
// out of the table and named.
func tablesOf(o options) (tables []*table, failed []string) {
	for _, op := range operations {
		for off := 0; off < 2 && (off == 0 || op.both); off++ {
			t := &table{operation: op, off: off, ways: op.ways, sizes: op.sizes}
			if !o.only.MatchString(t.title()) {
				continue
			}
			if o.sizes != nil {
				t.sizes = o.sizes
			} else if o.quick {
				t.sizes = t.sizes[len(t.sizes)/2:][:1]
			}
			t.races = make([]frame.Race, len(t.sizes))
			for _, n := range t.sizes {
				t.ways = slices.DeleteFunc(slices.Clone(t.ways), func(w way) bool {
					err := op.verify(w, n, off)
					if err != nil && w.isOurs() {
						log.Fatalf("%s, %d: %s: %v", t.title(), n, w.name, err)
					} else if err != nil {
						failed = append(failed, fmt.Sprintf("%s in %s, %d: %v", w.name, t.title(), n, err))
					}
					return err != nil
				})
			}
			tables = append(tables, t)
		}
	}
	return tables, failed
}

// verify compares one call with float64, and ours with plain Go on each path, to the bit.
func (o *operation) verify(w way, n, off int) error {
	if w.got == nil {
		w.got = o.got
	}
	once := func() []float32 {
		o.prepare(n, off)
		alpha = -.7
		w.loop(1)
		return slices.Clone(w.got())
	}
	o.prepare(n, off)
	alpha = -.7
	values, sizes := o.want()
	got := once()
	if w.name == readLoop {
		return nil
	}
	for i, v := range values {
		if !near(got[i], v, sizes[i]) {
			return fmt.Errorf("result %d is %v, want %v", i, got[i], v)
		}
	}
	if !w.isOurs() {
		return nil
	}
	defer asm.Use(asm.Use(asm.Generic))
	want := once()
	for _, isa := range asm.Available() {
		asm.Use(isa)
		if !slices.Equal(once(), want) {
			return fmt.Errorf("%v and plain Go differ", isa)
		}
	}
	return nil
}

// settle puts the processor into the state in which a Go program usually is: see archsimd_amd64.go.
var settle = func() {}

// race times one pass of the i-th size.
func (t *table) race(i, n, rounds int) {
	t.prepare(n, t.off)
	alpha = t.alpha
	runtime.GC()
	var loops []func(int)
	for _, w := range t.ways {
		loops = append(loops, func(n int) { settle(); w.loop(n) })
	}
	race := frame.Loops(rounds, frame.Sample, loops...)
	if t.races[i] == nil {
		t.races[i] = make(frame.Race, len(race))
	}
	for k := range race {
		for _, seconds := range race[k] {
			if t.per != nil {
				seconds /= float64(t.per())
			}
			t.races[i][k] = append(t.races[i][k], seconds)
		}
	}
}

func (t *table) title() string {
	switch {
	case t.off > 0:
		return t.name + ", one float off"
	case t.both:
		return t.name + ", aligned"
	}
	return t.name
}

func (t *table) write(w io.Writer) error {
	out := frame.Table{Title: t.title(), Head: []string{""}}
	for _, n := range t.sizes {
		out.Head = append(out.Head, strconv.Itoa(n))
	}
	for k, way := range t.ways {
		row := []any{way.name}
		for _, r := range t.races {
			ratio, _, _ := r.Ratio(k, 0)
			row = append(row, fmt.Sprintf("%s (%.2f)", frame.Short(r.Seconds(k)), ratio))
		}
		out.Add(row...)
	}
	t.compare(&out, "ours by the best called from Go", func(w way) bool {
		return !strings.Contains(w.name, " in C")
	})
	t.compare(&out, "ours by the best of all", func(way) bool { return true })
	return out.Write(w)
}

// compare adds a row of how many times as long as the best of some peers our first way takes.
func (t *table) compare(out *frame.Table, name string, is func(way) bool) {
	us := slices.IndexFunc(t.ways, way.isOurs)
	row, found := []any{name}, false
	for _, r := range t.races {
		most, text := 0., ""
		for k, w := range t.ways {
			if w.isOurs() || w.name == readLoop || !is(w) {
				continue
			}
			if ratio, _, _ := r.Ratio(us, k); ratio > most {
				most, found, text = ratio, true, fmt.Sprintf("%.2f, %s", ratio, w.name)
			}
		}
		row = append(row, text)
	}
	if found {
		out.Add(row...)
	}
}

const page = 1024 // floats

// aligned returns n floats that start at a page.
func aligned(n int) []float32 {
	s := make([]float32, n+page)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(s)))%(4*page)) / 4
	return s[skip:][:n:n]
}

func fill(v []float32, seed uint64) {
	r := rand.New(rand.NewPCG(seed, uint64(len(v))))
	for i := range v {
		v[i] = 2*r.Float32() - 1
	}
}

// sums returns the sum of n terms and of their absolute values, to be appended to what is wanted.
func sums(n int, term func(i int) float64) (sum, size float64) {
	for i := range n {
		v := term(i)
		sum, size = sum+v, size+math.Abs(v)
	}
	return sum, size
}

// inC names peers of this build that are not Go modules, whose versions go.mod has.
var inC []string
