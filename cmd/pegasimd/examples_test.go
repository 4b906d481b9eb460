package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func people(rows int) string {
	g := rand.New(rand.NewPCG(3, 4))
	b := bytes.NewBufferString("id,name,city,age,income,label\n")
	for i := range rows {
		city, age, income := g.IntN(4), 18+g.IntN(60), 10000+g.IntN(50000)
		label := "leaves"
		if 3*(age-48)+20*city+income/1000 > 60+g.IntN(20) {
			label = "stays"
		}
		cells := []string{fmt.Sprint(age), fmt.Sprint(income)}
		for k, gap := range []string{"", "NA"} {
			if g.IntN(12) == 0 {
				cells[k] = gap
			}
		}
		fmt.Fprintf(b, "%d,Person %d,%s,%s,%s\n", 1000+i, g.IntN(1e6),
			[]string{"Lima", "Oslo", "Paris", "Rome"}[city], strings.Join(cells, ","), label)
	}
	return b.String()
}

// The order of the commands ensures that files which one example writes exist for the next.
func TestHelpExamples(t *testing.T) {
	t.Chdir(t.TempDir())
	g := rand.New(rand.NewPCG(1, 2))
	var svm, numbers bytes.Buffer
	csv, ten := bytes.NewBufferString("a,b,y\n"), bytes.NewBufferString("a,b,digit\n")
	for i := range 60 {
		y := float64(2*(i%2) - 1)
		a, b := y+g.NormFloat64(), g.NormFloat64()
		fmt.Fprintf(&svm, "%v 1:%.4g 3:%.4g 7:1\n", y, a, b)
		fmt.Fprintf(csv, "%.4g,%.4g,%v\n", a, b, y)
		fmt.Fprintf(ten, "%.4g,%.4g,%d\n", a+float64(i%10), b*float64(i%10), i%10)
		fmt.Fprintf(&numbers, "%.4g,%.4g,%.4g\n", a, b, a-b)
	}
	for _, name := range []string{"a9a.svm", "a9a.svm.gz", "a9a.t.svm", "test.svm", "train.svm.gz",
		"huge.svm.gz", "clicks.svm.gz", "heart.svm", "covtype.svm.gz", "text.svm.gz"} {
		writeAs(t, name, svm.String())
	}
	for _, name := range []string{"table.csv", "mammography.csv", "train.csv", "jan.csv", "feb.csv",
		"mar.csv"} {
		writeAs(t, name, csv.String())
	}
	writeAs(t, "people.csv", people(200))
	writeAs(t, "new.csv", people(50))
	writeAs(t, "train.csv.gz", ten.String())
	writeAs(t, "test.csv", ten.String())
	writeAs(t, "prices.csv", numbers.String())
	images := append([]byte{0, 0, 8, 3}, binary.BigEndian.AppendUint32(nil, 40)...)
	images = append(images, 0, 0, 0, 2, 0, 0, 0, 2)
	labels := []byte{0, 0, 8, 1, 0, 0, 0, 40}
	for i := range 40 {
		images = append(images, byte(i), byte(3*i), byte(200*(i%2)), 7)
		labels = append(labels, byte(i%2))
	}
	writeAs(t, "train-images-idx3-ubyte.gz", string(images))
	writeAs(t, "train-labels-idx1-ubyte.gz", string(labels))
	must(t, "train", "-quiet", "a9a.svm")
	must(t, "convert", "-to", "liblinear", "a9a.model", "heart_scale.model")
	count := 0
	for _, c := range []*command{&trainCommand, &convertCommand, &cvCommand, &evalCommand,
		&predictCommand, &inspectCommand, &reportCommand, &verifyCommand} {
		_, examples, found := strings.Cut(c.Help, "\nExamples:\n")
		if !found {
			t.Errorf("%s has no examples", c.Name)
		}
		if c == &verifyCommand { // other examples have replaced the model
			must(t, "train", "-quiet", "a9a.svm")
		}
		for line := range strings.Lines(examples) {
			line, _, _ = strings.Cut(line, "|")
			words := strings.Fields(line)
			if len(words) == 0 || words[0] != "pegasimd" {
				break
			}
			count++
			must(t, words[1:]...)
		}
	}
	if count < 30 {
		t.Errorf("%d examples, want 30 or more", count)
	}
}
