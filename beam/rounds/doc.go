// Package rounds trains over shards in rounds, each a pure function over files:
//
//	alpha-K-S, part-K-S = round K of shard S (alpha-(K-1)-S, state-(K-1))   workers, anywhere
//	state-K             = the next state (state-(K-1), the sum of part-K)   the driver
//
// All of it is in one folder that the driver and the workers share. Files are written beside their
// place and renamed, so that it does not matter how often a part is made, or by whom: its bytes are
// the same. Only the driver writes states, once it has the parts of all shards, and that rename is
// the commit of the round. Running a driver again goes on after the last commit. The files of the
// last two rounds are kept: a state or dual variables that were damaged are made again from the
// round before.
//
//	err := rounds.Start(dir, "shards/manifest.json", cfg)
//	err = rounds.Run(ctx, dir, rounds.InProcess(dir, 0), progress)
//	model, err := rounds.Model(dir)
//
// The arithmetic is package pegasos's: see [pegasos.Rounds]. Parts are sums of integers, which may
// be added in any order. There is nothing of Apache Beam here: a scheduler that only runs processes
// calls [RunShard] in each, and [Sum] and [Next] once they have ended.
package rounds
