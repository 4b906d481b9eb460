package tables

import (
	"strings"
	"testing"
)

func TestThousandsOfOtherFile(t *testing.T) {
	for _, test := range []struct {
		name, decimal string
		mean          float64
		cells         string
		doubted       bool
	}{
		{"points in a file of thousands", "", 5000, "4.307 5.125 2", true},
		{"commas in a file of thousands", ",", 5000, "4,307 5,125 2", true},
		{"as in training", "", 5, "4.307 5.125 2", false},
		{"another cell has decimals", "", 5000, "4.307 5.125 5.1", false},
		{"a cell has both marks", "", 5000, "4.307 5.125 1,250.5", false},
		{"few cells have marks", "", 5000, "4.307 5 2 2", false},
		{"nearer to the decimals", "", 100, "4.307 5.125", false},
		{"no numbers", "", 5000, "none -", false},
	} {
		column := Column{Name: "price", Kind: Number, Number: &Scale{Mean: test.mean, Factor: 1,
			Format: &Format{Decimal: test.decimal, Groups: true}}}
		coder := (&Encoder{Columns: []Column{column}, Rows: 10}).Coder()
		for _, text := range strings.Fields(test.cells) {
			coder.Encode([]string{text}, nil, nil)
		}
		lines := strings.Join(coder.Unread(), "\n")
		if strings.Contains(lines, "separate thousands") != test.doubted {
			t.Errorf("%s: %q, want a doubt: %v", test.name, lines, test.doubted)
		}
	}
}

func TestPercentOfOtherFile(t *testing.T) {
	for cells, doubted := range map[string]bool{"0.05 0.125": true, "0.05 4%": false, "- none": false} {
		column := Column{Name: "rate", Kind: Number, Number: &Scale{Mean: 5, Factor: 1,
			Format: &Format{Unit: percent}}}
		coder := (&Encoder{Columns: []Column{column}, Rows: 10}).Coder()
		for _, text := range strings.Fields(cells) {
			coder.Encode([]string{text}, nil, nil)
		}
		const want = `column rate: numbers such as "0.05" lack the % that numbers in training had, ` +
			"and are read as percentages"
		if lines := strings.Join(coder.Unread(), "\n"); strings.Contains(lines, want) != doubted {
			t.Errorf("%s: %q, want a doubt: %v", cells, lines, doubted)
		}
	}
}
