package arm64

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
)

// words maps instructions that Go 1.26 cannot assemble to their encodings, with zeros as register
// numbers. Operands are in the order m, n, d or n, d.
var words = map[string]uint32{
	"VFADD":    0x4e20d400,
	"VFSUB":    0x4ea0d400,
	"VFMUL":    0x6e20dc00,
	"VFMAX":    0x4e20f400,
	"VFMIN":    0x4ea0f400,
	"VFADDP":   0x6e20d400,
	"FADDPS":   0x7e30d800,
	"VSMULLH":  0x0e60c000,
	"VSMULL2H": 0x4e60c000,
	"VFADDD":   0x4e60d400,
	"VFSUBD":   0x4ee0d400,
	"VFMULD":   0x6e60dc00,
	"VFDIVD":   0x6e60fc00,
	"FADDPD":   0x7e70d800,
	"VFCVTL":   0x0e617800,
	"VFCVTL2":  0x4e617800,
	"VFCVTN":   0x0e616800,
	"VFCVTN2":  0x4e616800,
	"VFCVTLH":  0x0e217800,
	"VFCVTL2H": 0x4e217800,
	"VFCVTNH":  0x0e216800,
	"VFCVTN2H": 0x4e216800,
	"VXTN":     0x0e612800,
	"VXTN2":    0x4e612800,
	"VFCMEQ":   0x4e20e400,
	"VFCMGT":   0x6ea0e400,
	"VFCMGTD":  0x6ee0e400,
	"VSCVTF":   0x4e21d800,
	"VSABD":    0x4e207400,
	"VUABD":    0x6e207400,
	"VSMULLB":  0x0e20c000,
	"VSMULL2B": 0x4e20c000,
	"VUMULL":   0x2e20c000,
	"VUMULL2":  0x6e20c000,
	"VSADALP":  0x4e606800,
	"VUADALP":  0x6e606800,
	"VSADDLP":  0x4ea02800,
	"VUADDLP":  0x6ea02800,
	"VSDOT":    0x4e809400,
	"VUDOT":    0x6e809400,
	"VSXTLB":   0x0f08a400,
	"VSXTLH":   0x0f10a400,
	"VSXTL2H":  0x4f10a400,
}

func encode(base uint32, registers []uint32) uint32 {
	for i, r := range registers {
		base |= r << []uint{0, 5, 16}[len(registers)-1-i]
	}
	return base
}

const comment = " // "

func word(opcode string, registers []uint32, args ops) operand.Op {
	return text(fmt.Sprintf("$0x%08x%s%s %s", encode(words[opcode], registers), comment, opcode,
		join(args)))
}
