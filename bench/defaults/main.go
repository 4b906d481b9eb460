// Command defaults compares what trainers do when nobody sets a flag: Pegasimd's command,
// liblinear-train and scikit-learn's linear estimators, on real tables and on made ones.
//
// README.md says what is measured and how.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

type flags struct {
	sets     *regexp.Regexp
	peers    bool
	variants bool
	python   string
	limit    time.Duration
	splits   int
	rounds   int
	trainers *regexp.Regexp
	json     string
	numbers  string
	builds   []string
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "defaults:", err)
		os.Exit(1)
	}
}

func run() error {
	var f flags
	sets := flag.String("sets", "", "only the problems whose names match this `pattern`")
	flag.BoolVar(&f.peers, "peers", true, "run the peers as well")
	flag.BoolVar(&f.variants, "variants", false, "run ours on each problem told otherwise: "+
		"features times .001 and 1000, a constant column, columns permuted, rows shuffled or twice")
	flag.StringVar(&f.python, "python", "/usr/bin/python3", "a `path` of Python with scikit-learn")
	flag.DurationVar(&f.limit, "limit", time.Minute, "the most that a peer may train")
	flag.IntVar(&f.splits, "splits", splits, "the most splits of a problem, from seed 0 on")
	flag.IntVar(&f.rounds, "rounds", 1, "let the trainers learn from each split as many times, in "+
		"turns: the median of the seconds counts")
	trainers := flag.String("trainers", "", "only the trainers whose names match this `pattern`: "+
		timing+" is liblinear's solver by itself, for its seconds")
	flag.StringVar(&f.json, "json", "", "write all results to this `file`")
	flag.StringVar(&f.numbers, "numbers", "-loss squared",
		"the `flags` that tell ours that labels are numbers to predict")
	flag.Func("ours", "a `name=path [flags]` of a build of the command; may be given several times "+
		"(default: the one of this tree)", func(s string) error {
		f.builds = append(f.builds, s)
		return nil
	})
	tables := flag.Bool("tables", false, "print the tables of the files that -json of earlier runs "+
		"wrote, which are the arguments: of equal trainers and problems the last one counts")
	flag.Parse()
	if *tables {
		all, err := readJSON(flag.Args())
		if err == nil {
			report(os.Stdout, append(realProblems(f.python), madeProblems()...), all)
		}
		return err
	}
	var err error
	if f.sets, err = regexp.Compile(*sets); err != nil {
		return err
	}
	if f.trainers, err = regexp.Compile(*trainers); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	dir, err := os.MkdirTemp("", "defaults")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return f.compare(ctx, dir)
}

// compare runs all trainers on all problems and prints the tables.
func (f *flags) compare(ctx context.Context, dir string) error {
	ours, err := f.ours(ctx, dir)
	if err != nil {
		return err
	}
	peers, stop, err := f.others(ctx)
	if err != nil {
		return err
	}
	defer stop()
	var all []result
	problems := append(realProblems(f.python), madeProblems()...)
	for i := range problems {
		p := &problems[i]
		if !f.sets.MatchString(p.name) {
			continue
		}
		splits, err := p.divide()
		if errors.Is(err, errAbsent) {
			fmt.Fprintf(os.Stderr, "left out: %v\n", err)
			continue
		}
		if err != nil {
			return err
		}
		splits = splits[:max(1, min(f.splits, len(splits)))]
		r, err := f.learn(ctx, p, splits, dir, ours, peers)
		if err != nil {
			return err
		}
		all = append(all, r...)
		if f.json != "" {
			if err := writeJSON(f.json, all); err != nil {
				return err
			}
		}
	}
	report(os.Stdout, problems, all)
	return nil
}

// learn runs the trainers on a problem's splits.
func (f *flags) learn(ctx context.Context, p *problem, splits []split, dir string,
	ours, peers []trainer) ([]result, error) {
	var all []result
	trainers := slices.DeleteFunc(slices.Concat(ours, peers), func(t trainer) bool {
		return !f.trainers.MatchString(t.name())
	})
	r, err := each(ctx, p, splits, dir, "", trainers, f.rounds)
	if err != nil {
		return nil, err
	}
	all = append(all, r...)
	if !f.variants {
		return all, nil
	}
	for _, v := range variants {
		changed := make([]split, len(splits))
		for i, s := range splits {
			changed[i] = v.change(p, s)
		}
		if r, err = each(ctx, p, changed, dir, v.name, ours, 1); err != nil {
			return nil, err
		}
		all = append(all, r...)
	}
	return all, nil
}

// each runs trainers on splits, split by split, and returns their means.
func each(ctx context.Context, p *problem, splits []split, dir, variant string,
	trainers []trainer, rounds int) ([]result, error) {
	scores := make([][]*score, len(trainers))
	failed := make([]error, len(trainers))
	for i := range splits {
		w, err := newWork(p, &splits[i], dir)
		if err != nil {
			return nil, err
		}
		of := make([][]*score, len(trainers))
		for range max(1, rounds) {
			for k, t := range trainers {
				if failed[k] != nil {
					continue
				}
				var s *score
				if s, failed[k] = once(ctx, t, w); failed[k] == nil {
					of[k] = append(of[k], s)
				}
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
			}
		}
		for k := range trainers {
			if failed[k] == nil {
				scores[k] = append(scores[k], median(of[k]))
			}
		}
	}
	var all []result
	for k, t := range trainers {
		if errors.Is(failed[k], errNotFor) {
			continue
		}
		r := describe(p, splits, t.name(), variant)
		if failed[k] != nil {
			r.Error, _, _ = strings.Cut(failed[k].Error(), "\n")
			r.score = score{math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(),
				math.NaN()}
		} else {
			r.score = mean(scores[k])
		}
		for i, v := range r.values() {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				r.Mean[kinds[i]] = v
			}
		}
		fmt.Fprintln(os.Stderr, r.line())
		all = append(all, r)
	}
	return all, nil
}

// once lets a trainer learn from a split and rates what it makes of the test rows.
func once(ctx context.Context, t trainer, w *work) (*score, error) {
	made, err := t.predict(ctx, w)
	if err != nil {
		return nil, err
	}
	return made.rate(w)
}

func describe(p *problem, splits []split, trainer, variant string) result {
	s := splits[0]
	r := result{Problem: p.name, Trainer: trainer, Variant: variant, Splits: len(splits),
		Rows: len(s.train.y), Test: len(s.test.y), Cols: s.train.features,
		Mean: map[string]float64{}}
	if !p.numbers {
		known := map[float64]bool{}
		for _, y := range s.train.y {
			known[y] = true
		}
		r.Classes = len(known)
	}
	return r
}

// ours returns the builds of the command, by default one of this tree.
func (f *flags) ours(ctx context.Context, dir string) ([]trainer, error) {
	builds := f.builds
	if builds == nil {
		path := filepath.Join(dir, "pegasimd")
		if _, err := command(ctx, "go", "build", "-o", path,
			"github.com/pegasimd/pegasimd/cmd/pegasimd"); err != nil {
			return nil, err
		}
		builds = []string{"pegasimd=" + path}
	}
	var all []trainer
	for _, b := range builds {
		name, rest, ok := strings.Cut(b, "=")
		words := strings.Fields(rest)
		if !ok || len(words) == 0 {
			return nil, fmt.Errorf("-ours %s: want name=path", b)
		}
		all = append(all, &ours{title: name, path: words[0], flags: words[1:],
			numbers: strings.Fields(f.numbers)})
	}
	return all, nil
}

// others returns the peers that are on this machine.
func (f *flags) others(ctx context.Context) (all []trainer, stop func(), err error) {
	stop = func() {}
	if !f.peers {
		return nil, stop, nil
	}
	if _, err := exec.LookPath("liblinear-train"); err == nil {
		all = append(all, limited{liblinear{"1"}, f.limit}, limited{liblinear{"3"}, f.limit})
	} else {
		fmt.Fprintln(os.Stderr, "left out: liblinear-train (Debian's liblinear-tools)")
	}
	p, err := startPython(ctx, f.python, f.limit)
	if errors.Is(err, errAbsent) {
		fmt.Fprintf(os.Stderr, "left out: %v\n", err)
		f.python = ""
		return all, stop, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, e := range []string{"liblinear-fit", "LinearSVC", "SGDClassifier"} {
		all = append(all, &sklearn{e, false, p})
	}
	for _, e := range []string{"LinearSVR", "Ridge"} {
		all = append(all, &sklearn{e, true, p})
	}
	return all, p.Stop, nil
}

// limited is a trainer that is given up after some time.
type limited struct {
	trainer
	most time.Duration
}

func (l limited) predict(ctx context.Context, w *work) (*prediction, error) {
	ctx, cancel := context.WithTimeout(ctx, l.most)
	defer cancel()
	p, err := l.trainer.predict(ctx, w)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("more than %v", l.most)
	}
	return p, err
}

func writeJSON(name string, all []result) error {
	text, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o666)
}

// readJSON reads what writeJSON has written.
func readJSON(names []string) (all []result, err error) {
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var some []result
		if err := json.Unmarshal(text, &some); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, r := range some {
			r.score = scoreOf(r.Mean)
			same := func(o result) bool {
				return o.Problem == r.Problem && o.Trainer == r.Trainer && o.Variant == r.Variant
			}
			if i := slices.IndexFunc(all, same); i >= 0 {
				all[i] = r
			} else {
				all = append(all, r)
			}
		}
	}
	return all, nil
}
