package parallel

import (
	"sync/atomic"
	"testing"
)

func TestGroup(t *testing.T) {
	var n atomic.Int64
	var g Group
	for range 100 {
		g.Go(func() { n.Add(1) })
	}
	g.Wait()
	if n.Load() != 100 {
		t.Errorf("%d of 100 goroutines are done", n.Load())
	}
}
