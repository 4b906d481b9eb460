// Command trainers times our trainer beside other libraries. -help explains the flags and the
// method.
package main

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/bench/internal/frame"
	"github.com/pegasimd/pegasimd/bench/internal/sets"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/gate/machine"
)

//go:embed help.txt data peers
var files embed.FS

type session struct {
	ctx         context.Context
	sets, peers string // comma-separated patterns of names
	losses      []string
	lambdas     []float64
	threads     []int
	rounds      int
	limit       time.Duration // explore stops after a longer run, except for proven gaps
	most        time.Duration // time after which a race begins no round
	quick       bool
	seeds       bool
	out         string
	grids       []*frame.Grid

	dir      string
	commands map[*peer][]string // nil for an absent peer
	running  map[*peer]*driver
	versions []string  // of the peers that have run
	loaded   *sets.Set // set on which the drivers train
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("trainers: ")
	s := session{most: 10 * time.Second, losses: []string{"hinge"}, lambdas: []float64{1e-4},
		threads: []int{1}, commands: map[*peer][]string{}, running: map[*peer]*driver{}}
	flag.Usage = func() {
		help, _ := files.ReadFile("help.txt") // no error: embedded
		fmt.Fprintf(os.Stderr, "%s\n", help)
		flag.PrintDefaults()
	}
	flag.StringVar(&s.sets, "sets", "",
		"comma-separated `patterns` of sets; if one matches no set, an error lists all sets")
	flag.Func("losses", "`names`: hinge, squared-hinge, log (default hinge)",
		func(list string) error {
			s.losses = strings.Split(list, ",")
			for _, loss := range s.losses {
				if losses[loss] == nil {
					return fmt.Errorf("have %q, want hinge, squared-hinge or log", loss)
				}
			}
			return nil
		})
	flag.Func("lambdas", "`numbers` (default 1e-4)", func(list string) (err error) {
		s.lambdas, err = frame.Numbers(list, 1e-12, 1e12)
		return err
	})
	flag.Func("threads", "`numbers` of threads of our trainer (default 1)", func(list string) (err error) {
		s.threads, err = frame.Numbers(list, 1, 1024)
		return err
	})
	flag.StringVar(&s.peers, "peers", "*", "comma-separated `patterns` of peers, or none")
	flag.IntVar(&s.rounds, "rounds", 5, "the largest number of rounds; 1 with -quick")
	flag.DurationVar(&s.limit, "limit", time.Second,
		"once a run takes longer than this time, skip the greater efforts, except for our proofs; runs "+
			"are stopped after 20 times this time, those for f* and -seeds after 60 times, except our "+
			"trainings of pairs of classes; at most 50ms with -quick")
	flag.BoolVar(&s.quick, "quick", false, "short runs, of small sets unless -sets names others")
	flag.BoolVar(&s.seeds, "seeds", false,
		"instead of timing, draw figures like those of the Pegasos paper and other sources")
	flag.StringVar(&s.out, "out", "build/bench",
		"the `folder` of trainers.csv, with all samples, or of the figures of -seeds")
	flag.StringVar(folders["bottou"], "bottou", "", "`folder` with the source of Bottou's sgd 2 (svmsgd)")
	flag.StringVar(folders["sofia"], "sofia", "", "`folder` with sofia-ml's source (src)")
	flag.Parse()
	if s.quick {
		s.rounds, s.most, s.limit = 1, time.Second, min(s.limit, 50*time.Millisecond)
	}
	switch {
	case flag.NArg() > 0:
		log.Fatalf("unexpected argument %q", flag.Arg(0))
	case s.rounds < 1:
		log.Fatalf("-rounds %d: want 1 or more", s.rounds)
	case s.limit <= 0:
		log.Fatalf("-limit %v: want more than 0", s.limit)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	s.ctx = ctx
	if err := s.run(); err != nil {
		log.Fatal(err)
	}
}

func readPeers() (all []*peer) {
	f, _ := files.Open("data/peers.json") // no error: embedded
	d := json.NewDecoder(f)
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		log.Fatalf("peers.json: %v", err)
	}
	return all
}

// seconds returns CPU seconds if all runs have one thread, else wall-clock seconds.
func (s *session) seconds(t *training) float64 {
	if slices.Max(s.threads) > 1 {
		return t.Wall
	}
	return t.CPU
}

func (s *session) run() (err error) {
	if s.dir, err = os.MkdirTemp("", "pegasimd-trainers"); err != nil {
		return err
	}
	defer os.RemoveAll(s.dir)
	core := "not pinned"
	if slices.Max(s.threads) == 1 && !s.seeds {
		core = machine.Pin().String() // processes started from this thread inherit it
		runtime.GOMAXPROCS(1)
	}
	if err := s.findPeers(); err != nil {
		return err
	}
	defer s.stopPeers()
	frame.Head(os.Stdout, "trainers", core)
	fmt.Println("Curves: none, in all runs of Pegasimd")
	if s.seeds {
		err = s.drawSeeds()
	} else {
		err = s.timeAll()
	}
	fmt.Printf("\nPeers: %s\n", strings.Join(s.versions, "; "))
	return err
}

func (s *session) timeAll() error {
	if s.quick && s.sets == "" {
		s.sets = "digits-8,text-small"
	}
	wanted, err := sets.Selected(s.sets)
	if err != nil {
		return err
	}
	for _, source := range wanted {
		of, err := source.Open()
		if errors.Is(err, sets.ErrAbsent) {
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
	return frame.WriteCSV(filepath.Join(s.out, "trainers.csv"), s.grids)
}

func (s *session) timeSet(of *sets.Set) error {
	labels := classes(of.Train)
	for _, rows := range []*dataset.Set{of.Train, of.Test} {
		if len(labels) == 2 && rows != nil {
			sets.Against(rows, labels[1]) // some peers only accept -1 and 1
		}
	}
	err := s.openRows(of)
	for _, loss := range s.losses {
		for _, lambda := range s.lambdas {
			p := &problem{session: s, set: of, loss: loss, lambda: lambda}
			if err == nil {
				err = p.solve()
			}
			if err == nil {
				err = p.race()
			}
		}
	}
	return err
}
