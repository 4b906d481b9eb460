// Package parallel divides work among goroutines, and waits for them.
package parallel

import "sync"

// A Group is a sync.WaitGroup with the method Go, which the standard library has from Go 1.25 on:
// the module's oldest Go is older.
type Group struct{ wg sync.WaitGroup }

// Go calls f in a goroutine that Wait waits for.
func (g *Group) Go(f func()) {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		f()
	}()
}

// Wait waits for all goroutines.
func (g *Group) Wait() { g.wg.Wait() }
