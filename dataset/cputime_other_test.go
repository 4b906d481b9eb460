//go:build !unix

package dataset

// processorSeconds returns 0: the processor time is unknown.
func processorSeconds() float64 { return 0 }
