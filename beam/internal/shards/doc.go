// Package shards cuts data into files of rows, shards, for several workers or machines, and
// describes them in a manifest.
//
//	m, err := shards.Read("shards/manifest.json")
//	part, err := m.Open(3)
//
// Rows are numbered from 0 through all shards. A shard is an ordinary .pgsm file of whole blocks of
// [Block] rows, but for the last rows of all, so that sums over blocks do not depend on how many
// shards there are. A shard may have no rows. The manifest has what has to be known of all rows
// before the first pass: how many there are of which class, bounds on their values, and the
// statistics that the trainer's defaults go by.
package shards
