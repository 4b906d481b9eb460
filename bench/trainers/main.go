// Command trainers times Pegasimd's trainer beside liblinear, scikit-learn, VLFeat and dlib, on the
// same rows, lambda and objective. README.md says how, and what is unfair.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

// options are the flags.
type options struct {
	sets, peers string
	rounds      int
	limit       float64 // seconds of the longest run
	tol         float64 // of the optimum
	quick       bool
	study       bool
	most        float64 // passes in the study
	cache       string
	record      string
	asJSON      bool
	out         io.Writer
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("trainers: ")
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		if err := serve(os.Args[2:]); err != nil {
			log.Fatal(err)
		}
		return
	}
	o := options{out: os.Stdout}
	flag.StringVar(&o.sets, "sets", "", "comma-separated sets, of "+
		strings.Join(sourceNames(), ", ")+" (default all that can be had)")
	flag.StringVar(&o.peers, "peers", "", "comma-separated peers, of "+
		strings.Join(peerNames(), ", ")+", or none (default all)")
	flag.IntVar(&o.rounds, "rounds", 3, "rounds over all runs; times are medians")
	flag.Float64Var(&o.limit, "limit", 1,
		"seconds of training beyond which a run isn't made longer")
	flag.Float64Var(&o.tol, "gap", 1e-5, "relative gap to which the optimum has to be known")
	flag.BoolVar(&o.quick, "quick", false,
		"one round of short runs on small sets, to see that all works")
	flag.BoolVar(&o.study, "study", false, "count the passes that each choice of step size, "+
		"order and average needs, in place of seconds")
	flag.Float64Var(&o.most, "study-passes", 128, "the most passes in the study")
	flag.StringVar(&bottou, "bottou", "",
		"folder with the source of Bottou's sgd 2, to run svmsgd and svmasgd themselves")
	flag.StringVar(&sofia, "sofia", "", "folder with sofia-ml's source (src), to run it itself")
	flag.StringVar(&o.cache, "cache", defaultCache(),
		"folder that keeps the optima from run to run; empty for none")
	flag.StringVar(&o.record, "record", "", "write the tables to this `file` as well")
	flag.BoolVar(&o.asJSON, "json", false, "print JSON instead of Markdown")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("unexpected argument %q", flag.Arg(0))
	}
	if o.rounds < 1 || !(o.limit > 0) || !(o.tol > 0) || !(o.most >= 1) {
		log.Fatal("-rounds, -limit, -gap and -study-passes must be positive")
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := o.run(ctx); err != nil {
		log.Fatal(err)
	}
}

func defaultCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "pegasimd-trainers")
}

func sourceNames() []string { return names(sources, func(s source) string { return s.name }) }
func peerNames() []string   { return names(peers, func(p *peer) string { return p.name }) }

func names[T any](all []T, name func(T) string) (names []string) {
	for _, v := range all {
		names = append(names, name(v))
	}
	return names
}

// selected reports whether name is in a list, or the list is empty, and refuses unknown names.
func selected(list string, known []string) (func(name string) bool, error) {
	if list == "" {
		return func(string) bool { return true }, nil
	}
	names := strings.Split(list, ",")
	for _, n := range names {
		if !slices.Contains(known, n) {
			return nil, fmt.Errorf("no %q: there are %s", n, strings.Join(known, ", "))
		}
	}
	return func(name string) bool { return slices.Contains(names, name) }, nil
}
