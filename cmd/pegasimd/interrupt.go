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

// stage determines how signals stop the command.
var stage atomic.Int32

const (
	working   = iota // an interruption loses all work
	training         // an interruption ends training, and the model so far is written
	finishing        // one signal does not stop writing a model
)

// Times for which a command may continue after the first signal.
const (
	workingGrace  = 500 * time.Millisecond
	trainingGrace = 5 * time.Second
)

func over(since time.Duration) bool {
	switch stage.Load() {
	case working:
		return since > workingGrace
	case training:
		return since > trainingGrace
	}
	return false
}

// An error of stopped prevents writing outputs.
func (c *call) stopped() error {
	if stage.Load() == finishing {
		return nil
	}
	return c.Err()
}

// catchSignals makes the first signal cancel the command, which then has some time to stop by
// itself; a second signal ends it at once. A broken pipe becomes an error of writing.
func catchSignals(cancel context.CancelFunc) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
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

func end() {
	atomicfile.DiscardAll()
	os.Exit(exitInterrupted)
}
