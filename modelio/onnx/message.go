package onnx

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/pegasimd/pegasimd/pegasos"
)

// A message is an encoded message of onnx.proto.
type message []byte

func (m *message) integer(field protowire.Number, v int64) {
	*m = protowire.AppendTag(*m, field, protowire.VarintType)
	*m = protowire.AppendVarint(*m, uint64(v))
}

func (m *message) text(field protowire.Number, s string) {
	*m = protowire.AppendTag(*m, field, protowire.BytesType)
	*m = protowire.AppendString(*m, s)
}

func (m *message) message(field protowire.Number, sub message) {
	*m = protowire.AppendTag(*m, field, protowire.BytesType)
	*m = protowire.AppendBytes(*m, sub)
}

func (m *message) floats(field protowire.Number, vectors ...[]float32) {
	n := 0
	for _, v := range vectors {
		n += len(v)
	}
	*m = protowire.AppendTag(*m, field, protowire.BytesType)
	*m = protowire.AppendVarint(*m, 4*uint64(n))
	for _, v := range vectors {
		for _, f := range v {
			*m = protowire.AppendFixed32(*m, math.Float32bits(f))
		}
	}
}

// Field numbers of AttributeProto, and values of its field type.
const (
	attributeName    protowire.Number = 1
	attributeFloat   protowire.Number = 2
	attributeInt     protowire.Number = 3
	attributeString  protowire.Number = 4
	attributeFloats  protowire.Number = 7
	attributeInts    protowire.Number = 8
	attributeStrings protowire.Number = 9
	attributeType    protowire.Number = 20

	typeFloat   = 1
	typeInt     = 2
	typeString  = 3
	typeFloats  = 6
	typeInts    = 7
	typeStrings = 8
)

func attribute(name string, kind int64) (a message) {
	a.text(attributeName, name)
	a.integer(attributeType, kind)
	return a
}

func floatsAttribute(name string, vectors ...[]float32) message {
	a := attribute(name, typeFloats)
	a.floats(attributeFloats, vectors...)
	return a
}

func floatAttribute(name string, value float32) message {
	a := protowire.AppendTag(attribute(name, typeFloat), attributeFloat, protowire.Fixed32Type)
	return protowire.AppendFixed32(a, math.Float32bits(value))
}

func stringsAttribute(name string, values []string) message {
	a := attribute(name, typeStrings)
	for _, v := range values {
		a.text(attributeStrings, v)
	}
	return a
}

func intsAttribute(name string, values []int64) message {
	a := attribute(name, typeInts)
	for _, v := range values {
		a.integer(attributeInts, v)
	}
	return a
}

func stringAttribute(name, value string) message {
	a := attribute(name, typeString)
	a.text(attributeString, value)
	return a
}

func intAttribute(name string, value int64) message {
	a := attribute(name, typeInt)
	a.integer(attributeInt, value)
	return a
}

func node(operator, domain string, inputs, outputs []string, attributes ...message) (n message) {
	for _, i := range inputs {
		n.text(1, i)
	}
	for _, o := range outputs {
		n.text(2, o)
	}
	n.text(3, outputs[0])
	n.text(4, operator)
	n.text(7, domain)
	for _, a := range attributes {
		n.message(5, a)
	}
	return n
}

func mlNode(operator string, inputs []string, output string, attributes ...message) message {
	return node(operator, mlDomain, inputs, []string{output}, attributes...)
}

// Without dims, tensor returns a scalar.
func tensor(name string, values []float32, dims ...int) (t message) {
	for _, d := range dims {
		t.integer(1, int64(d))
	}
	t.integer(2, elementFloat)
	t.floats(4, values)
	t.text(8, name)
	return t
}

func intTensor(name string, values []int64) (t message) {
	t.integer(1, int64(len(values)))
	t.integer(2, elementInt64)
	for _, v := range values {
		t.integer(7, v)
	}
	t.text(8, name)
	return t
}

func doubleTensor(name string, values []float64) (t message) {
	t.integer(1, int64(len(values)))
	t.integer(2, elementDouble)
	t.text(8, name)
	t = protowire.AppendTag(t, 10, protowire.BytesType)
	t = protowire.AppendVarint(t, 8*uint64(len(values)))
	for _, v := range values {
		t = protowire.AppendFixed64(t, math.Float64bits(v))
	}
	return t
}

func labelTensor(name string, m *pegasos.Model, element int64) (t message) {
	t.integer(1, int64(len(m.Classes)))
	t.integer(2, element)
	for i, c := range m.Classes {
		if element == elementString {
			t.text(6, m.ClassName(i))
		} else {
			t.integer(7, int64(c))
		}
	}
	t.text(8, name)
	return t
}

// Element types: values of TensorProto.DataType.
const (
	elementFloat  = 1
	elementInt64  = 7
	elementString = 8
	elementDouble = 11
)

// value returns a ValueInfoProto of a tensor with any number of rows and the given number of
// columns. If columns is negative, the tensor has one dimension.
func value(name string, element, columns int64, doc string) (v message) {
	var rows, cols, shape, tensor, kind message
	rows.text(2, "rows")
	shape.message(1, rows)
	if columns >= 0 {
		cols.integer(1, columns)
		shape.message(1, cols)
	}
	tensor.integer(1, element)
	tensor.message(2, shape)
	kind.message(1, tensor)
	v.text(1, name)
	v.message(2, kind)
	v.text(3, doc)
	return v
}

func property(key, value string) (p message) {
	p.text(1, key)
	p.text(2, value)
	return p
}
