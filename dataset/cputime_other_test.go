//go:build !unix

package dataset

// processorSeconds returns 0 for unknown.
func processorSeconds() float64 { return 0 }
