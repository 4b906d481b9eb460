package dataset_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/pegasimd/pegasimd/dataset"
)

func ExampleRead() {
	set, err := dataset.Read("testdata/tiny.svm", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(set.Rows(), "examples of", set.Cols(), "features,", set.Layout())
	fmt.Println(set.Y)
	// Output:
	// 3 examples of 2 features, dense
	// [1 -1 1]
}

func ExampleReadFrom() {
	const text = `weight,sweetness,fruit
0.18,7.5,apple
0.1,2.25,lemon
`
	set, err := dataset.ReadFrom(strings.NewReader(text), "fruit.csv",
		dataset.Options{LabelColumn: "fruit"})
	if err != nil {
		log.Fatal(err)
	}
	for i, y := range set.Y {
		fmt.Println(set.Names[int(y)], set.Dense.Row(i))
	}
	// Output:
	// apple [0.18 7.5]
	// lemon [0.1 2.25]
}

func ExampleSyntaxError() {
	_, err := dataset.ReadFrom(strings.NewReader("+1 1:0.5 2:abc\n"), "a.svm",
		dataset.Options{})
	fmt.Println(err)
	// Output:
	// a.svm:1:10: token "2:abc": value is not a decimal number
}

func ExampleSet_WithLayout() {
	set, err := dataset.ReadFrom(strings.NewReader("+1 3:0.5\n"), "a.svm", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if set, err = set.WithLayout(dataset.LayoutDense); err != nil {
		log.Fatal(err)
	}
	fmt.Println(set.Dense.Row(0))
	// Output:
	// [0 0 0.5]
}

func ExampleWriteSvmlight() {
	text := "+1 1:0.50\n-1 3:2.0\n"
	set, err := dataset.ReadFrom(strings.NewReader(text), "a.svm", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := dataset.WriteSvmlight(os.Stdout, set); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 1 1:0.5 3:0
	// -1 3:2
}

// Write rows one by one to a .pgsm file, which Read maps into memory.
func ExampleNewPGSMWriter() {
	f, err := os.CreateTemp("", "*.pgsm")
	if err != nil {
		log.Fatal(err)
	}
	defer os.Remove(f.Name())
	w, err := dataset.NewPGSMWriter(f, dataset.PGSMShape{Layout: dataset.LayoutSparse, Rows: 2,
		Cols: 10, NNZ: 3, IndexBase: 1})
	if err != nil {
		log.Fatal(err)
	}
	// Close also returns the first error of Append.
	w.Append(1, []int32{0, 7}, []float32{0.5, 2})
	w.Append(-1, []int32{9}, []float32{3})
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		log.Fatal(err)
	}
	set, err := dataset.Read(f.Name(), dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer set.Close()
	fmt.Println(set.Rows(), set.Cols(), set.Y)
	// Output: 2 10 [1 -1]
}

// Convert text of any size to the binary format, without holding the features in memory.
func ExampleConvertSvmlight() {
	f, err := os.CreateTemp("", "*.pgsm")
	if err != nil {
		log.Fatal(err)
	}
	defer os.Remove(f.Name())
	rows, cols, err := dataset.ConvertSvmlight(f, "testdata/tiny.svm", dataset.Options{})
	if err := errors.Join(err, f.Close()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(rows, cols)
	// Output: 3 2
}
