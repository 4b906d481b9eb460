package arm64

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

func start(name string) *Context {
	c := NewContext()
	c.Function(name)
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(x *float32, n int) float32")
	return c
}

func compile(c *Context) error {
	f, err := c.Result()
	if err != nil {
		return err
	}
	return Compile.Execute(f)
}

func live(c *Context, n int, new func() reg.Register, write, read func(reg.Register)) {
	var rs []reg.Register
	for range n {
		rs = append(rs, new())
	}
	for _, r := range rs {
		write(r)
	}
	for _, r := range rs {
		read(r)
	}
	c.RET()
}

func TestErrors(t *testing.T) {
	vectors := func(n int) func(c *Context) {
		return func(c *Context) {
			live(c, n, func() reg.Register { return c.V128() },
				func(r reg.Register) { c.VMOVI(0, r) }, func(r reg.Register) { c.VFADD(r, r, r) })
		}
	}
	generals := func(n int) func(c *Context) {
		return func(c *Context) {
			live(c, n, func() reg.Register { return c.GP64() },
				func(r reg.Register) { c.MOVD(operand.Imm(0), r) },
				func(r reg.Register) { c.ADD(r, r, r) })
		}
	}
	x := func(c *Context) operand.Mem { return operand.Mem{Base: c.Load(c.Param("x"), c.GP64())} }
	for _, test := range []struct {
		name, want string // part of the error; "" for none
		emit       func(c *Context)
	}{
		{"32 vectors", "", vectors(32)},
		{"33 vectors", "failed to allocate registers", vectors(33)},
		{"15 generals", "", generals(15)},
		{"16 generals", "failed to allocate registers", generals(16)},

		{"pair of one vector", "both halves",
			func(c *Context) { v := c.V128(); c.FLDPQ(x(c), v, v); c.RET() }},
		{"pair of two dead vectors", "both halves",
			func(c *Context) { c.FLDPQ(x(c), c.V128(), c.V128()); c.RET() }},
		{"pair of one general", "both halves",
			func(c *Context) { r := c.GP64(); c.LDPW(x(c), r, r); c.RET() }},
		{"pair with one read", "", func(c *Context) {
			v := c.V128()
			c.FLDPQ(x(c), v, c.V128())
			c.Store(v, c.ReturnIndex(0))
			c.RET()
		}},
		{"pair stored from one vector", "", func(c *Context) {
			v := c.V128()
			c.VMOVI(0, v)
			c.FSTPQ(v, v, x(c))
			c.RET()
		}},

		{"general as vector", "wrong register", func(c *Context) { c.VMOVI(0, c.GP64()); c.RET() }},
		{"vector as general", "wrong register",
			func(c *Context) { c.LSL(operand.Imm(1), c.V128(), c.GP64()); c.RET() }},
		{"vector as base", "wrong register", func(c *Context) {
			c.FMOVS(operand.Mem{Base: c.V128()}, c.V128())
			c.RET()
		}},
		{"half a register", "wrong register",
			func(c *Context) { c.MOVD(operand.Imm(0), c.GP64().As32()); c.RET() }},
		{"lane as vector", "whole register",
			func(c *Context) { v := c.V128(); c.VMOVI(0, v); c.VFADD(v, S(v, 1), v); c.RET() }},
		{"no register", "no register", func(c *Context) { c.VMOVI(0, nil); c.RET() }},
		{"no operand", "unknown operand", func(c *Context) { c.MOVD(nil, c.GP64()); c.RET() }},
		{"no base", "no register", func(c *Context) { c.FMOVS(operand.Mem{}, c.V128()); c.RET() }},
		{"stack pointer", "reserved",
			func(c *Context) { c.MOVD(operand.Imm(0), reg.RSP); c.RET() }},
		{"no such parameter", "unknown variable",
			func(c *Context) { c.Load(c.Param("z"), c.GP64()); c.RET() }},

		{"read before written", "before it is written",
			func(c *Context) { c.FADDPS(c.V128(), c.V128()); c.RET() }},
		{"lane of nothing", "before it is written",
			func(c *Context) { c.VLD1(x(c), S(c.V128(), 1)); c.RET() }},
		{"no end", "past its end", func(c *Context) { c.VMOVI(0, c.V128()) }},
		{"nothing", "empty", func(c *Context) {}},
		{"no such label", "unknown label", func(c *Context) { c.B("nowhere"); c.RET() }},
	} {
		c := start("f")
		test.emit(c)
		err := compile(c)
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: got %v, want an error with %q", test.name, err, test.want)
		case test.want != "" && !strings.Contains(err.Error(), "f: "):
			t.Errorf("%s: the error does not name the function: %v", test.name, err)
		}
	}
}

// TestSpelling disassembles instructions. A wrong order of operands, which Go and GNU reverse,
// would make a line differ.
func TestSpelling(t *testing.T) {
	r0, r1, r2 := reg.Register(reg.RAX), reg.Register(reg.RCX), reg.Register(reg.RDX)
	v1, v2, v3 := reg.Register(reg.X1), reg.Register(reg.X2), reg.Register(reg.X3)
	m := operand.Mem{Base: r0}
	im := operand.Imm
	c := start("f")
	var want []string
	see := func(gnu string) { want = append(want, gnu) }

	c.MOVD(im(0x1234), r1)
	see("mov x1, #0x1234")
	c.MOVD(r1, r2)
	see("mov x2, x1")
	c.MOVD(m.Offset(8), r2)
	see("ldr x2, [x0,#8]")
	c.MOVD(r2, m.Idx(r1, 8))
	see("str x2, [x0,x1,lsl #3]")
	c.MOVWU(m.Idx(r1, 4), r2)
	see("ldr w2, [x0,x1,lsl #2]")
	c.MOVBU(m.Offset(1), r2)
	see("ldrb w2, [x0,#1]")
	c.MOVB(m.Offset(1), r2)
	see("ldrsb x2, [x0,#1]")
	c.MOVW(r1, r2)
	see("sxtw x2, w1")
	c.MOVHU(m.Offset(-6), r2)
	see("ldurh w2, [x0,#-6]")
	c.MOVHU(m.Offset(6), r2)
	see("ldrh w2, [x0,#6]")
	c.FMOVS(m.Offset(4), v1)
	see("ldr s1, [x0,#4]")
	c.FMOVS(m.Idx(r1, 4), v1)
	see("ldr s1, [x0,x1,lsl #2]")
	c.FMOVS(v1, m.Idx(r1, 4))
	see("str s1, [x0,x1,lsl #2]")
	c.FMOVS(m.Idx(r1, 1), v1)
	see("ldr s1, [x0,x1]")
	c.FMOVS(v1, v2)
	see("fmov s2, s1")
	c.FMOVS(r1, v2)
	see("fmov s2, w1")
	c.FMOVS(v2, r1)
	see("fmov w1, s2")
	c.FMOVD(m, v1)
	see("ldr d1, [x0]")
	c.FMOVD(v1, m.Offset(8))
	see("str d1, [x0,#8]")
	c.FMOVQ(m.Offset(16), v1)
	see("ldr q1, [x0,#16]")
	c.FMOVQ(v1, m.Offset(-16))
	see("stur q1, [x0,#-16]")
	c.LDPW(m.Offset(8), r1, r2)
	see("ldp w1, w2, [x0,#8]")
	c.FLDPQ(m.Offset(32), v1, v2)
	see("ldp q1, q2, [x0,#32]")
	c.FSTPQ(v1, v2, m.Offset(-32))
	see("stp q1, q2, [x0,#-32]")
	c.PRFM(m.Offset(64), "PLDL1KEEP")
	see("prfm pldl1keep, [x0,#64]")

	c.ADD(im(16), r1, r2)
	see("add x2, x1, #0x10")
	c.ADD(Shifted(r0, 2), r1, r2)
	see("add x2, x1, x0, lsl #2")
	c.SUB(r0, r1, r2)
	see("sub x2, x1, x0")
	c.CMP(im(4), r1)
	see("cmp x1, #0x4")
	c.CMP(r1, r2)
	see("cmp x2, x1")
	c.AND(operand.I32(-16), r1, r2)
	see("and x2, x1, #0xfffffffffffffff0")
	c.LSL(im(2), r1, r2)
	see("lsl x2, x1, #2")
	c.LSR(r0, r1, r2)
	see("lsr x2, x1, x0")

	c.Label("here")
	for _, b := range []struct {
		jump func(string)
		gnu  string
	}{
		{c.BEQ, "b.eq"}, {c.BNE, "b.ne"},
		{c.BLO, "b.cc"}, {c.BLS, "b.ls"}, {c.BHS, "b.cs"},
	} {
		b.jump("there")
		see(b.gnu + " .")
	}
	c.CBNZ(r1, "here")
	see("cbnz x1, .")
	c.TBZ(3, r1, "here")
	see("tbz w1, #3, .")
	c.TBNZ(3, r1, "here")
	see("tbnz w1, #3, .")
	c.B("here")
	see("b .")
	c.Label("there")

	c.VLD1(m, S(v1, 2))
	see("ld1 {v1.s}[2], [x0]")
	c.VLD1R(m, v1)
	see("ld1r {v1.4s}, [x0]")
	c.VDUP(S(v1, 3), v2)
	see("dup v2.4s, v1.s[3]")
	c.VDUP(r1, v2)
	see("dup v2.4s, w1")
	c.VMOV(S(v1, 1), S(v2, 2))
	see("mov v2.s[2], v1.s[1]")
	c.VMOV(D(v1, 1), D(v2, 0))
	see("mov v2.d[0], v1.d[1]")
	c.VMOV(r1, S(v2, 1))
	see("mov v2.s[1], w1")
	c.VMOV(S(v2, 1), r1)
	see("mov w1, v2.s[1]")
	c.VMOV(v1, v2)
	see("mov v2.16b, v1.16b")
	c.VMOVI(0, v1)
	see("movi v1.16b, #0x0")
	c.VEXT(8, v1, v2, v3)
	see("ext v3.16b, v2.16b, v1.16b, #8")
	c.VBIT(v1, v2, v3)
	see("bit v3.16b, v2.16b, v1.16b")
	c.VTBL(v1, v2, v3)
	see("tbl v3.16b, {v2.16b}, v1.16b")
	c.VTBX(v1, v2, v3)
	see("tbx v3.16b, {v2.16b}, v1.16b")
	for _, o := range []struct {
		do  func(m, n, d reg.Register)
		gnu string
	}{
		{c.VAND, "and v3.16b, v2.16b, v1.16b"},
		{c.VORR, "orr v3.16b, v2.16b, v1.16b"},
		{c.VUZP1, "uzp1 v3.4s, v2.4s, v1.4s"},
		{c.VUZP2, "uzp2 v3.4s, v2.4s, v1.4s"},
		{c.VADD, "add v3.4s, v2.4s, v1.4s"},
		{c.VADDP, "addp v3.4s, v2.4s, v1.4s"},
		{c.VSMULLH, "smull v3.4s, v2.4h, v1.4h"},
		{c.VSMULL2H, "smull2 v3.4s, v2.8h, v1.8h"},
		{c.VSUB, "sub v3.4s, v2.4s, v1.4s"},
		{c.VFADD, "fadd v3.4s, v2.4s, v1.4s"},
		{c.VFSUB, "fsub v3.4s, v2.4s, v1.4s"},
		{c.VFMUL, "fmul v3.4s, v2.4s, v1.4s"},
		{c.VFMAX, "fmax v3.4s, v2.4s, v1.4s"},
		{c.VFMIN, "fmin v3.4s, v2.4s, v1.4s"},
		{c.VFADDP, "faddp v3.4s, v2.4s, v1.4s"},
		{c.VFADDD, "fadd v3.2d, v2.2d, v1.2d"},
		{c.VFSUBD, "fsub v3.2d, v2.2d, v1.2d"},
		{c.VFMULD, "fmul v3.2d, v2.2d, v1.2d"},
		{c.VFDIVD, "fdiv v3.2d, v2.2d, v1.2d"},
		{c.VFCMGTD, "fcmgt v3.2d, v2.2d, v1.2d"},
		{c.VFCMEQ, "fcmeq v3.4s, v2.4s, v1.4s"},
		{c.VFCMGT, "fcmgt v3.4s, v2.4s, v1.4s"},
		{c.VSABD, "sabd v3.16b, v2.16b, v1.16b"},
		{c.VUABD, "uabd v3.16b, v2.16b, v1.16b"},
		{c.VSMULLB, "smull v3.8h, v2.8b, v1.8b"},
		{c.VSMULL2B, "smull2 v3.8h, v2.16b, v1.16b"},
		{c.VUMULL, "umull v3.8h, v2.8b, v1.8b"},
		{c.VUMULL2, "umull2 v3.8h, v2.16b, v1.16b"},
		{c.FADDS, "fadd s3, s2, s1"},
		{c.FMULS, "fmul s3, s2, s1"},
	} {
		o.do(v1, v2, v3)
		see(o.gnu)
	}
	for _, o := range []struct {
		do  func(n, d reg.Register)
		gnu string
	}{
		{c.FADDPS, "faddp s2, v1.2s"},
		{c.FADDPD, "faddp d2, v1.2d"},
		{c.VFCVTL, "fcvtl v2.2d, v1.2s"},
		{c.VFCVTL2, "fcvtl2 v2.2d, v1.4s"},
		{c.VFCVTN, "fcvtn v2.2s, v1.2d"},
		{c.VSCVTF, "scvtf v2.4s, v1.4s"},
		{c.VUXTLB, "uxtl v2.8h, v1.8b"},
		{c.VUXTLH, "uxtl v2.4s, v1.4h"},
		{c.VUXTL2H, "uxtl2 v2.4s, v1.8h"},
		{c.VSXTLB, "sxtl v2.8h, v1.8b"},
		{c.VSXTLH, "sxtl v2.4s, v1.4h"},
		{c.VSXTL2H, "sxtl2 v2.4s, v1.8h"},
		{c.VSADALP, "sadalp v2.4s, v1.8h"},
		{c.VUADALP, "uadalp v2.4s, v1.8h"},
		{c.VADDV, "addv s2, v1.4s"},
	} {
		o.do(v1, v2)
		see(o.gnu)
	}
	c.VSHL(23, v1, v2)
	see("shl v2.4s, v1.4s, #23")
	c.VSHLD(52, v1, v2)
	see("shl v2.2d, v1.2d, #52")
	c.VUSHR(23, v1, v2)
	see("ushr v2.4s, v1.4s, #23")
	c.RET()
	see("ret")

	file, err := c.Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, fn := range file.Functions() {
		for _, i := range fn.Instructions() {
			checkLiveness(t, i)
		}
		// Bind alone, because Compile fails if fixed registers are read before they are written.
		if err := Bind(fn); err != nil {
			t.Fatal(err)
		}
		fn.Attributes = 0 // the source then needs no textflag.h
	}
	asm, err := printer.NewGoAsm(printer.Config{}).Print(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source, object := filepath.Join(dir, "f_arm64.s"), filepath.Join(dir, "f.o")
	if err := os.WriteFile(source, asm, 0o666); err != nil {
		t.Fatal(err)
	}
	assemble := exec.Command("go", "tool", "asm", "-p", "f", "-o", object, source)
	assemble.Env = append(os.Environ(), "GOARCH=arm64")
	if out, err := assemble.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("go", "tool", "objdump", "-gnu", object).Output()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, line := range strings.Split(string(out), "\n") {
		if _, gnu, ok := strings.Cut(line, " // "); ok {
			got = append(got, strings.TrimSpace(gnu))
		}
	}
	for k, w := range want {
		if k >= len(got) {
			t.Fatalf("%d instructions, want %d", len(got), len(want))
		}
		// A jump's distance is not compared.
		if g := got[k]; g != w && !(strings.HasSuffix(w, ".") && strings.HasPrefix(g, w)) {
			t.Errorf("instruction %d is %q, want %q", k, g, w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d instructions, want %d", len(got), len(want))
	}
}

// As a rule, the last operand is written and the others are read.
func checkLiveness(t *testing.T, i *ir.Instruction) {
	var written, read []reg.Register
	last := len(i.Operands) - 1
	for k, op := range i.Operands {
		d, register := op.(view)
		switch {
		case !register, i.IsBranch, i.Opcode == "CMP":
			read = append(read, operand.Registers(op)...)
		case k == last, k == last-1 && strings.HasPrefix(d.format, "("):
			written = append(written, d)
			if i.Opcode == "VBIT" || i.Opcode == "VTBX" ||
				strings.HasSuffix(i.Opcode, "ADALP") || strings.Contains(d.format, ".S[") ||
				strings.Contains(d.format, ".D[") {
				read = append(read, d)
			}
		default:
			read = append(read, d)
		}
	}
	same := func(a, b []reg.Register) bool {
		return reg.NewMaskSetFromRegisters(a).Equals(reg.NewMaskSetFromRegisters(b))
	}
	if !same(i.InputRegisters(), read) || !same(i.OutputRegisters(), written) {
		t.Errorf("%s %s: reads %v and writes %v", i.Opcode, join(i.Operands), i.InputRegisters(),
			i.OutputRegisters())
	}
}
