// Package parallel divides work among goroutines, and waits for them.
package parallel

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Threads returns how many goroutines an option stands for: 0 means GOMAXPROCS. Other numbers are
// limited to what the machine has any use for, 64 or four for each of its processors, whichever is
// more: each goroutine may have memory of its own.
func Threads(option int) int {
	if option == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return min(option, max(64, 4*runtime.NumCPU()))
}

// A Panic is what a worker panicked with, and where.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("%v\n\n%s", p.Value, p.Stack) }

// For calls f with every number below n, each from one of up to threads goroutines, the workers,
// which are numbered from 0: worker 0 is the caller's own. If a worker panics, For does, with a
// *Panic if there are several, when the others have ended: the caller's deferred functions run.
func For(threads, n int, f func(worker, i int)) {
	threads = min(threads, n)
	if threads <= 1 {
		for i := range n {
			f(0, i)
		}
		return
	}
	var next atomic.Int64
	var failed atomic.Pointer[Panic]
	var wg sync.WaitGroup
	work := func(worker int) {
		defer wg.Done()
		defer func() {
			if v := recover(); v != nil {
				failed.CompareAndSwap(nil, &Panic{v, debug.Stack()})
				next.Store(int64(n)) // the others end
			}
		}()
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			f(worker, i)
		}
	}
	wg.Add(threads)
	for worker := 1; worker < threads; worker++ {
		go work(worker)
	}
	work(0)
	wg.Wait()
	if p := failed.Load(); p != nil {
		panic(p)
	}
}
