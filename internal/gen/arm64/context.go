// Package arm64 generates arm64 assembly with avo, which supports only x86 (mmcloughlin/avo#189).
//
// A Context is used like avo's *build.Context, except that [Compile] compiles its result.
//
// Fused multiply-add is missing on purpose: a kernel's products are rounded before they are added.
package arm64

import (
	"errors"
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/reg"
)

// Context builds one file of arm64 assembly. The x86 instructions of the embedded *build.Context
// must not be used.
type Context struct {
	*build.Context
	function string // for error messages
	errs     []error
}

func NewContext() *Context { return &Context{Context: build.NewContext()} }

func (c *Context) Function(name string) {
	c.function = name
	c.Context.Function(name)
}

// V128 returns a new vector register of 128 bits.
func (c *Context) V128() reg.VecVirtual { return c.Context.XMM() }

func (c *Context) fail(format string, a ...any) {
	c.errs = append(c.errs, fmt.Errorf("arm64: "+c.function+": "+format, a...))
}

// Result returns the file, which Compile compiles, and the errors of the calls that built it.
func (c *Context) Result() (*ir.File, error) {
	f, err := c.Context.Result()
	return f, errors.Join(append(c.errs, err)...)
}
