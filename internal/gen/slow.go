package main

import (
	"bytes"
	"fmt"
	"strings"
)

func (k *kernelSpec) slowByHand() *kernelSpec { k.ownSlow = true; return k }

func (k *kernelSpec) hasSlow() bool {
	return k.checked && !k.ownSlow && k.like == k.name+"Generic"
}

func (k *kernelSpec) printSlow(b *bytes.Buffer) {
	equal := k.equalSlices()
	parameters, result, _ := strings.Cut(strings.TrimPrefix(k.text, "func"), ") ")
	end, add, sum := "\n\t\treturn", "", ""
	if result != "" {
		parameters += ") (total " + result + ")"
		end, add, sum = "", "total += ", "\treturn total\n"
	}
	fmt.Fprintf(b, "\nfunc %sSlow%s {\n", k.name, parameters)
	for i, name := range equal[1:] {
		fmt.Fprintf(b, "\tmisuse.CheckEqual(\"len(%[1]s)\", len(%[1]s), \"len(%[2]s)\", len(%[2]s))\n",
			equal[i], name)
	}
	block := strings.TrimPrefix(k.call(k.name+"Active", "%s[i:j]", equal), "return ")
	fmt.Fprintf(b, "\tif len(%s) <= Block {\n\t\t%s%s\n\t}\n", equal[0],
		k.call(k.name+"Generic", "%s", nil), end)
	fmt.Fprintf(b, "\tfor i := 0; i < len(%[1]s); i += Block {\n\t\tj := min(i+Block, len(%[1]s))\n"+
		"\t\t%[2]s%[3]s\n\t}\n%[4]s}\n", equal[0], add, block, sum)
}

func (k *kernelSpec) printFlatSlow(b *bytes.Buffer) {
	_, slow := k.stubAndSlow()
	fmt.Fprintf(b, "\nvar _ = %s // the assembly jumps to it\n", slow)
	if !k.passSlices {
		fmt.Fprintf(b, "\nfunc %s%s {\n\t%s\n}\n", slow, strings.TrimPrefix(k.flat(), "func"),
			k.call(k.slow(), "unsafe.Slice(%[1]s, "+lengthOf("%[1]s")+")", k.slices))
	}
}
