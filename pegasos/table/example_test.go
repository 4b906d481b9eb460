package table_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/pegasimd/pegasimd/modelio"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/table"
)

// Train learns from rows of words, numbers and gaps. Order takes the cells of a row to predict by
// the names of their columns.
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

// New makes a Model of a model that modelio.ReadFile has read.
func ExampleNew() {
	if err := fruitModel().WriteFile("fruit.model"); err != nil {
		log.Fatal(err)
	}
	defer os.Remove("fruit.model")

	p, err := modelio.ReadFile("fruit.model")
	if err != nil {
		log.Fatal(err)
	}
	m, err := table.New(p)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range m.Columns() {
		fmt.Println(c.Name)
	}
	// Output:
	// colour
	// grams
}

func fruitModel() *table.Model {
	m, err := table.Train(context.Background(), []string{"colour", "grams", "fruit"}, [][]string{
		{"red", "180", "apple"}, {"green", "160", "apple"},
		{"yellow", "100", "lemon"}, {"yellow", "90", "lemon"},
	}, "fruit", pegasos.Config{})
	if err != nil {
		log.Fatal(err)
	}
	return m
}
