package arm64

import (
	"fmt"
	"math/bits"
	"reflect"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// view is a register as one operand spells it. Embedding makes it a reg.Register, whose unexported
// methods nobody else can write, so avo's liveness and allocation see the register; bind prints the
// format with its number.
type view struct {
	reg.Register
	kind   reg.Kind
	format string
}

// Asm spells a view before it has a number, for error messages.
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

// pair spells the operand (F0, F1), which for avo is two: it joins with ", ".
func pair(of func(reg.Register) view, a, b reg.Register) (first, second view) {
	first, second = of(a), of(b)
	first.format, second.format = "("+first.format, second.format+")"
	return first, second
}

// list spells a list of one register.
func list(v view) view {
	v.format = "[" + v.format + "]"
	return v
}

// A Lane is one element of a vector register. Writing it leaves the others alone.
type Lane struct{ view }

// S is the 32-bit lane i (0…3) of v.
func S(v reg.Register, i int) Lane {
	return Lane{view{v, reg.KindVector, fmt.Sprintf("V%%d.S[%d]", i)}}
}

// D is the 64-bit lane i (0…1) of v.
func D(v reg.Register, i int) Lane {
	return Lane{view{v, reg.KindVector, fmt.Sprintf("V%%d.D[%d]", i)}}
}

// natural spells a register as R or F, whichever it is.
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

// Shifted is r<<k as the operand m of an integer instruction.
func Shifted(r reg.Register, k uint8) reg.Register {
	return view{r, reg.KindGP, fmt.Sprintf("R%%d<<%d", k)}
}

type ops []operand.Op

// emit adds an instruction that reads in, writes out and is spelled by args.
func (c *Context) emit(opcode string, in, out ops, args ...operand.Op) {
	c.add(&ir.Instruction{Opcode: opcode, Inputs: in, Outputs: out, Operands: args})
}

// branch adds a jump that reads in. avo looks for the target in the first operand; Bind moves it to
// the end, where Go's assembler wants it.
func (c *Context) branch(opcode, label string, in ops, args ...operand.Op) {
	args = append(ops{operand.LabelRef(label)}, args...)
	c.add(&ir.Instruction{Opcode: opcode, Inputs: in, Operands: args, IsBranch: true,
		IsConditional: opcode != "B"})
}

// add leaves bad instructions out: avo panics on operands that it does not know.
func (c *Context) add(i *ir.Instruction) {
	for _, op := range i.Operands {
		if err := check(i.Opcode, op); err != nil {
			c.fail("%s: %v", i.Opcode, err)
			return
		}
	}
	c.avo.Instruction(i)
}

// check refuses what go tool asm would take without a word: registers of the wrong kind, which
// print as others of the same number, and immediates and offsets that do not fit, which it computes
// in R27 with instructions of its own.
func check(opcode string, op operand.Op) error {
	switch op := op.(type) {
	case view:
		switch op.Register.(type) {
		case view, Lane:
			return fmt.Errorf("%s where a whole register belongs", op.Register.Asm())
		}
		switch want := map[reg.Kind]uint{reg.KindGP: 8, reg.KindVector: 16}[op.kind]; {
		case op.Register == nil:
			return fmt.Errorf("no register for %s", op.format)
		case op.Kind() != op.kind || op.Size() != want:
			return fmt.Errorf("wrong register for %s: %s", op.format, op.Register.Asm())
		}
	case operand.Mem:
		return checkMem(opcode, op)
	case operand.Constant:
		return checkImmediate(opcode, op)
	case operand.LabelRef:
	default:
		return fmt.Errorf("unknown operand %v", op)
	}
	return nil
}

// reach tells how far an instruction's offset goes.
var reach = map[string]struct {
	size, min, max int  // multiples of size in min…max
	near           bool // any offset in -256…255, too
	indexed        bool // base + index, scaled by size or not
}{
	"MOVBU": {1, 0, 4095, true, true},
	"MOVHU": {2, 0, 2 * 4095, true, true},
	"MOVW":  {4, 0, 4 * 4095, true, true},
	"MOVWU": {4, 0, 4 * 4095, true, true},
	"MOVD":  {8, 0, 8 * 4095, true, true},
	"FMOVS": {4, 0, 4 * 4095, true, true},
	"FMOVD": {8, 0, 8 * 4095, true, true},
	"FMOVQ": {16, 0, 16 * 4095, true, false},
	"LDPW":  {4, -4 * 64, 4 * 63, false, false},
	"FLDPQ": {16, -16 * 64, 16 * 63, false, false},
	"FSTPQ": {16, -16 * 64, 16 * 63, false, false},
	"PRFM":  {8, 0, 8 * 4095, false, false},
	"VLD1":  {1, 0, 0, false, false},
	"VLD1R": {1, 0, 0, false, false},
}

func checkMem(opcode string, m operand.Mem) error {
	to, known := reach[opcode]
	fits := m.Disp >= to.min && m.Disp <= to.max && m.Disp%max(to.size, 1) == 0
	if m.Base == reg.FramePointer {
		m.Base = nil
	} else if m.Symbol.Name != "" || m.Base == nil {
		return fmt.Errorf("not a base register: %s", m.Asm())
	}
	for _, r := range []reg.Register{m.Base, m.Index} {
		if r != nil {
			if err := check(opcode, r64(r)); err != nil {
				return err
			}
		}
	}
	switch {
	case !known:
		return fmt.Errorf("takes no memory operand")
	case m.Index == nil && !fits && !(to.near && m.Disp >= -256 && m.Disp <= 255):
		return fmt.Errorf("offset %d does not fit", m.Disp)
	case m.Index != nil && (!to.indexed || m.Disp != 0 || int(m.Scale) != to.size && m.Scale != 1):
		return fmt.Errorf("no such index: %d bytes, scale %d", m.Disp, m.Scale)
	}
	return nil
}

func checkImmediate(opcode string, imm operand.Constant) error {
	var x uint64
	switch v := reflect.ValueOf(imm); {
	case v.CanInt():
		x = uint64(v.Int())
	case v.CanUint():
		x = v.Uint()
	default:
		return fmt.Errorf("not an integer: %s", imm.Asm())
	}
	fits := true
	switch opcode {
	case "ADD", "SUB", "CMP":
		fits = x <= 4095 || x%4096 == 0 && x <= 4095*4096
	case "AND":
		// One run of ones. arm64 also has repeated and rotated runs, which no kernel needs.
		run := x >> bits.TrailingZeros64(x)
		fits = x != 0 && x != ^uint64(0) && run&(run+1) == 0
	}
	if !fits {
		return fmt.Errorf("immediate %s does not fit", imm.Asm())
	}
	return nil
}
