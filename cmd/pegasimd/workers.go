package main

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// workers returns how many goroutines to divide so many tasks among; 0 threads are all there are.
func workers(threads, tasks int) int {
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return min(threads, tasks)
}

// each calls task for 0 to tasks-1, several at a time, and waits for all.
func each(threads, tasks int, task func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers(threads, tasks) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < tasks; i = int(next.Add(1)) - 1 {
				task(i)
			}
		})
	}
	wg.Wait()
}
