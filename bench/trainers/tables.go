package main

import (
	"bytes"
	"embed"
	"encoding/csv"
	"encoding/json"
	"log"
)

// data holds the tables of sets, recipes, peers and known optima.
//
//go:embed data
var data embed.FS

// csvRows returns the rows of an embedded CSV file below its header. A file with rows of unequal
// length ends the program.
func csvRows(name string) [][]string {
	text, err := data.ReadFile("data/" + name)
	if err == nil {
		var rows [][]string
		if rows, err = csv.NewReader(bytes.NewReader(text)).ReadAll(); err == nil {
			return rows[1:]
		}
	}
	log.Fatalf("%s: %v", name, err)
	return nil
}

// fromJSON decodes an embedded JSON file. An unknown field ends the program.
func fromJSON[T any](name string) (value T) {
	text, err := data.ReadFile("data/" + name)
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		err = d.Decode(&value)
	}
	if err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	return value
}
