package dataset_test

import (
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

func ExampleReadCSV() {
	const text = `weight,sweetness,fruit
0.18,7.5,apple
0.1,2.25,lemon
`
	set, err := dataset.ReadCSV(strings.NewReader(text), "fruit.csv", dataset.Options{LabelColumn: "fruit"})
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

func ExampleReadSvmlight() {
	_, err := dataset.ReadSvmlight(strings.NewReader("+1 1:0.5 2:abc\n"), "a.svm", dataset.Options{})
	fmt.Println(err)
	// Output:
	// a.svm:1:10: token "2:abc": value is not a decimal number
}

func ExampleSet_WithLayout() {
	set, err := dataset.ReadSvmlight(strings.NewReader("+1 3:0.5\n"), "a.svm", dataset.Options{})
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
	train, _ := dataset.DigitsSplit()
	if err := dataset.WriteSvmlight(os.Stdout, train.Subset([]int{0})); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 0 3:0.3125 4:0.8125 5:0.5625 6:0.0625 11:0.8125 12:0.9375 13:0.625 14:0.9375 15:0.3125 18:0.1875 19:0.9375 20:0.125 22:0.6875 23:0.5 26:0.25 27:0.75 30:0.5 31:0.5 34:0.3125 35:0.5 38:0.5625 39:0.5 42:0.25 43:0.6875 45:0.0625 46:0.75 47:0.4375 50:0.125 51:0.875 52:0.3125 53:0.625 54:0.75 59:0.375 60:0.8125 61:0.625 64:0
}
