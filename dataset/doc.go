// Package dataset reads examples for training and prediction from files: svmlight (LIBSVM's
// format), CSV, TSV, lines of text or JSON, NumPy's .npy and MNIST's IDX, plain or compressed with
// gzip, and .pgsm, its own binary format, which can be mapped into memory. It writes svmlight, CSV,
// .npy and .pgsm. A set of handwritten digits is embedded.
//
//	set, err := dataset.Read("train.svm.gz", dataset.Options{})
//
// A [Set] is a matrix of float32 features, with a row for each example and a column for each
// feature, and a label for each row. The matrix is dense or sparse: see [Layout].
//
// Files may be hostile: for any content the readers return a Set or an error. Unless LayoutDense,
// Features or an Encoder is set, they allocate memory in proportion to the bytes read. A fault in a
// line of text is a [*SyntaxError]; every other error about a file names the file. The result does
// not depend on the number of threads.
package dataset
