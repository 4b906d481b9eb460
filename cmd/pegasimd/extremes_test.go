package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
)

// TestExtremeNumbers gives every flag that takes a number values at and beyond its limits. None may
// cause a panic.
func TestExtremeNumbers(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "x.csv", "a,b,note,y\n1,2,good day,yes\n2,1,bad day,no\n3,1,good night,yes\n"+
		"0,2,bad night,no\n4,1,good day,yes\n1,5,bad day,no\n")
	write(t, "x.svm", toy)
	must(t, "train", "-quiet", "x.csv", "csv.model")
	must(t, "train", "-quiet", "x.svm", "svm.model")
	arguments := map[string]string{"train": "DATA out.model", "predict": "DATA MODEL",
		"eval": "DATA MODEL", "report": "MODEL DATA out.html", "verify": "MODEL DATA",
		"cv": "-lambdas 0.1 DATA", "convert": "DATA out.svm", "inspect": "DATA"}
	ran := 0
	for name, words := range arguments {
		for _, f := range flags.Of(name) {
			if f.Takes != "n" && f.Takes != "number" && f.Takes != "share" {
				continue
			}
			for _, value := range strings.Fields("0 -0 -1 1e-320 9223372036854775807 " +
				"-9223372036854775808 1e308 inf nan") {
				if f.Name == "tol" && value == "1e-320" {
					continue // trains for minutes
				}
				for _, data := range []string{"csv", "svm"} {
					for _, more := range [][]string{nil, {"-kernel", "rbf"}} {
						if more != nil && name != "train" && name != "cv" {
							continue
						}
						args := append([]string{name, "-" + f.Name, value}, more...)
						if slices.Contains([]string{"train", "report", "convert"}, name) {
							args = append(args, "-force")
						}
						args = append(args, strings.Fields(strings.NewReplacer("DATA", "x."+data,
							"MODEL", data+".model").Replace(words))...)
						if code, _, told := pegasimd(t, args...); code != exitDone &&
							code != exitError && code != exitUsage && code != exitNothing {
							t.Errorf("pegasimd %q: exit code %d\n%s", args, code, told)
						}
						ran++
					}
				}
			}
		}
	}
	t.Log(ran, "runs")
}
