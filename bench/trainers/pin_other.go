//go:build !linux

package main

import "time"

type pinning struct{ where string }

func pin() *pinning               { return &pinning{"not pinned"} }
func (p *pinning) hold() error    { return nil }
func (p *pinning) release() error { return nil }

// Elsewhere there is the wall clock only.

var began = time.Now()

func allSeconds() float64     { return time.Since(began).Seconds() }
func processSeconds() float64 { return time.Since(began).Seconds() }
