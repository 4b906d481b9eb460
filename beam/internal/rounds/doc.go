// Package rounds trains over shards in rounds, each a pure function over files:
//
//	alpha-K-S, numbers = round K of shard S (alpha-(K-1)-S, state-(K-1))       workers, anywhere
//	state-K            = the next state (state-(K-1), the sum of the numbers)   the driver
//
// All of it is in one folder that the driver and the workers share. Files are written beside their
// place and renamed, so that it does not matter how often a shard is taken, or by whom: the bytes
// are the same. Only the driver writes states, once it has the numbers of all shards, and that
// rename is the commit of the round. Running a driver again goes on after the last commit. The
// files of the last two rounds are kept: a state or dual variables that were damaged are made again
// from the round before.
//
//	f, err := rounds.Start(dir, "shards/manifest.json", cfg)
//	err = f.Run(ctx, work.InProcess{}, progress)
//	model, err := f.Model()
//
// The arithmetic is that of the module's internal/train/rounds. The numbers are integers, which may
// be added in any order. There is nothing of Apache Beam here.
package rounds
