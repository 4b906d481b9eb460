package arm64

import (
	"go/types"

	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/reg"
)

// Local sets d to the address of the memory that AllocLocal has reserved in the frame, above the
// saved link register. A function may call AllocLocal only once.
func (c *Context) Local(d reg.Register) {
	c.emit("ADD", nil, ops{d}, text("$8"), text("RSP"), r64(d))
}

// Load loads the parameter src, of 32 or 64 bits, into dst and returns dst. Integers of 32 bits are
// sign-extended.
func (c *Context) Load(src gotypes.Component, dst reg.Register) reg.Register {
	if b := c.resolve(src); b != nil {
		c.move(argumentMove(b.Type), b.Addr, dst)
	}
	return dst
}

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
