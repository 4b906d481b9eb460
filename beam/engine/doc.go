// Package engine runs work on numbered items, such as the shards of a round of training, as jobs of
// Apache Beam: on the runner inside this process that Beam brings (Prism), or on any other that
// speaks its protocol.
//
// Work is a pure function over files that every worker sees: it gets strings and numbers, and gives
// int64, which are added. Their sum does not depend on the order, so neither do the results on the
// number of workers, nor on what was tried again.
package engine
