package tables

import (
	"fmt"

	"github.com/pegasimd/pegasimd/internal/text/cell"
)

var dateTexts = map[string]string{"": "dates", "dmy": "dates, the day before the month",
	"mdy": "dates, the month before the day", "ymd": "dates, the year first",
	"time": "times of the day"}

func (e *Encoder) Describe(i int) string {
	if e.Columns[i].Weak {
		return e.describe(i) + unrelated
	}
	return e.describe(i)
}

const unrelated = ", apparently without a linear relation to the label"

func (e *Encoder) describe(i int) string {
	switch c := &e.Columns[i]; {
	case c.Kind == Number || c.Kind == Date:
		return c.describe()
	case c.Kind == Text:
		return "text"
	case c.Kind == LeftOut:
		return "left out of the training"
	case c.Levels != nil && c.Levels.HashBits > 0:
		return "words, too many or too long for a feature each"
	case c.Levels != nil && len(c.Levels.Names) == 1 && !c.Levels.lackRare():
		return "words, all equal"
	case c.Levels != nil && !c.Levels.lackRare():
		return fmt.Sprintf("words, %d different ones", len(c.Levels.Names))
	case c.Levels != nil:
		return fmt.Sprintf("words, %d of them in %d rows or more", len(c.Levels.Names), leastRows)
	}
	return fmt.Sprintf("words, none of them in %d rows or more", leastRows)
}

func (c *Column) describe() string {
	text := "numbers"
	if c.Kind == Date {
		text = dateTexts[c.Date.Order]
	}
	f := c.Number.Format
	if f == nil {
		return text
	}
	if f.Unit != "" {
		text += " in " + f.Unit
	}
	if f.Decimal == "," {
		text += " with decimal commas"
	}
	return text
}

var orderNames = map[cell.Order]string{cell.DMY: "dmy", cell.MDY: "mdy", cell.YMD: "ymd"}

func orderName(as assumption) string {
	if as.times {
		return "time"
	}
	return orderNames[as.order]
}

// orderOf returns the order for a value of [Calendar.Order], and whether the cells are times. For
// "time" and "" it returns YMD, under which only dates that need no order are dates.
func orderOf(name string) (order cell.Order, times bool) {
	for order, other := range orderNames {
		if other == name {
			return order, false
		}
	}
	return cell.YMD, name == "time"
}
