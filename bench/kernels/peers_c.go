//go:build openblas || eigen || numkong || vnni

package main

// addInC adds a peer in C or C++ to the named operation.
func addInC(operation, name string, loop func(n int)) {
	addWay(operation, way{name: name, loop: loop, inC: true})
}

// addInt8TopMany adds a peer in C to the batches of bytes. dots stores the dot products of n rows
// and all queries in int8Batch.scores.
func addInt8TopMany(name string, strip int, dots func(rows []int8, n int)) {
	w := overRows(name, nil, func() {
		int8Batch.rank(len(out), strip, func(first, n int) {
			dots(int8s(rows)[first*batchCols:][:n*batchCols], n)
		})
	})
	w.inC = true
	addWay(int8TopMany.name, w)
}
