package main

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
)

// signature is the type of a kernel's functions.
type signature struct {
	text       string   // Go function type
	slices     []string // names of the slice parameters
	passSlices bool     // the assembly has slices as parameters
}

// With a bool parameter, the assembly has slices as parameters.
func newSignature(text string) signature {
	return signature{text, slicesOf(text), strings.Contains(text, " bool")}
}

func slicesOf(signature string) (names []string) {
	for v := range parse(signature).Params().Variables() {
		if _, ok := v.Type().(*types.Slice); ok {
			names = append(names, v.Name())
		}
	}
	return names
}

func parse(signature string) *types.Signature {
	tv, err := types.Eval(token.NewFileSet(), nil, token.NoPos, signature)
	if err != nil {
		panic(err)
	}
	return tv.Type.(*types.Signature)
}

func lengthOf(slice string) string { return slice + "Len" }

func (s *signature) flat() string {
	if s.passSlices {
		return s.text
	}
	of := parse(s.text)
	var parameters []string
	for v := range of.Params().Variables() {
		if slice, ok := v.Type().(*types.Slice); ok {
			parameters = append(parameters, v.Name()+" *"+slice.Elem().String(),
				lengthOf(v.Name())+" int")
		} else {
			parameters = append(parameters, v.Name()+" "+v.Type().String())
		}
	}
	result := ""
	if of.Results().Len() > 0 {
		result = " " + of.Results().At(0).Type().String()
	}
	return "func(" + strings.Join(parameters, ", ") + ")" + result
}

// equalSlices returns the names of the slices that must have equal lengths: all but w, the dense
// vector to which a sparse row's indices refer.
func (s *signature) equalSlices() []string {
	return slices.DeleteFunc(slices.Clone(s.slices), func(name string) bool { return name == "w" })
}

func (s *signature) pointer(param func(string) gotypes.Component, name string) gotypes.Component {
	if s.passSlices && slices.Contains(s.slices, name) {
		return param(name).Base()
	}
	return param(name)
}

func (s *signature) int(param func(string) gotypes.Component, name string) gotypes.Component {
	slice, ok := strings.CutPrefix(name, "len(")
	switch slice = strings.TrimSuffix(slice, ")"); {
	case !ok && (name != "n" || len(s.slices) == 0):
		return param(name)
	case !ok:
		slice = s.slices[0]
	}
	if s.passSlices {
		return param(slice).Len()
	}
	return param(lengthOf(slice))
}

func (s *signature) call(function, format string, names []string) string {
	of := parse(s.text)
	var arguments []string
	for v := range of.Params().Variables() {
		argument := v.Name()
		if slices.Contains(names, argument) {
			argument = fmt.Sprintf(format, argument)
		}
		arguments = append(arguments, argument)
	}
	call := fmt.Sprintf("%s(%s)", function, strings.Join(arguments, ", "))
	if of.Results().Len() > 0 {
		return "return " + call
	}
	return call
}

// leave returns an instruction that removes the frame and jumps to the given function. With flat
// parameters, it jumps to nameSlowFlat in place of a Go function nameSlow.
func (s *signature) leave(function string) *ir.Instruction {
	if strings.HasSuffix(function, "Slow") && !s.passSlices {
		function += "Flat"
	}
	to := operand.LabelRef("·" + function + "(SB)")
	return &ir.Instruction{Opcode: "RET", Operands: []operand.Op{to}, IsTerminal: true}
}
