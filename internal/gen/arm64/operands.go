package arm64

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// view is a register and its format as an operand. avo's liveness analysis and register allocation
// see the embedded reg.Register.
type view struct {
	reg.Register
	kind   reg.Kind
	format string // text of the operand, with %d for the register number
}

// Asm returns the view's format and unallocated register, for error messages.
func (v view) Asm() string { return fmt.Sprintf("%s of %s", v.format, v.Register.Asm()) }

func r64(r reg.Register) view { return view{r, reg.KindGP, "R%d"} }
func f(r reg.Register) view   { return view{r, reg.KindVector, "F%d"} }
func v(r reg.Register) view   { return view{r, reg.KindVector, "V%d"} }
func s2(r reg.Register) view  { return view{r, reg.KindVector, "V%d.S2"} }
func s4(r reg.Register) view  { return view{r, reg.KindVector, "V%d.S4"} }
func d2(r reg.Register) view  { return view{r, reg.KindVector, "V%d.D2"} }
func b16(r reg.Register) view { return view{r, reg.KindVector, "V%d.B16"} }
func b8(r reg.Register) view  { return view{r, reg.KindVector, "V%d.B8"} }
func h8(r reg.Register) view  { return view{r, reg.KindVector, "V%d.H8"} }
func h4(r reg.Register) view  { return view{r, reg.KindVector, "V%d.H4"} }

// pair returns two operands that avo, which separates operands by ", ", prints as (F0, F1).
func pair(of func(reg.Register) view, a, b reg.Register) (first, second view) {
	first, second = of(a), of(b)
	first.format, second.format = "("+first.format, second.format+")"
	return first, second
}

func list(v view) view {
	v.format = "[" + v.format + "]"
	return v
}

// Lane is an element of a vector register. Writing it keeps the others.
type Lane struct{ view }

// S returns the 32-bit lane i (0…3) of v.
func S(v reg.Register, i int) Lane {
	return Lane{view{v, reg.KindVector, fmt.Sprintf("V%%d.S[%d]", i)}}
}

// D returns the 64-bit lane i (0…1) of v.
func D(v reg.Register, i int) Lane {
	return Lane{view{v, reg.KindVector, fmt.Sprintf("V%%d.D[%d]", i)}}
}

func natural(op operand.Op) operand.Op {
	switch op := op.(type) {
	case view:
		return op
	case Lane:
		return op.view
	case reg.Register:
		if op.Kind() == reg.KindGP {
			return r64(op)
		}
		return f(op)
	}
	return op
}

// Shifted returns r<<k, for the operand m of an integer instruction.
func Shifted(r reg.Register, k uint8) reg.Register {
	return view{r, reg.KindGP, fmt.Sprintf("R%%d<<%d", k)}
}

type ops []operand.Op

func (c *Context) emit(opcode string, reads, writes ops, args ...operand.Op) {
	c.add(&ir.Instruction{Opcode: opcode, Inputs: reads, Outputs: writes, Operands: args})
}

// args are the jump's operands besides label; reads are the registers that it reads. avo expects
// the label first, Go's assembler last.
func (c *Context) branch(opcode, label string, reads ops, args ...operand.Op) {
	args = append(ops{operand.LabelRef(label)}, args...)
	c.add(&ir.Instruction{Opcode: opcode, Inputs: reads, Operands: args, IsBranch: true,
		IsConditional: opcode != "B"})
}

// If an operand is invalid, add records an error and drops the instruction.
func (c *Context) add(i *ir.Instruction) {
	for _, op := range i.Operands {
		if err := check(op); err != nil {
			c.fail("%s: %v", i.Opcode, err)
			return
		}
	}
	c.Context.Instruction(i)
}

// A register of the wrong kind or size would be printed as the valid register of the same number.
func check(op operand.Op) error {
	switch op := op.(type) {
	case view:
		switch op.Register.(type) {
		case view, Lane:
			return fmt.Errorf("operand is %s, want a whole register", op.Register.Asm())
		}
		switch want := map[reg.Kind]uint{reg.KindGP: 8, reg.KindVector: 16}[op.kind]; {
		case op.Register == nil:
			return fmt.Errorf("no register for %s", op.format)
		case op.Kind() != op.kind || op.Size() != want:
			return fmt.Errorf("wrong register for %s: %s", op.format, op.Register.Asm())
		}
	case operand.Mem:
		if op.Base == reg.FramePointer {
			return nil
		}
		if op.Index != nil {
			if err := check(r64(op.Index)); err != nil {
				return err
			}
		}
		return check(r64(op.Base))
	case operand.Constant, operand.LabelRef:
	default:
		return fmt.Errorf("unknown operand %v", op)
	}
	return nil
}

type text = operand.LabelRef

func join(args []operand.Op) string {
	var s []string
	for _, a := range args {
		s = append(s, a.Asm())
	}
	return strings.Join(s, ", ")
}
