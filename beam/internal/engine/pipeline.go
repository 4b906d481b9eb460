package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/pegasimd/pegasimd/beam/internal/work"
	"github.com/pegasimd/pegasimd/internal/sys/atomicfile"
)

func pipeline(j work.Job) *beam.Pipeline {
	p, s := beam.NewPipelineWithRoot()
	items := beam.Reshuffle(s, beam.CreateList(s, j.Items))
	parts := beam.ParDo(s, &gather{Work: j.Work, Arg: j.Arg, Round: j.Round}, items)
	beam.ParDo0(s, &writer{Path: j.Out}, beam.Combine(s, &adder{}, parts))
	return p
}

// A gather works on the items of a bundle in FinishBundle, in parallel. FinishBundle does not wait
// for abandoned work: during this call, Beam's harness holds a lock that its loop over requests may
// need.
type gather struct {
	Work, Arg string
	Round     int

	items []int
}

func (g *gather) StartBundle(_ context.Context, _ func([]byte)) { g.items = nil }

func (g *gather) ProcessElement(_ context.Context, item int, _ func([]byte)) {
	g.items = append(g.items, item)
}

func (g *gather) FinishBundle(ctx context.Context, emit func([]byte)) error {
	sum, err := work.Sum(ctx, work.Job{Work: g.Work, Arg: g.Arg, Round: g.Round}, g.items)
	if err != nil {
		return told(err)
	}
	emit(recordOf(g.items, sum))
	return nil
}

// Prefixes by which reason finds messages in runners' errors.
const (
	failed  = "pegasimd work: "
	refused = "pegasimd work, refused: "
)

var reasons = regexp.MustCompile("(" + failed + "|" + refused + ")([^\n\r]*)")

// reason returns the work's error that a runner's error quotes, or else the beginning of the
// runner's error.
func reason(err error) error {
	if found := reasons.FindStringSubmatch(err.Error()); found != nil {
		if found[1] == refused {
			return work.Refuse(errors.New(found[2]))
		}
		return errors.New(found[2])
	}
	const most = 300
	text := regexp.MustCompile(`\s+`).ReplaceAllString(err.Error(), " ")
	return errors.New(text[:min(len(text), most)])
}

func told(err error) error {
	if work.Refused(err) {
		return fmt.Errorf("%s%w", refused, err)
	}
	return fmt.Errorf("%s%w", failed, err)
}

type adder struct{}

func (*adder) CreateAccumulator() []byte            { return nil }
func (*adder) AddInput(a, v []byte) []byte          { return add(a, v) }
func (*adder) MergeAccumulators(a, b []byte) []byte { return add(a, b) }
func (*adder) ExtractOutput(a []byte) []byte        { return a }

type writer struct{ Path string }

func (w *writer) ProcessElement(_ context.Context, sum []byte) error {
	err := atomicfile.WriteFile(w.Path, func(f io.Writer) error {
		_, err := f.Write(sum)
		return err
	})
	if err != nil {
		return told(err)
	}
	return nil
}

func init() {
	register.DoFn3x0[context.Context, int, func([]byte)](&gather{})
	register.DoFn2x1[context.Context, []byte, error](&writer{})
	register.Combiner1[[]byte](&adder{})
	register.Emitter1[[]byte]()
}
