package dataset

import (
	"bytes"
	_ "embed"

	"github.com/pegasimd/pegasimd/dense"
)

//go:embed digits/digits.csv.gz
var digitsFile []byte

// Digits returns a dense set of handwritten digits: 1,797 rows of 8x8 pixels, each a count from 0
// to 16, with labels 0 to 9. The set comes from the UCI repository: Optical Recognition of
// Handwritten Digits (E. Alpaydin and C. Kaynak, 1998; CC BY 4.0).
func Digits() *Set {
	s, err := ReadFrom(bytes.NewReader(digitsFile), "digits.csv.gz",
		Options{Layout: LayoutDense, Header: HeaderNo})
	if err != nil {
		panic(err) // the file is part of the program
	}
	return s
}

// DigitsSplit returns the digits in two parts, with pixels divided by 16. The test set has rows 3,
// 7, 11 and so on, 449 in all; the training set has the other 1,348 rows.
func DigitsSplit() (train, test *Set) {
	s := Digits()
	var parts [2][]int
	for i := range s.Rows() {
		dense.Scale(1./16, s.Dense.Row(i)) // exact: a power of two
		part := 0
		if i%4 == 3 {
			part = 1
		}
		parts[part] = append(parts[part], i)
	}
	return s.Subset(parts[0]), s.Subset(parts[1])
}
