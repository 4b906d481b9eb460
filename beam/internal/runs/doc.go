// Package runs trains and verifies models over shards, and keeps each run in a folder that the
// driver and the workers share. Its main type is Folder. A run consists of rounds. Each round is a
// pure function over files:
//
//	alpha-K-S, sums = round K of shard S (alpha-(K-1)-S, state-(K-1))     workers, on any machine
//	state-K         = the next state (state-(K-1), the total of the sums)  the driver
//
// Files are written under a temporary name and renamed. So a shard may be visited repeatedly and by
// several workers: the bytes are the same. Only the driver writes states, once it has the sums of
// all shards; the rename of the state commits the round. A driver that is started again resumes
// after the last commit. The folder keeps the files of the last two rounds: a damaged state or file
// of dual variables is computed again from the round before.
//
//	f, err := runs.Start(dir, "shards/manifest.json", cfg)
//	err = f.Run(ctx, work.InProcess{}, progress)
//	model, err := f.Model()
//
// Package internal/train/rounds defines the computation. The sums are integers, which may be added
// in any order. This package does not import Apache Beam: a work.Runner runs the jobs.
package runs
