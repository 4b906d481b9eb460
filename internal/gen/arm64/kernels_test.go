package arm64_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"

	"github.com/pegasimd/pegasimd/internal/gen/arm64"
)

// These kernels prove the layer, not the library: they keep its arithmetic contract in the plainest
// way.

func function(c *arm64.Context, name, signature string) {
	c.Function(name)
	c.Attributes(attr.NOSPLIT)
	c.Pragma("noescape")
	c.SignatureExpr(signature)
}

func vectors(c *arm64.Context, n int) []reg.Register {
	v := make([]reg.Register, n)
	for i := range v {
		v[i] = c.V128()
	}
	return v
}

func at(p reg.Register, disp int) operand.Mem { return operand.Mem{Base: p, Disp: disp} }

// blocks runs body for each k of n, leaving n mod k in n.
func blocks(c *arm64.Context, name string, k int, n reg.Register, body func()) {
	c.Label(name)
	c.CMP(operand.I32(k), n)
	c.BLT(name + "End")
	body()
	c.SUB(operand.I32(k), n, n)
	c.B(name)
	c.Label(name + "End")
}

// loadPart loads the 0…3 floats at p that bits 0 and 1 of n count, with zeros after them. It moves
// p.
func loadPart(c *arm64.Context, name string, p, n, d reg.Register) {
	c.TBZ(1, n, name+"NoTwo")
	c.FMOVD(at(p, 0), d)
	c.TBZ(0, n, name+"End")
	c.ADD(operand.Imm(8), p, p)
	c.VLD1(at(p, 0), arm64.S(d, 2))
	c.B(name + "End")
	c.Label(name + "NoTwo")
	c.VMOVI(0, d)
	c.TBZ(0, n, name+"End")
	c.FMOVS(at(p, 0), d)
	c.Label(name + "End")
}

// fold adds accumulator i+n/2 to i, then the lanes of the last one.
func fold(c *arm64.Context, acc []reg.Register) reg.Register {
	for n := len(acc) / 2; n > 0; n /= 2 {
		for i := range n {
			c.VFADD(acc[i+n], acc[i], acc[i])
		}
	}
	upper := c.V128()
	c.VEXT(8, acc[0], acc[0], upper)
	c.VFADD(upper, acc[0], acc[0])
	c.FADDPS(acc[0], acc[0])
	return acc[0]
}

func dot(c *arm64.Context) {
	function(c, "dotNEON", "func(x, y *float32, n int) float32")
	c.Doc("dotNEON adds x[i]*y[i] in 64 lanes.")
	x := c.Load(c.Param("x"), c.GP64())
	y := c.Load(c.Param("y"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	acc := vectors(c, 16)
	for _, a := range acc {
		c.VMOVI(0, a)
	}
	c.Comment("main loop")
	blocks(c, "block", 64, n, func() {
		for i := 0; i < 16; i += 2 {
			vx, vy := vectors(c, 2), vectors(c, 2)
			c.FLDPQ(at(x, 16*i), vx[0], vx[1])
			c.FLDPQ(at(y, 16*i), vy[0], vy[1])
			for k := range 2 {
				c.VFMUL(vy[k], vx[k], vx[k])
				c.VFADD(vx[k], acc[i+k], acc[i+k])
			}
		}
		c.ADD(operand.I32(256), x, x)
		c.ADD(operand.I32(256), y, y)
	})
	c.Comment("tail: up to 15 vectors, each to its accumulator, and the part after the " +
		"last of them")
	vx, vy := c.V128(), c.V128()
	for i, a := range acc {
		if i < 15 {
			c.CMP(operand.Imm(4), n)
			c.BLT(fmt.Sprintf("part%d", i))
			c.FMOVQ(at(x, 0), vx)
			c.FMOVQ(at(y, 0), vy)
			c.VFMUL(vy, vx, vx)
			c.VFADD(vx, a, a)
			c.ADD(operand.Imm(16), x, x)
			c.ADD(operand.Imm(16), y, y)
			c.SUB(operand.Imm(4), n, n)
		}
	}
	for i := 15; i >= 0; i-- {
		name := fmt.Sprintf("part%d", i)
		c.Label(name)
		loadPart(c, name+"x", x, n, vx)
		loadPart(c, name+"y", y, n, vy)
		c.VFMUL(vy, vx, vx)
		c.VFADD(vx, acc[i], acc[i])
		c.B("fold")
	}
	c.Label("fold")
	c.Store(fold(c, acc), c.ReturnIndex(0))
	c.RET()
}

func axpy(c *arm64.Context) {
	function(c, "axpyNEON", "func(a float32, x, y *float32, n int)")
	c.Doc("axpyNEON is y[i] += float32(a * x[i]).")
	scalar := c.Load(c.Param("a"), c.V128())
	x := c.Load(c.Param("x"), c.GP64())
	y := c.Load(c.Param("y"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	a := c.V128()
	c.VDUP(arm64.S(scalar, 0), a)
	step := func(k int, body func()) func() {
		return func() {
			body()
			c.ADD(operand.Imm(uint64(4*k)), x, x)
			c.ADD(operand.Imm(uint64(4*k)), y, y)
		}
	}
	vx, vy := vectors(c, 4), vectors(c, 4)
	blocks(c, "block", 16, n, step(16, func() {
		for i := 0; i < 4; i += 2 {
			c.FLDPQ(at(x, 16*i), vx[i], vx[i+1])
			c.FLDPQ(at(y, 16*i), vy[i], vy[i+1])
			for k := i; k < i+2; k++ {
				c.VFMUL(vx[k], a, vx[k])
				c.VFADD(vx[k], vy[k], vy[k])
			}
			c.FSTPQ(vy[i], vy[i+1], at(y, 16*i))
		}
	}))
	blocks(c, "vector", 4, n, step(4, func() {
		c.FMOVQ(at(x, 0), vx[0])
		c.FMOVQ(at(y, 0), vy[0])
		c.VFMUL(vx[0], a, vx[0])
		c.VFADD(vx[0], vy[0], vy[0])
		c.FMOVQ(vy[0], at(y, 0))
	}))
	blocks(c, "one", 1, n, step(1, func() {
		c.FMOVS(at(x, 0), vx[0])
		c.FMOVS(at(y, 0), vy[0])
		c.FMULS(vx[0], scalar, vx[0])
		c.FADDS(vx[0], vy[0], vy[0])
		c.FMOVS(vy[0], at(y, 0))
	}))
	c.RET()
}

func sparseDot(c *arm64.Context) {
	function(c, "dotSparseNEON", "func(values *float32, indices *int32, n int, w *float32) float32")
	c.Doc("dotSparseNEON adds values[k]*w[indices[k]] in 8 lanes.")
	values := c.Load(c.Param("values"), c.GP64())
	indices := c.Load(c.Param("indices"), c.GP64())
	n := c.Load(c.Param("n"), c.GP64())
	w := c.Load(c.Param("w"), c.GP64())
	acc := vectors(c, 2)
	for _, a := range acc {
		c.VMOVI(0, a)
	}
	element := func(i reg.Register) operand.Mem {
		return operand.Mem{Base: w, Index: arm64.SXTW(i), Scale: 4}
	}
	blocks(c, "block", 8, n, func() {
		for k := range 2 {
			g := vectors(c, 4)
			for i := 0; i < 4; i += 2 {
				i0, i1 := c.GP64(), c.GP64()
				c.LDPW(at(indices, 16*k+4*i), i0, i1)
				c.FMOVS(element(i0), g[i])
				c.FMOVS(element(i1), g[i+1])
			}
			c.VZIP1(g[2], g[0], g[0])
			c.VZIP1(g[3], g[1], g[1])
			c.VZIP1(g[1], g[0], g[0])
			v := c.V128()
			c.FMOVQ(at(values, 16*k), v)
			c.VFMUL(g[0], v, v)
			c.VFADD(v, acc[k], acc[k])
		}
		c.ADD(operand.Imm(32), values, values)
		c.ADD(operand.Imm(32), indices, indices)
	})
	c.Comment("tail: one by one into the lanes of a zero vector")
	part := vectors(c, 2)
	for _, p := range part {
		c.VMOVI(0, p)
	}
	for k := range 7 {
		i, v, g := c.GP64(), c.V128(), c.V128()
		c.CMP(operand.Imm(uint64(k)), n)
		c.BEQ("fold")
		c.MOVW(at(indices, 4*k), i)
		c.FMOVS(at(values, 4*k), v)
		c.FMOVS(element(i), g)
		c.FMULS(g, v, v)
		c.VMOV(arm64.S(v, 0), arm64.S(part[k/4], k%4))
	}
	c.Label("fold")
	for k, p := range part {
		c.VFADD(p, acc[k], acc[k])
	}
	c.Store(fold(c, acc), c.ReturnIndex(0))
	c.RET()
}

func lookUp(c *arm64.Context) {
	table := c.StaticGlobal("squares")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 4 {
		c.AppendDatum(operand.F32(i * i))
	}
	function(c, "lookUpNEON", "func(i int32) float32")
	c.Doc("lookUpNEON is i*i for 0 <= i < 4.")
	i, base, v := c.Load(c.Param("i"), c.GP64()), c.GP64(), c.V128()
	c.Address(table, base)
	c.FMOVS(operand.Mem{Base: base, Index: i, Scale: 4}, v)
	c.Store(v, c.ReturnIndex(0))
	c.RET()
}

// TestKernels generates the kernels, vets and builds them for arm64, and runs
// testdata/kernels/kernels_test.go, which compares their bits with plain Go, on this machine or
// under qemu-aarch64 (Debian's qemu-user).
func TestKernels(t *testing.T) {
	c := arm64.NewContext()
	dot(c)
	axpy(c)
	sparseDot(c)
	lookUp(c)
	asm, stubs, err := c.Files(printer.Config{Name: "internal/gen/arm64", Pkg: "kernels"})
	if err != nil {
		t.Fatal(err)
	}
	module := t.TempDir()
	test, err := os.ReadFile("testdata/kernels/kernels_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"go.mod":           []byte("module kernels\n\ngo 1.25.0\n"),
		"kernels_arm64.s":  asm,
		"kernels_arm64.go": stubs,
		"kernels_test.go":  test,
	} {
		if err := os.WriteFile(filepath.Join(module, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = module
		cmd.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0", "GOFLAGS=-mod=mod",
			"GOWORK=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run("go", "vet", ".")
	run("go", "test", "-c", "-o", "kernels.test", ".")

	// The machine code, not the text: the assembler may use R27 where a constant does not fit. R30
	// is where RET goes.
	code := run("go", "tool", "objdump", "-s", `kernels\.\w+NEON`, "kernels.test")
	if n := strings.Count(code, "TEXT"); n != 4 {
		t.Fatalf("%d functions in the disassembly", n)
	}
	code = regexp.MustCompile(`.*\t00000000\t.*`).ReplaceAllString(code, "") // padding
	if bad := regexp.MustCompile(`.*(\bR(1[678]|2[6-9]|30)\b|\t\?).*`).FindString(code); bad != "" {
		t.Errorf("uses a register that it must not, or is no instruction: %s", bad)
	}
	if bad := regexp.MustCompile(`.*\bV?FN?M(ADD|SUB|LA|LS).*`).FindString(code); bad != "" {
		t.Errorf("fused multiply-add: %s", bad)
	}

	if runtime.GOARCH == "arm64" && runtime.GOOS == "linux" {
		run("./kernels.test")
		return
	}
	qemu, err := exec.LookPath("qemu-aarch64")
	if errors.Is(err, exec.ErrNotFound) {
		if os.Getenv("CI") != "" {
			t.Fatal("qemu-aarch64 is not installed: run scripts/ci.sh only install")
		}
		t.Log("qemu-aarch64 is not installed: the kernels were built and vetted but not run")
		return
	}
	for _, cpu := range []string{"cortex-a57", "max"} {
		run(qemu, "-cpu", cpu, "./kernels.test")
	}
}
