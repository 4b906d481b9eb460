// Package dataset reads examples for training and prediction from files: svmlight (LIBSVM's form),
// CSV, TSV, NumPy's .npy and MNIST's IDX, plain or compressed with gzip, and .pgsm, a binary form
// of its own that is mapped into memory. It writes svmlight, CSV, .npy and .pgsm. A set of
// handwritten digits is embedded.
//
//	set, err := dataset.Read("train.svm.gz", dataset.Options{})
//
// A [Set] is a matrix of float32 features, a row an example and a column a feature, with one label
// a row. Its matrix is dense or sparse, as asked for or as the share of nonzeros suggests.
//
// The readers expect hostile files. For any content they return a Set or an error, and allocate at
// most a small multiple of the bytes that they have read. A fault in the text is a [*SyntaxError],
// which says where it is; other errors name the file. The result depends on the file and the
// options alone: not on the machine, nor on the number of threads, nor on how the bytes arrive.
//
// Matrices that are in memory already do not need this package: pegasos.Train takes them.
package dataset
