// Package dataset reads examples for training and prediction from svmlight (LIBSVM), CSV, TSV and IDX files, plain or
// compressed with gzip, and writes svmlight.
//
//	set, err := dataset.Read("train.svm.gz", dataset.Options{})
//
// A [Set] is a matrix of float32 features, a row an example and a column a feature, with one label a row. Its matrix
// is dense or sparse, as asked for or as the share of nonzeros suggests.
//
// Files are taken to be hostile. Whatever they hold, the readers end in a Set or an error, and allocate no more than
// a small multiple of the bytes that they have read. A fault in the text is a [*SyntaxError], which has its place;
// other errors name the file. The result depends on the file and the options alone: not on the machine, nor on the
// number of threads, nor on how the bytes arrive.
package dataset
