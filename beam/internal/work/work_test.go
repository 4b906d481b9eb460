package work

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

func init() {
	Register("squares", func(_ context.Context, arg string, round, item int) ([]int64, error) {
		return []int64{int64(item * item), int64(round), int64(len(arg))}, nil
	})
	Register("fails", func(_ context.Context, _ string, _, item int) ([]int64, error) {
		if item == 2 {
			return nil, errors.New("no luck")
		}
		return []int64{1}, nil
	})
	Register("panics", func(context.Context, string, int, int) ([]int64, error) {
		panic("out of luck")
	})
	Register("varies", func(_ context.Context, _ string, _, item int) ([]int64, error) {
		return make([]int64, 1+item%2), nil
	})
	Register("hangs", func(context.Context, string, int, int) ([]int64, error) {
		time.Sleep(time.Hour) // ignores its context
		return nil, nil
	})
}

func job(work string, items ...int) Job {
	return Job{Work: work, Arg: "arg", Round: 7, Items: items, Name: "round 7"}
}

func TestInProcess(t *testing.T) {
	sum, err := InProcess{}.Run(context.Background(), job("squares", 1, 2, 4, 9))
	if err != nil || !slices.Equal(sum, []int64{102, 28, 12}) {
		t.Errorf("%v, %v", sum, err)
	}
}

func TestFailures(t *testing.T) {
	for name, want := range map[string]string{"panics": "round 7: panic: out of luck",
		"fails": "round 7: no luck", "varies": " different lengths",
		"nothing": "no work named \"nothing\""} {
		sum, err := InProcess{}.Run(context.Background(), job(name, 1, 2))
		if sum != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", name, sum, err)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err := InProcess{}.Run(ctx, job("hangs", 1, 2, 3))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
