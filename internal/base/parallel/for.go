// Package parallel runs loops in several goroutines and waits for them.
package parallel

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Threads returns the number of goroutines for a threads option: GOMAXPROCS for 0, else the option,
// but at most the larger of 64 and four times the number of CPUs.
func Threads(option int) int {
	if option == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return min(option, max(64, 4*runtime.NumCPU()))
}

// Panic is the value and the stack of a panic in a goroutine of For.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("%v\n\n%s", p.Value, p.Stack) }

// For calls f for each i from 0 to n-1 in up to threads goroutines, numbered from 0 as worker.
// Worker 0 is the calling goroutine. If f panics in one of several workers, the others stop early.
// After all have ended, For panics in the calling goroutine with a *Panic, so that the caller's
// deferred functions run. With one worker, the panic of f passes through.
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
				next.Store(int64(n)) // makes the other workers stop
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
