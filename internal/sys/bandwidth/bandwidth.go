// Package bandwidth measures how fast one core can read and write memory.
package bandwidth

type Shape int

const (
	None   Shape = iota // no loop; Run panics
	Read                // load x
	Read2               // load x and y
	Update              // load and store x
	Copy                // load x, store y
	Axpy                // load x and y, store y
)

// Streams returns the number of loads and stores for each element.
func (s Shape) Streams() int {
	return [...]int{None: 0, Read: 1, Read2: 2, Update: 2, Copy: 2, Axpy: 3}[s]
}

const MinLength = 8

func Available() bool { return available }

// Run walks over x and y once, in an assembly loop that only loads and stores. It changes nothing,
// except that Copy copies x to y. x and y must have equal length of at least [MinLength]; shapes
// with one operand ignore y. Run must not be called unless [Available].
func Run(s Shape, x, y []float32) {
	if len(x) < MinLength || s >= Read2 && s != Update && len(y) != len(x) {
		panic("bandwidth: want 8 or more elements in x, and the same number in y if the shape uses y")
	}
	switch s {
	case Read:
		read(&x[0], len(x))
	case Read2:
		read2(&x[0], &y[0], len(x))
	case Update:
		update(&x[0], len(x))
	case Copy:
		copyTo(&x[0], &y[0], len(x))
	case Axpy:
		axpy(&x[0], &y[0], len(x))
	default:
		panic("bandwidth: unknown shape")
	}
}
