// Package spec has the public test vectors that docs/spec.md describes, for tests that run where
// this folder is not at hand.
package spec

import "embed"

// Vectors has the folder "vectors".
//
//go:embed vectors
var Vectors embed.FS
