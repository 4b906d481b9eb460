package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func peopleTable(raw bool) string {
	var b strings.Builder
	b.WriteString(map[bool]string{true: "weight,height,class\n",
		false: "weight,height,member,town,class\n"}[raw])
	for i := range 60 {
		fmt.Fprintf(&b, "%d.%d,16%d.5,", 60+i*5%17, i%10, i*i%9)
		if !raw {
			fmt.Fprintf(&b, "%s,town %d,", []string{"True", "False"}[i*i%3%2], i*7%60/[]int{1, 2}[i%2])
		}
		fmt.Fprintln(&b, []string{"light", "heavy"}[i*5%17/9])
	}
	return b.String()
}

// New words in a column of many rare words are no reason for doubt.
func TestUnreadColumns(t *testing.T) {
	const doubt = "; at least half of the column does not fit"
	for _, raw := range []bool{false, true} {
		model := filepath.Join(t.TempDir(), "m")
		must(t, "train", file(t, "x.csv", peopleTable(raw)), model)
		for _, c := range []struct {
			column string
			cells  string
			odd    int // cells in doubt
		}{
			{"weight", "72,4|66,2|81,5", 3}, {"weight", "72,4|66.2", 1}, {"weight", "72,4|66.2|70", 0},
			{"weight", "72,4||NA", 1}, {"weight", "||", 0}, {"weight", "70", 0},
			{"member", "1|0|1", 3}, {"member", "1|True|False", 0}, {"town", "Rome|Oslo|Bern", 0},
		} {
			if raw && c.column != "weight" {
				continue
			}
			text := "weight;height;member;town\n"
			for cell := range strings.SplitSeq(c.cells, "|") {
				row := map[string]string{"weight": "70.5", "member": "True", "town": "town 1"}
				row[c.column] = cell
				text += row["weight"] + ";165.5;" + row["member"] + ";" + row["town"] + "\n"
			}
			data := file(t, "new.csv", text)
			want := fmt.Sprintf("warning: column %s: %d cell", c.column, c.odd)
			_, told := must(t, "predict", "-quiet", "-sep", ";", data, model)
			if c.odd > 0 != strings.Contains(told, want) || c.odd > 0 != strings.Contains(told, doubt) {
				t.Errorf("raw %t, %s %s: %s", raw, c.column, c.cells, told)
			}
			if c.odd > 0 {
				fails(t, exitError, "1 doubt", "predict", "-strict", "-sep", ";", data, model)
			}
		}
	}
}

func TestUnlikeTraining(t *testing.T) {
	for _, raw := range []bool{false, true} {
		model := filepath.Join(t.TempDir(), "m")
		must(t, "train", file(t, "x.csv", peopleTable(raw)), model)
		rest := map[bool]string{true: "", false: ",True,town 1"}[raw]
		header := map[bool]string{true: "weight,height", false: "weight,height,member,town"}[raw]
		const far, unnamed = `warning: column "weight": `, "cells more than the header has names"
		for rows, want := range map[string]string{
			"55000,165.5|56000,165.5":       far + "numbers such as 5.6e+04, in 2 of 2 rows,",
			"67,165.5|66,165.5|55000,165.5": "",
			"-900,165.5|70,165.5":           far + "numbers such as -900, in 1 of 2 rows,",
			"50,165.5":                      "", "95,165.5": "",
			"70,165.5,x": "", "70,165.5,,": "",
		} {
			text := header + "\n"
			for row := range strings.SplitSeq(rows, "|") {
				cells := strings.SplitN(row, ",", 3)
				text += cells[0] + "," + cells[1] + rest
				if len(cells) > 2 {
					text += "," + cells[2]
				}
				text += "\n"
			}
			if strings.HasSuffix(rows, "x") {
				text = strings.ReplaceAll(text, "\n70", "\nAnn,70")
				text = strings.ReplaceAll(text, ",x", "")
			}
			data := file(t, "new.csv", text)
			_, told := must(t, "predict", "-quiet", data, model)
			if want == "" != (told == "") || !strings.Contains(told, want) {
				t.Errorf("raw %t, %s: want %q, have %s", raw, rows, want, told)
			}
			if want != "" {
				fails(t, exitError, "1 doubt", "predict", "-strict", data, model)
			}
		}
		if raw {
			_, told := must(t, "predict", "-quiet", file(t, "new.csv", "weight,height\n66,5,178,0\n"), model)
			if !strings.Contains(told, unnamed) {
				t.Error(told)
			}
		}
	}
}
