package parallel

import (
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

func TestFor(t *testing.T) {
	for _, threads := range []int{1, 2, 7} {
		for _, n := range []int{0, 1, 2, 1000} {
			calls := make([]atomic.Int32, n)
			busy := make([]atomic.Int32, threads)
			For(threads, n, func(worker, i int) {
				if busy[worker].Add(1) != 1 {
					t.Errorf("worker %d is two goroutines", worker)
				}
				calls[i].Add(1)
				busy[worker].Add(-1)
			})
			for i := range calls {
				if c := calls[i].Load(); c != 1 {
					t.Errorf("%d threads: %d calls with %d of %d", threads, c, i, n)
				}
			}
		}
	}
}

func TestThreads(t *testing.T) {
	if n := Threads(0); n != runtime.GOMAXPROCS(0) {
		t.Errorf("Threads(0) = %d", n)
	}
	if n := Threads(3); n != 3 {
		t.Errorf("Threads(3) = %d", n)
	}
	if n := Threads(math.MaxInt); n < 64 || n > max(64, 4*runtime.NumCPU()) {
		t.Errorf("Threads(MaxInt) = %d", n)
	}
}

func TestForPanics(t *testing.T) {
	defer func() {
		p, ok := recover().(*Panic)
		if !ok || p.Value != "broken" || !strings.Contains(p.Error(), "TestForPanics.func") {
			t.Errorf("%v", p)
		}
	}()
	For(3, 1000, func(_, i int) {
		if i == 500 {
			panic("broken")
		}
	})
	t.Error("For did not panic")
}
