// Package bandwidth finds how fast memory can be read and written from one core: loops of nothing
// but loads and stores, in assembly, over the very operands that a kernel is timed with.
package bandwidth

// A Shape is a pattern of loads and stores.
type Shape int

const (
	None   Shape = iota
	Read         // load x
	Read2        // load x and y
	Update       // load and store x
	Copy         // load x, store it into y
	Axpy         // load x and y, store y
)

// Streams is the number of operands that are loaded or stored for each element.
func (s Shape) Streams() int {
	return [...]int{None: 0, Read: 1, Read2: 2, Update: 2, Copy: 2, Axpy: 3}[s]
}

// Least is the number of elements that a probe needs: one vector register, so that the end can be a
// load that overlaps.
const Least = 8

// Available tells whether there are probes for this machine.
func Available() bool { return available }

// Run walks over x and y once, from beginning to end. Nothing changes, except that Copy makes y
// equal to x. They must have the same length, of at least [Least]; shapes of one operand ignore y.
func Run(s Shape, x, y []float32) {
	if len(x) < Least || s >= Read2 && s != Update && len(y) != len(x) {
		panic("bandwidth: too few elements, or lengths differ")
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
		panic("bandwidth: no such shape")
	}
}
