// Package arm64 adds to avo the NEON instructions it does not have (mmcloughlin/avo#189).
//
// Everything in avo that is not x86 is used as it is: the build context, argument offsets, control
// flow, liveness, register allocation and both printers. This package adds the instructions'
// spelling (instructions.go), the encoding of those Go 1.26 cannot assemble (words.go), and the
// pass that turns avo's register numbers into arm64's names (compile.go).
//
// A Context has the method names of avo's *build.Context, so one interface can stand over both:
//
//	c := arm64.NewContext()
//	c.Function("fNEON")
//	c.Attributes(attr.NOSPLIT)
//	c.SignatureExpr("func(x *float32, n int)")
//	x := c.Load(c.Param("x"), c.GP64())
//	…
//	c.RET()
//	f, err := c.Result()
//	…
//	err = arm64.Compile.Execute(f)
//
// Instructions are written as Go's assembler writes them, the destination last. There is no fused
// multiply-add on purpose: the arithmetic contract rounds the product before it is added.
package arm64

import (
	"errors"
	"fmt"
	"go/types"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/reg"
)

// Context builds one file of arm64 assembly. It has the methods of *build.Context that mean the
// same on arm64, and x86's instructions, which the assembler refuses. Mistakes are collected and
// come out of Result.
type Context struct {
	*build.Context
	function string
	errs     []error
}

// NewContext returns an empty Context.
func NewContext() *Context { return &Context{Context: build.NewContext()} }

// Function starts a function.
func (c *Context) Function(name string) {
	c.function = name
	c.Context.Function(name)
}

// V128 returns a new vector register: V, F and lanes of it are views that the instructions choose.
func (c *Context) V128() reg.VecVirtual { return c.Context.XMM() }

// Local moves the address of what AllocLocal reserved, once in a function, to d: it is above the
// saved link register.
func (c *Context) Local(d reg.Register) {
	c.emit("ADD", nil, ops{d}, text("$8"), text("RSP"), r64(d))
}

// Load moves the parameter src to dst, extended to 64 bits as its type says, and returns dst.
func (c *Context) Load(src gotypes.Component, dst reg.Register) reg.Register {
	if b := c.resolve(src); b != nil {
		c.move(argumentMove(b.Type), b.Addr, dst)
	}
	return dst
}

// Store moves src to the result dst.
func (c *Context) Store(src reg.Register, dst gotypes.Component) {
	if b := c.resolve(dst); b != nil {
		c.move(argumentMove(b.Type), src, b.Addr)
	}
}

func (c *Context) resolve(a gotypes.Component) *gotypes.Basic {
	b, err := a.Resolve()
	if err != nil {
		c.fail("%v", err)
		return nil
	}
	return b
}

func argumentMove(t *types.Basic) string {
	size := gotypes.Sizes.Sizeof(t)
	if t.Info()&types.IsFloat != 0 {
		return map[int64]string{4: "FMOVS", 8: "FMOVD"}[size]
	}
	return map[int64]string{4: "MOVW", 8: "MOVD"}[size]
}

func (c *Context) fail(format string, a ...any) {
	c.errs = append(c.errs, fmt.Errorf("arm64: "+c.function+": "+format, a...))
}

// Result returns the file before Compile, and the mistakes made in building it.
func (c *Context) Result() (*ir.File, error) {
	f, err := c.Context.Result()
	return f, errors.Join(append(c.errs, err)...)
}
