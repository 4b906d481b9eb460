package engine

import (
	"context"
	"errors"
	"fmt"
)

// A Part is what work on an item gives.
type Part struct {
	Sum         []int64 // added up over the items; of all items as long, or nil
	Rows, Bytes int64   // that were read, for counters
}

// Work works on an item of a round. It may be called again for the same item, by another process
// and at the same time, and then has to give the same Part and write the same files, each in one
// piece. An error made by Refuse ends the job; after any other one it is tried again.
type Work func(ctx context.Context, arg string, round, item int) (Part, error)

var works = map[string]Work{}

// Register names work, so that other processes of the same program find it: it is for init
// functions.
func Register(name string, w Work) {
	if works[name] != nil {
		panic("engine: " + name + " is registered twice")
	}
	works[name] = w
}

// A refusal is an error that trying again does not mend.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// Refuse returns an error that ends the job at once: the same would happen again.
func Refuse(err error) error {
	if err == nil {
		return nil
	}
	return refusal{err}
}

// do works on an item. What panics is an error.
func do(ctx context.Context, w Work, arg string, round, item int) (r record, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	part, err := w(ctx, arg, round, item)
	var refused refusal
	switch {
	case errors.As(err, &refused):
		return record{refused: refused.Error()}, nil
	case err != nil:
		return record{}, err
	}
	return recordOf(item, part), nil
}
