// Command trainers times our trainer beside others and compares what trainers make of data. Its
// -help says how to choose, how it is measured, and what is unfair.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/bench/internal/frame"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/gate/machine"
)

//go:embed help.txt
var help string

// python is Debian's, which has the package, or what -python names.
var python = "/usr/bin/python3"

// A session is the flags and what all sets share.
type session struct {
	ctx             context.Context
	host            *host
	sets, sections  string
	losses          []string
	lambdas         []float64
	threads         []int
	builds          []string // -ours
	rounds, splits  int
	limit, most     time.Duration
	quick           bool
	defaults, seeds bool
	out             string
	pinned          *machine.Pinning // nil if it isn't
}

// helpers are the roles in which the program starts itself, by the first argument.
var helpers = map[string]func(args []string) error{"work": work, "peak": peak}

// seconds returns the time that is compared: CPU seconds on one thread, else wall seconds.
func (s *session) seconds(t *training) float64 {
	if slices.Max(s.threads) > 1 {
		return t.Wall
	}
	return t.CPU
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("trainers: ")
	if len(os.Args) > 2 && helpers[os.Args[1]] != nil {
		if err := helpers[os.Args[1]](os.Args[2:]); err != nil {
			log.Fatal(err)
		}
		return
	}
	var s session
	var lists struct{ losses, lambdas, threads, peers string }
	flag.Usage = func() { fmt.Fprint(os.Stderr, help, "\n"); flag.PrintDefaults() }
	flag.StringVar(&s.sets, "sets", "", "comma-separated `patterns` of sets; a wrong one lists all")
	flag.StringVar(&s.sections, "sections", "objective,proofs,kernels,threads,memory",
		"which `tables`")
	flag.StringVar(&lists.losses, "losses", "hinge", "hinge, squared-hinge, log")
	flag.StringVar(&lists.lambdas, "lambdas", "1e-4", "`numbers`")
	flag.StringVar(&lists.threads, "threads", "1", "of ours: `numbers`")
	flag.StringVar(&lists.peers, "peers", "*", "comma-separated `patterns`, or none")
	flag.IntVar(&s.rounds, "rounds", 5, "the most rounds of runs")
	flag.DurationVar(&s.most, "most", 10*time.Second, "the time after which no round begins")
	flag.DurationVar(&s.limit, "limit", time.Second,
		"the time of a run after which no longer one is tried; 20 times that is the most")
	flag.Func("ours", "`name=config`, or with -defaults name=path [flags]; may be repeated",
		func(text string) error { s.builds = append(s.builds, text); return nil })
	flag.BoolVar(&s.quick, "quick", false, "small sets and short runs")
	flag.BoolVar(&s.defaults, "defaults", false, "compare what trainers do when nobody sets a flag")
	flag.IntVar(&s.splits, "splits", 5, "of -defaults: the most splits of a set")
	flag.BoolVar(&s.seeds, "seeds", false, "draw the figures of the sources")
	flag.StringVar(&s.out, "out", "build/seeds", "of -seeds: the `folder`")
	flag.StringVar(&python, "python", python, "a `path` of Python with scikit-learn")
	flag.StringVar(folders["bottou"], "bottou", "", "`folder` with the source of Bottou's sgd 2, for svmsgd")
	flag.StringVar(folders["sofia"], "sofia", "", "`folder` with sofia-ml's source (src)")
	flag.Parse()
	s.losses = strings.Split(lists.losses, ",")
	for _, loss := range s.losses {
		if losses[loss] == nil {
			log.Fatalf("no loss %q", loss)
		}
	}
	s.lambdas = numbersOf(lists.lambdas)
	for _, n := range numbersOf(lists.threads) {
		s.threads = append(s.threads, int(n))
	}
	if s.quick {
		s.rounds, s.splits, s.most, s.limit = 1, 1, time.Second, min(s.limit, 50*time.Millisecond)
	}
	if flag.NArg() > 0 || s.rounds < 1 || s.splits < 1 || s.limit <= 0 {
		log.Fatal("unexpected arguments: see -help")
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := s.run(ctx, lists.peers); err != nil {
		log.Fatal(err)
	}
}

// curves says for which runs of ours the columns are expanded. Peers have no such expansion.
func (s *session) curves() string {
	switch {
	case s.builds != nil:
		return "Curves: none, unless -ours sets them"
	case s.defaults:
		return "Curves: none in Pegasimd -curves none; chosen from the data in Pegasimd"
	}
	return "Curves: none, in all runs of Pegasimd"
}

func numbersOf(list string) (all []float64) {
	for _, text := range strings.Split(list, ",") {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v > 0) {
			log.Fatalf("%q is no number above 0", text)
		}
		all = append(all, v)
	}
	return all
}

// run does what the flags ask for. peers are patterns.
func (s *session) run(ctx context.Context, peers string) error {
	s.ctx = ctx
	dir, err := os.MkdirTemp("", "pegasimd-trainers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	core := "not pinned"
	if slices.Max(s.threads) == 1 && !s.seeds {
		s.pinned = machine.Pin() // and what is started from this thread with it
		core = s.pinned.String()
		runtime.GOMAXPROCS(1)
	}
	s.host, err = newHost(ctx, dir, func(name string) bool {
		return slices.ContainsFunc(strings.Split(peers, ","), func(pattern string) bool {
			ok, _ := path.Match(pattern, name)
			return ok
		})
	})
	if err != nil {
		return err
	}
	defer s.host.close()
	frame.Head(os.Stdout, "trainers", core)
	fmt.Println(s.curves())
	switch {
	case s.seeds:
		err = s.drawSeeds()
	case s.defaults:
		err = s.compareDefaults(dir)
	default:
		err = s.timeAll()
	}
	fmt.Printf("\nPeers: %s\n", strings.Join(s.host.versions, "; "))
	return err
}

// timeAll runs the sections that don't compare defaults.
func (s *session) timeAll() error {
	if s.quick && s.sets == "" {
		s.sets = "digits-8,made-text-scaled"
	}
	wanted, err := selected(s.sets, timed)
	if err != nil {
		return err
	}
	for _, source := range wanted {
		if source.use&numbers != 0 {
			return fmt.Errorf("%s has numbers to predict: it is for -defaults", source.name)
		}
		if !s.has("objective") && !s.has("proofs") {
			break
		}
		of, err := source.open()
		if errors.Is(err, errAbsent) {
			log.Printf("left out: %v", err)
			continue
		}
		if err == nil {
			err = s.timeSet(of)
		}
		if err != nil {
			return err
		}
	}
	if s.has("proofs") {
		err = proofs.Write(os.Stdout)
	}
	if s.has("kernels") {
		err = errors.Join(err, s.timeKernels())
	}
	if s.pinned != nil { // what follows is for all cores
		err = errors.Join(err, s.pinned.Release())
	}
	if s.has("threads") {
		err = errors.Join(err, s.timeThreads())
	}
	if s.has("memory") {
		err = errors.Join(err, s.compareMemory())
	}
	return err
}

func (s *session) has(section string) bool { return strings.Contains(s.sections, section) }

// timeSet times trainers on the problems of a set.
func (s *session) timeSet(of *set) error {
	labels := classes(of.train)
	for _, rows := range []*dataset.Set{of.train, of.test} {
		if len(labels) == 2 && rows != nil {
			against(labels[1])(rows) // most peers know -1 and 1 alone
		}
	}
	err := s.host.open(of)
	for _, loss := range s.losses {
		for _, lambda := range s.lambdas {
			p := &problem{session: s, set: of, loss: loss, lambda: lambda}
			if err == nil {
				err = p.solve()
			}
			if err == nil && s.has("objective") {
				err = p.race()
			}
			if err == nil && s.has("proofs") {
				err = p.prove()
			}
		}
	}
	return err
}
