package rounds

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/visible"
	"github.com/pegasimd/pegasimd/pegasos"
)

// shardHeader is that of a shard's files of a round: its part, whose numbers are int64, and its
// dual variables, which are float32.
type shardHeader struct {
	Of    stamp  `json:"of"`
	Shard int    `json:"shard"`
	State string `json:"state"` // the hash of the state's file that the round began with
	N     int    `json:"n"`
}

// RunShard takes a shard's part in round k: it writes the shard's files of the round, and returns
// its part of the sums. Where the files are there, they are read. A shard without rows gives zeros.
func RunShard(ctx context.Context, dir string, k, shard int) ([]int64, error) {
	s, err := open(dir)
	if err != nil {
		return nil, err
	}
	// Workers have as many shards at a time as there are processors.
	return s.runShard(ctx, k, shard, max(1, runtime.GOMAXPROCS(0)/max(1, len(s.used()))))
}

// RunShardAlone is RunShard in a process that has no other work: with all processors.
func RunShardAlone(ctx context.Context, dir string, k, shard int) ([]int64, error) {
	s, err := open(dir)
	if err != nil {
		return nil, err
	}
	return s.runShard(ctx, k, shard, runtime.GOMAXPROCS(0))
}

func (s *session) runShard(ctx context.Context, k, number, threads int) ([]int64, error) {
	if k < 1 {
		return nil, fmt.Errorf("round %d: rounds are counted from 1", k)
	}
	state, err := s.state(k - 1)
	if err != nil {
		return nil, fmt.Errorf("round %d of shard %d: %w", k, number, err)
	}
	if number < 0 || number >= len(s.manifest.Shards) {
		return nil, fmt.Errorf("there is no shard %d, only 0 to %d", number,
			len(s.manifest.Shards)-1)
	}
	h := shardHeader{Of: s.stamp(k), Shard: number, State: state.hash}
	shard, err := s.shard(number)
	if err != nil {
		return nil, err
	}
	if part, err := s.readPart(h); err == nil {
		if _, err := s.readAlpha(h, shard.AlphaLength()); err == nil {
			return part, nil
		}
	}
	alpha, err := s.alphaOf(ctx, state, number, threads, shard)
	if err != nil {
		return nil, err
	}
	part, next, err := shard.Take(ctx, state.RoundState, alpha, threads)
	if err != nil {
		return nil, fmt.Errorf("round %d of shard %d: %w", k, number, err)
	}
	return part, s.write(h, part, next)
}

// alphaOf returns the dual variables that a shard had after the round of a state. If their file is
// damaged or gone, that round is taken once more.
func (s *session) alphaOf(ctx context.Context, state *saved, number, threads int,
	shard *pegasos.RoundShard,
) ([]float32, error) {
	k, n := state.Round, shard.AlphaLength()
	if k == 0 || n == 0 {
		return make([]float32, n), nil
	}
	h := shardHeader{Of: s.stamp(k), Shard: number, State: state.before}
	alpha, failed := s.readAlpha(h, n)
	if failed == nil {
		return alpha, nil
	}
	before, err := s.state(k - 1)
	if err == nil && k > 1 {
		h := shardHeader{Of: s.stamp(k - 1), Shard: number, State: before.before}
		alpha, err = s.readAlpha(h, n)
	}
	if err != nil {
		return nil, fmt.Errorf("%w; nor can they be made again: %w", failed, err)
	}
	_, next, err := shard.Take(ctx, before.RoundState, alpha, threads)
	return next, err
}

// write writes the files of a shard's round: the part last, so that where it is, both are.
func (s *session) write(h shardHeader, part []int64, alpha []float32) error {
	k, number := h.Of.Round, h.Shard
	if len(alpha) > 0 {
		h.N = len(alpha)
		b, err := encode(alphaKind, h, alpha)
		if err == nil {
			err = place(alphaPath(s.dir, k, number), b)
		}
		if err != nil {
			return err
		}
	}
	h.N = len(part)
	b, err := encode(partKind, h, part)
	if err != nil {
		return err
	}
	return place(partPath(s.dir, k, number), b)
}

// readPart reads a shard's part of a round.
func (s *session) readPart(h shardHeader) ([]int64, error) {
	return readNumbers[int64](partPath(s.dir, h.Of.Round, h.Shard), partKind, h)
}

// readAlpha reads n dual variables of a shard; no file holds none.
func (s *session) readAlpha(h shardHeader, n int) ([]float32, error) {
	if n == 0 {
		return nil, nil
	}
	path := alphaPath(s.dir, h.Of.Round, h.Shard)
	alpha, err := readNumbers[float32](path, alphaKind, h)
	if err == nil && len(alpha) != n {
		err = damaged(path)
	}
	return alpha, err
}

// readNumbers reads the numbers of a shard's file.
func readNumbers[T int64 | float32](path, kind string, want shardHeader) ([]T, error) {
	var h shardHeader
	b, _, err := decode(path, kind, &h)
	if err != nil {
		return nil, err
	}
	n := h.N
	if h.N = 0; h != want {
		return nil, fmt.Errorf("%s: %w", visible.Name(path), errForeign)
	}
	if n < 0 || n > len(b) {
		return nil, damaged(path)
	}
	numbers := make([]T, n)
	return numbers, values(path, b, numbers)
}

// Sum adds up the parts of all shards in round k, which processes have written. An error names
// those that are not there.
func Sum(dir string, k int) ([]int64, error) {
	s, err := open(dir)
	if err != nil {
		return nil, err
	}
	state, err := s.state(k - 1)
	if err != nil {
		return nil, err
	}
	var sum []int64
	var failed []error
	for _, shard := range s.used() {
		part, err := s.readPart(shardHeader{Of: s.stamp(k), Shard: shard, State: state.hash})
		if err != nil {
			failed = append(failed, err)
			continue
		}
		if sum, err = Add(sum, part); err != nil {
			return nil, err
		}
	}
	if n := len(failed); n > 0 {
		return nil, fmt.Errorf("round %d lacks the parts of %d of %d shards: %w", k, n,
			len(s.used()), errors.Join(failed[:min(n, 3)]...))
	}
	return sum, nil
}

// Add adds a part to a sum, which is nil at first, and returns it.
func Add(sum, part []int64) ([]int64, error) {
	if sum == nil {
		sum = make([]int64, len(part))
	}
	if len(sum) != len(part) {
		return nil, fmt.Errorf("parts of %d and of %d numbers", len(sum), len(part))
	}
	for j, v := range part {
		sum[j] += v
	}
	return sum, nil
}

// Next commits round k: it writes the state that the sum of the parts makes, and removes the files
// of rounds before the last two.
func Next(dir string, k int, sum []int64) (Report, error) {
	s, err := open(dir)
	if err != nil {
		return Report{}, err
	}
	before, err := s.state(k - 1)
	if err != nil {
		return Report{}, err
	}
	next, err := s.rounds.Next(before.RoundState, sum)
	if err != nil {
		return Report{}, err
	}
	if err := s.writeState(next, before); err != nil {
		return Report{}, err
	}
	s.clear(k)
	return s.report(&saved{RoundState: next}), nil
}

// An Each takes the part of all of the given shards in round k, and returns their sum: each by
// RunShard, in any order, and more than once if need be.
type Each func(ctx context.Context, k int, shards []int) (sum []int64, err error)

// Run drives the rounds of a folder from the last that was committed to their end, and reports each
// of them.
func Run(ctx context.Context, dir string, each Each, progress func(Report)) error {
	s, err := open(dir)
	if err != nil {
		return err
	}
	for {
		state, err := s.newest()
		if err != nil || state.Done {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		began, k := time.Now(), state.Round+1
		sum, err := each(ctx, k, s.used())
		if err != nil {
			return err
		}
		report, err := Next(dir, k, sum)
		if err != nil {
			return err
		}
		report.Seconds = time.Since(began).Seconds()
		if progress != nil {
			progress(report)
		}
	}
}

// InProcess returns an Each that takes the shards in this process, with so many goroutines; 0 is
// one for each processor.
func InProcess(dir string, threads int) Each {
	threads = parallel.Threads(threads)
	return func(ctx context.Context, k int, shards []int) (sum []int64, err error) {
		s, err := open(dir)
		if err != nil {
			return nil, err
		}
		own := max(1, threads/max(1, len(shards)))
		var mu sync.Mutex
		parallel.For(threads, len(shards), func(_, i int) {
			mu.Lock()
			over := err != nil || ctx.Err() != nil
			mu.Unlock()
			if over {
				return
			}
			part, failed := s.runShard(ctx, k, shards[i], own)
			mu.Lock()
			defer mu.Unlock()
			if failed == nil && err == nil {
				sum, failed = Add(sum, part)
			}
			if err == nil {
				err = failed
			}
		})
		if err == nil {
			err = ctx.Err()
		}
		return sum, err
	}
}
