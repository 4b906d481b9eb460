package main

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/pegasimd/pegasimd/internal/sys/atomicfile"
)

// stage is how far the command is, for the signals that stop it.
var stage atomic.Int32

// The stages, and how long a command may go on in each after the first signal.
const (
	working   = iota // what it reads and computes is lost: it stops by itself, or is stopped
	training         // it stops by itself, and the model of that moment is to be written
	finishing        // a model is there, and is written in any case
)

const (
	workingGrace  = 500 * time.Millisecond
	trainingGrace = 5 * time.Second // for a machine that is busy, or a model that is very large
)

// over reports whether a command has had its time to stop.
func over(since time.Duration) bool {
	switch stage.Load() {
	case working:
		return since > workingGrace
	case training:
		return since > trainingGrace
	}
	return false
}

// stopped returns the context's error, unless what is there is to be written all the same.
func (c *call) stopped() error {
	if stage.Load() == finishing {
		return nil
	}
	return c.Err()
}

// catchSignals has the first signal cancel the command, which then has a moment to stop by itself.
// The second one ends it at once. Either way nothing is left of the files that were being written.
// A broken pipe is no signal any more, but an error of writing.
func catchSignals(cancel context.CancelFunc) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signal.Notify(signals, syscall.SIGHUP)
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	go func() {
		<-signals
		start := time.Now()
		cancel()
		tick := time.NewTicker(20 * time.Millisecond)
		for {
			select {
			case <-signals:
				end()
			case <-tick.C:
				if over(time.Since(start)) {
					end()
				}
			}
		}
	}()
}

// end ends the process in the middle of whatever it does.
func end() {
	atomicfile.DiscardAll()
	os.Exit(exitInterrupted)
}
