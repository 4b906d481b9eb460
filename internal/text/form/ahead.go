package form

import (
	"runtime/debug"

	"github.com/pegasimd/pegasimd/internal/base/parallel"
)

const batchBytes = 1 << 16

const batches = 3

type batch struct {
	rows   []rowAt
	cells  []string
	starts []int
	spent  [][]byte // buffers that later rows do not use
	err    error    // error after the last row; nil if rows may follow
}

type rowAt struct {
	text   string
	line   int
	offset int64 // Reader.Offset after the row
	cells  int   // end of the row in batch.cells
	starts int   // end of the row in batch.starts
}

type readAhead struct {
	full, free chan *batch
	stopped    chan struct{}
	now        *batch
	row        int // row of now that Read returned last; -1 for none
	err        error
	failed     *parallel.Panic
}

// ReadAhead starts a goroutine that reads rows before Read returns them. It does nothing in the
// format JSONL, whose rows may add columns. The caller must call stop before closing the file, must
// not read after stop, and may call Doubts only after io.EOF.
func (r *Reader) ReadAhead() (stop func()) {
	if r.json != nil {
		return func() {}
	}
	a := &readAhead{full: make(chan *batch, batches), free: make(chan *batch, batches),
		stopped: make(chan struct{}), now: &batch{}, row: -1}
	for range batches - 1 {
		a.free <- &batch{}
	}
	r.ahead, r.text.keep = a, true
	go a.fill(r, r.text)
	return func() {
		close(a.stopped)
		for range a.full { // closed when the goroutine has ended
		}
	}
}

func (a *readAhead) fill(r *Reader, in *scanner) {
	defer close(a.full)
	defer func() {
		if v := recover(); v != nil {
			a.failed = &parallel.Panic{Value: v, Stack: debug.Stack()}
		}
	}()
	for {
		var b *batch
		select {
		case b = <-a.free:
		case <-a.stopped:
			return
		}
		b.read(r, in)
		a.full <- b // never blocks: the channel has room for all batches
		if b.err != nil {
			return
		}
	}
}

func (b *batch) read(r *Reader, in *scanner) {
	in.spare, b.spent = append(in.spare, b.spent...), b.spent[:0]
	defer func() { b.spent, in.spent = append(b.spent, in.spent...), in.spent[:0] }()
	b.rows, b.cells, b.starts = b.rows[:0], b.cells[:0], b.starts[:0]
	for size := 0; size < batchBytes; size += len(in.row) + 1 {
		var cells []string
		if cells, b.err = r.next(); b.err != nil {
			return
		}
		b.cells, b.starts = append(b.cells, cells...), append(b.starts, in.starts...)
		b.rows = append(b.rows, rowAt{in.row, in.rowLine, in.offset(), len(b.cells), len(b.starts)})
	}
}

func (a *readAhead) next() ([]string, error) {
	for a.row+1 >= len(a.now.rows) {
		if a.err != nil {
			return nil, a.err
		}
		b, more := <-a.full
		if !more {
			panic(a.failed)
		}
		if a.err = b.err; len(b.rows) > 0 {
			a.free <- a.now
			a.now, a.row = b, -1
		}
	}
	a.row++
	from := 0
	if a.row > 0 {
		from = a.now.rows[a.row-1].cells
	}
	return a.now.cells[from:a.now.rows[a.row].cells], nil
}

func (a *readAhead) offset() int64 { return a.now.rows[a.row].offset }

func (a *readAhead) position(i int, separator byte) (line, column int) {
	row, from := a.now.rows[a.row], 0
	if a.row > 0 {
		from = a.now.rows[a.row-1].starts
	}
	return position(row.text, row.line, a.now.starts[from:row.starts], i, separator)
}
