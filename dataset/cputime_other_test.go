//go:build !unix

package dataset

func processorSeconds() float64 { return 0 }
