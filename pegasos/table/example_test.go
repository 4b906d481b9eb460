package table_test

import (
	"context"
	"fmt"
	"log"

	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/table"
)

// Rows of words, numbers and gaps, as people have them, and a row to predict by the names of its
// columns.
func ExampleTrain() {
	names := []string{"colour", "grams", "origin", "fruit"}
	rows := [][]string{
		{"red", "180", "Spain", "apple"},
		{"green", "160", "", "apple"},
		{"red", "NA", "Chile", "apple"},
		{"yellow", "100", "Spain", "lemon"},
		{"yellow", "90", "Italy", "lemon"},
		{"green", "95", "Spain", "lemon"},
	}
	m, err := table.Train(context.Background(), names, rows, "fruit", pegasos.Config{})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range m.Columns() {
		fmt.Printf("%s: %s, %s\n", c.Name, c.Kind, c.Reason)
	}
	cells, err := m.Order(map[string]string{"grams": "170", "colour": "red", "origin": "Peru"})
	if err != nil {
		log.Fatal(err)
	}
	fruit, err := m.Predict(cells)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(fruit)
	// Output:
	// colour: category, words, 3 of them in 2 rows or more
	// grams: number, numbers
	// origin: category, words, 3 different ones
	// apple
}
