package files

import "io"

const (
	aheadBlocks = 4
	aheadBytes  = 1 << 17
)

type aheadReader struct {
	full   chan aheadBlock
	free   chan []byte
	now    aheadBlock
	rest   []byte // bytes of now to be returned by Read
	failed any    // value with which the goroutine panicked; nil for none
}

type aheadBlock struct {
	bytes []byte
	err   error // after these bytes
}

// Ahead returns a reader of the bytes of r, which a goroutine reads in advance. stop ends the
// goroutine and waits for its end; nothing may be read afterwards.
func Ahead(r io.Reader) (ahead io.Reader, stop func()) {
	a := &aheadReader{full: make(chan aheadBlock, aheadBlocks), free: make(chan []byte, aheadBlocks)}
	for range aheadBlocks {
		a.free <- make([]byte, aheadBytes)
	}
	stopped := make(chan struct{})
	go a.fill(r, stopped)
	return a, func() {
		close(stopped)
		for range a.full {
		}
	}
}

func (a *aheadReader) fill(r io.Reader, stopped chan struct{}) {
	defer close(a.full)
	defer func() { a.failed = recover() }()
	for err := error(nil); err == nil; {
		var b []byte
		select {
		case b = <-a.free:
		case <-stopped:
			return
		}
		n := 0
		for n < len(b) && err == nil {
			var more int
			more, err = r.Read(b[n:])
			n += more
		}
		a.full <- aheadBlock{b[:n], err} // never blocks: full has a place for each block
	}
}

func (a *aheadReader) Read(p []byte) (int, error) {
	for len(a.rest) == 0 {
		if a.now.err != nil {
			return 0, a.now.err
		}
		if b := a.now.bytes; b != nil {
			a.free <- b[:cap(b)] // never blocks: free has a place for each block
		}
		more := false
		if a.now, more = <-a.full; !more {
			panic(a.failed)
		}
		a.rest = a.now.bytes
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}
