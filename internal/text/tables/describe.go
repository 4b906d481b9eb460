package tables

import "github.com/pegasimd/pegasimd/internal/text/cell"

// orderNames has the values of [Calendar.Order] and their meanings.
var orderNames = map[string]string{"": "dates", "dmy": "dates, the day before the month",
	"mdy": "dates, the month before the day", "ymd": "dates, the year first",
	"time": "times of the day"}

// describe says how the numbers or dates of a column are written.
func (c *Column) describe() string {
	text := "numbers"
	if c.Kind == Date {
		text = orderNames[c.Date.Order]
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

// orderName returns Calendar.Order of dates that are read under an assumption.
func orderName(as assumption) string {
	switch {
	case as.times:
		return "time"
	case as.order == cell.DMY:
		return "dmy"
	case as.order == cell.MDY:
		return "mdy"
	case as.order == cell.YMD:
		return "ymd"
	}
	return ""
}

// orderOf returns the order of a name of [Calendar.Order], and whether the cells are times. Without a
// name, only dates whose meaning depends on no order are dates.
func orderOf(name string) (order cell.Order, times bool) {
	switch name {
	case "dmy":
		return cell.DMY, false
	case "mdy":
		return cell.MDY, false
	case "ymd":
		return cell.YMD, false
	}
	return cell.YMD, name == "time"
}
