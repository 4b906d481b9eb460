// Package shards cuts data into files of rows, shards, for several workers or machines, and
// describes them in a manifest.
//
//	m, err := shards.Read("shards/manifest.json")
//	part, err := m.Open(3)
//
// Rows are numbered from 0 through all shards. A shard is an ordinary .pgsm file of whole blocks of
// rounds.Block rows, except for the last block, so that sums over blocks do not depend on the number
// of shards. A shard may have no rows. The manifest has what has to be known of all rows
// before the first pass: how many there are of which class, bounds on their values, and the
// statistics that the trainer's defaults go by.
package shards
