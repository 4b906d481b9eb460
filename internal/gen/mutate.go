package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
)

// A mutant is a Target that makes one mistake in one kernel: at one call it tells the Target behind
// it something else than the kernel said. Each call offers its mistakes to here, which counts them
// and picks one.
type mutant struct {
	Target
	path    path
	kernel  *kernelSpec
	place   int     // of the mistake to make, among those offered; -1 for none
	offered []fault // all that could be made up to here

	label   string // the last one
	names   map[reg.GPVirtual]string
	numbers map[reg.VecVirtual]int // of the groups, in order
	sums    []Group                // what was added to, in order
	scalars []Group                // what was broadcast, in order
}

// A fault is one mistake, by its place among all that the kernel offers.
type fault struct {
	path   path
	kernel *kernelSpec
	place  int
	class  string
	change string
}

// A path is one whose assembly is mutated.
type path struct {
	isa, file string
	target    func() Target
}

var mutated = []path{
	{"avx2", "kernels_avx2_amd64.s", func() Target { return newAVX2() }},
	{"avx512", "kernels_avx512_amd64.s", func() Target { return newAVX512() }},
}

func newMutant(p path, k *kernelSpec, place int) *mutant {
	return &mutant{
		Target: p.target(), path: p, kernel: k, place: place, label: "start",
		names: map[reg.GPVirtual]string{}, numbers: map[reg.VecVirtual]int{},
	}
}

// emit writes the kernel with its mistake.
func (m *mutant) emit() {
	m.Func(m.kernel)
	m.kernel.emit(m)
}

// here offers a mistake and tells whether it is the one to make.
func (m *mutant) here(class, format string, args ...any) bool {
	change := m.label + ": " + fmt.Sprintf(format, args...)
	m.offered = append(m.offered, fault{m.path, m.kernel, len(m.offered), class, change})
	return len(m.offered)-1 == m.place
}

// further returns the offset, or one that is a float or a group further.
func (m *mutant) further(what string, p reg.GPVirtual, offset int) int {
	for _, bytes := range [2]int{float, 8 * float} {
		if m.here("offset", "%s %s %d bytes further", what, m.at(p, offset), bytes) {
			return offset + bytes
		}
	}
	return offset
}

// groupOff returns bytes, or a group less or more.
func (m *mutant) groupOff(what string, bytes int) int {
	for _, off := range [2]int{-8 * float, 8 * float} {
		if m.here("advance", "%s %d%+d", what, bytes, off) {
			return bytes + off
		}
	}
	return bytes
}

// oneOff returns k, or one less or more.
func (m *mutant) oneOff(what string, k int) int {
	for _, off := range [2]int{-1, 1} {
		if m.here("count", "%s %d%+d", what, k, off) {
			return k + off
		}
	}
	return k
}

// at describes an address.
func (m *mutant) at(p reg.GPVirtual, offset int) string {
	name := m.names[p]
	if name == "" {
		name = "pointer"
	}
	return fmt.Sprintf("%s%+d", name, offset)
}

func (m *mutant) named(p reg.GPVirtual, name string) reg.GPVirtual {
	m.names[p] = name
	return p
}

// Functions.

func (m *mutant) PointerParam(param string) reg.GPVirtual {
	return m.named(m.Target.PointerParam(param), param)
}

func (m *mutant) IntParam(param string) reg.GPVirtual {
	return m.named(m.Target.IntParam(param), param)
}

func (m *mutant) ScalarParam(param string) Group {
	v := m.Target.ScalarParam(param)
	m.scalars = append(m.scalars, v)
	return v
}

func (m *mutant) BroadcastParam(param string) Group {
	v := m.Target.BroadcastParam(param)
	m.scalars = append(m.scalars, v)
	return v
}

// Integers.

func (m *mutant) CopyInt(p reg.GPVirtual) reg.GPVirtual {
	return m.named(m.Target.CopyInt(p), "copy of "+m.names[p])
}

func (m *mutant) SetConst(n reg.GPVirtual, k int) {
	m.Target.SetConst(n, m.groupOff("SetConst to", k))
}

func (m *mutant) LoadUint32(idx reg.GPVirtual, offset int) reg.GPVirtual {
	return m.Target.LoadUint32(idx, m.further("LoadUint32", idx, offset))
}

func (m *mutant) LoadTwoUint32(idx reg.GPVirtual, offset int) (j0, j1 reg.GPVirtual) {
	swap := m.here("accumulators swapped", "LoadTwoUint32 %s", m.at(idx, offset))
	j0, j1 = m.Target.LoadTwoUint32(idx, m.further("LoadTwoUint32", idx, offset))
	if swap {
		return j1, j0
	}
	return j0, j1
}

func (m *mutant) LoadUint16(idx reg.GPVirtual, offset int) reg.GPVirtual {
	for _, bytes := range [2]int{2, 16} {
		if m.here("offset", "LoadUint16 %s %d bytes further", m.at(idx, offset), bytes) {
			offset += bytes
			break
		}
	}
	return m.Target.LoadUint16(idx, offset)
}

func (m *mutant) Offset(p, n reg.GPVirtual, scale int) reg.GPVirtual {
	return m.named(m.Target.Offset(p, n, scale), fmt.Sprintf("%s[%s]", m.names[p], m.names[n]))
}

func (m *mutant) Address(p, n reg.GPVirtual, scale int) reg.GPVirtual {
	return m.named(m.Target.Address(p, n, scale), fmt.Sprintf("%s[%s]", m.names[p], m.names[n]))
}

func (m *mutant) Advance(p reg.GPVirtual, bytes int) {
	m.Target.Advance(p, m.groupOff("Advance "+m.names[p]+" by", bytes))
}

func (m *mutant) AdvanceReg(p, bytes reg.GPVirtual) {
	if m.here("advance", "AdvanceReg %s left out", m.names[p]) {
		return
	}
	m.Target.AdvanceReg(p, bytes)
}

func (m *mutant) Decrement(n reg.GPVirtual, k int) {
	m.Target.Decrement(n, m.oneOff("Decrement "+m.names[n]+" by", k))
}

func (m *mutant) DecrementReg(n, k reg.GPVirtual) {
	if m.here("advance", "DecrementReg %s left out", m.names[n]) {
		return
	}
	m.Target.DecrementReg(n, k)
}

func (m *mutant) MultiplyReg(n, k reg.GPVirtual) {
	if m.here("count", "MultiplyReg left out") {
		return
	}
	m.Target.MultiplyReg(n, k)
}

func (m *mutant) ShiftLeft(n reg.GPVirtual, bits int) {
	m.Target.ShiftLeft(n, m.oneOff("ShiftLeft by", bits))
}

func (m *mutant) ShiftRight(n reg.GPVirtual, bits int) {
	m.Target.ShiftRight(n, m.oneOff("ShiftRight by", bits))
}

func (m *mutant) And(n reg.GPVirtual, k int) { m.Target.And(n, m.oneOff("And with", k)) }

func (m *mutant) StayInPage(n, p reg.GPVirtual) {
	if m.here("page", "StayInPage %s left out", m.names[p]) {
		return
	}
	m.Target.StayInPage(n, p)
}

// Vectors.

func (m *mutant) New(width int) Group {
	v := m.Target.New(width)
	m.numbers[v.regs[0]] = len(m.numbers)
	return v
}

func (m *mutant) NewUniform() Group {
	v := m.Target.NewUniform()
	m.numbers[v.regs[0]] = len(m.numbers)
	return v
}

func (m *mutant) Zero(v Group) {
	if m.here("lane skipped", "Zero %d left out", m.number(v)) {
		return
	}
	m.Target.Zero(v)
}

func (m *mutant) Fill(v Group, bits uint32) {
	if m.here("count", "Fill with %#x-1", bits) {
		bits--
	}
	m.Target.Fill(v, bits)
}

func (m *mutant) CopyLane(dst, v Group, lane int) {
	if lane > 1 && m.here("lane skipped", "CopyLane %d is the one before", lane) {
		lane--
	}
	m.Target.CopyLane(dst, v, lane)
}

// Moves.

func (m *mutant) Load(v Group, p reg.GPVirtual, offset int) {
	m.Target.Load(v, p, m.further("Load", p, offset))
}

func (m *mutant) Store(v Group, p reg.GPVirtual, offset int) {
	if m.here("tail dropped", "Store %s left out", m.at(p, offset)) {
		return
	}
	m.Target.Store(v, p, m.further("Store", p, offset))
}

func (m *mutant) StoreAt(v Group, p, j reg.GPVirtual) {
	if m.here("tail dropped", "StoreAt %s left out", m.names[p]) {
		return
	}
	m.Target.StoreAt(v, p, j)
}

func (m *mutant) LoadLane(v Group, lane int, p reg.GPVirtual, offset int) {
	if m.here("lane skipped", "LoadLane to lane %d left out", lane) {
		return
	}
	m.Target.LoadLane(v, lane, p, m.further("LoadLane", p, offset))
}

func (m *mutant) LoadLaneAt(v Group, lane int, p, j reg.GPVirtual) {
	if m.here("lane skipped", "LoadLaneAt to lane %d left out", lane) {
		return
	}
	m.Target.LoadLaneAt(v, lane, p, j)
}

func (m *mutant) LoadBroadcast(dst Group, p reg.GPVirtual, offset int) {
	m.Target.LoadBroadcast(dst, p, m.further("LoadBroadcast", p, offset))
	m.scalars = append(m.scalars, dst)
}

func (m *mutant) LoadBytes(v Group, p reg.GPVirtual, offset int) {
	m.Target.LoadBytes(v, p, m.further("LoadBytes", p, offset))
}

func (m *mutant) LoadSignedBytes(v Group, p reg.GPVirtual, offset int) {
	offset = m.further("LoadSignedBytes", p, offset)
	if m.here("sign", "LoadBytes for LoadSignedBytes %s", m.at(p, offset)) {
		m.Target.LoadBytes(v, p, offset)
		return
	}
	m.Target.LoadSignedBytes(v, p, offset)
}

func (m *mutant) number(v Group) int { return m.numbers[v.regs[0]] }

func (m *mutant) Head(n reg.GPVirtual, width int) Part {
	if m.here("count", "Head one more") {
		n = m.CopyInt(n)
		m.Target.Advance(n, 1)
	}
	return m.Target.Head(n, width)
}

func (m *mutant) LoadPart(v Group, p reg.GPVirtual, offset int, part Part) {
	if m.here("tail dropped", "LoadPart %s gives zeros", m.at(p, offset)) {
		m.Zero(v)
		return
	}
	m.Target.LoadPart(v, p, m.further("LoadPart", p, offset), part)
}

func (m *mutant) LoadLast(v Group, p reg.GPVirtual, offset int, part Part) {
	if m.here("tail dropped", "LoadLast %s gives zeros", m.at(p, offset)) {
		m.Zero(v)
		return
	}
	m.Target.LoadLast(v, p, m.further("LoadLast", p, offset), part)
}

// Arithmetic.

func (m *mutant) Mul(dst, a, b Group) {
	if m.here("operation", "Add for Mul") {
		m.Target.Add(dst, a, b)
		return
	}
	m.Target.Mul(dst, m.wrongScalar(a), b)
}

func (m *mutant) Add(dst, a, b Group) {
	if equal(dst, a) {
		if m.here("lane skipped", "Add %d to %d left out", m.number(b), m.number(a)) {
			return
		}
		if other, ok := another(m.sums, a); ok {
			if m.here("accumulators swapped", "Add %d to %d goes to %d", m.number(b), m.number(a),
				m.number(other)) {
				dst, a = other, other
			}
		}
		m.sums = append(m.sums, a)
	}
	if m.here("operation", "Mul for Add %d to %d", m.number(b), m.number(a)) {
		m.Target.Mul(dst, a, b)
		return
	}
	m.Target.Add(dst, a, b)
}

func (m *mutant) Sub(dst, a, b Group) {
	if m.here("operation", "Add for Sub") {
		m.Target.Add(dst, a, b)
		return
	}
	m.Target.Sub(dst, a, b)
}

func (m *mutant) MulLoad(dst, a Group, p reg.GPVirtual, offset int) {
	if m.here("operation", "AddLoad for MulLoad %s", m.at(p, offset)) {
		m.Target.AddLoad(dst, a, p, offset)
		return
	}
	m.Target.MulLoad(dst, m.wrongScalar(a), p, m.further("MulLoad", p, offset))
}

func equal(a, b Group) bool { return a.regs[0] == b.regs[0] }

// another returns the last of the groups that is as wide as v and not v.
func another(groups []Group, v Group) (other Group, ok bool) {
	for i := len(groups) - 1; i >= 0; i-- {
		if g := groups[i]; g.width == v.width && !equal(g, v) {
			return g, true
		}
	}
	return Group{}, false
}

func (m *mutant) AddLoad(dst, a Group, p reg.GPVirtual, offset int) {
	at := m.at(p, offset)
	if equal(dst, a) && m.here("lane skipped", "AddLoad %s left out", at) {
		return
	}
	offset = m.further("AddLoad", p, offset)
	if m.here("operation", "MulLoad for AddLoad %s", at) {
		m.Target.MulLoad(dst, a, p, offset)
		return
	}
	m.Target.AddLoad(dst, a, p, offset)
}

func (m *mutant) SubLoad(dst, a Group, p reg.GPVirtual, offset int) {
	if m.here("operation", "AddLoad for SubLoad %s", m.at(p, offset)) {
		m.Target.AddLoad(dst, a, p, offset)
		return
	}
	m.Target.SubLoad(dst, a, p, m.further("SubLoad", p, offset))
}

func (m *mutant) MulLoadAt(dst, a Group, p, j reg.GPVirtual) {
	if m.here("operation", "AddLoadAt for MulLoadAt %s", m.names[p]) {
		m.Target.AddLoadAt(dst, a, p, j)
		return
	}
	m.Target.MulLoadAt(dst, a, p, j)
}

func (m *mutant) Min(dst, limit, a Group) {
	if m.here("operation", "Max for Min") {
		m.Target.Max(dst, limit, a)
		return
	}
	if m.here("operation", "Min with its operands swapped") {
		limit, a = a, limit
	}
	m.Target.Min(dst, limit, a)
}

func (m *mutant) Max(dst, limit, a Group) {
	if m.here("operation", "Min for Max") {
		m.Target.Min(dst, limit, a)
		return
	}
	if m.here("operation", "Max with its operands swapped") {
		limit, a = a, limit
	}
	m.Target.Max(dst, limit, a)
}

func (m *mutant) Least(best, v Group) {
	if m.here("lane skipped", "Least with %d left out", m.number(v)) {
		return
	}
	if m.here("operation", "Greatest for Least") {
		m.Target.Greatest(best, v)
		return
	}
	m.Target.Least(best, v)
}

func (m *mutant) Greatest(best, v Group) {
	if m.here("lane skipped", "Greatest with %d left out", m.number(v)) {
		return
	}
	if m.here("operation", "Least for Greatest") {
		m.Target.Least(best, v)
		return
	}
	m.Target.Greatest(best, v)
}

func (m *mutant) KeepBelow(dst, a, v, limit Group) {
	if m.here("operation", "KeepBelow with its operands swapped") {
		v, limit = limit, v
	}
	if m.here("operation", "KeepBelow against a, not the limit") {
		limit = a
	}
	m.Target.KeepBelow(dst, a, v, limit)
}

func (m *mutant) BitsAnd(dst, a, b Group) {
	if m.here("operation", "BitsSub for BitsAnd") {
		m.Target.BitsSub(dst, a, b)
		return
	}
	m.Target.BitsAnd(dst, a, b)
}

func (m *mutant) BitsAdd(dst, a, b Group) {
	if m.here("lane skipped", "BitsAdd %d to %d left out", m.number(b), m.number(a)) {
		return
	}
	if m.here("operation", "BitsSub for BitsAdd %d to %d", m.number(b), m.number(a)) {
		m.Target.BitsSub(dst, a, b)
		return
	}
	m.Target.BitsAdd(dst, a, b)
}

func (m *mutant) BitsSub(dst, a, b Group) {
	if m.here("operation", "Sub for BitsSub") {
		m.Target.Sub(dst, a, b)
		return
	}
	m.Target.BitsSub(dst, a, b)
}

func (m *mutant) MulPairs(dst, a, b Group) {
	if m.here("operation", "BitsAdd for MulPairs") {
		m.Target.BitsAdd(dst, a, b)
		return
	}
	m.Target.MulPairs(dst, m.wrongScalar(a), b)
}

func (m *mutant) BitsShiftLeft(dst, a Group, bits int) {
	m.Target.BitsShiftLeft(dst, a, m.oneOff("BitsShiftLeft by", bits))
}

func (m *mutant) BitsShiftRight(dst, a Group, bits int) {
	m.Target.BitsShiftRight(dst, a, m.oneOff("BitsShiftRight by", bits))
}

// wrongScalar returns a, or another scalar in its place if it is one.
func (m *mutant) wrongScalar(a Group) Group {
	for _, s := range m.scalars {
		if !equal(s, a) {
			continue
		}
		if other, ok := another(m.scalars, s); ok &&
			m.here("wrong scalar", "the product with another scalar") {
			return m.Narrow(other, a.width)
		}
		break
	}
	return a
}

// Doubles.

func (m *mutant) BroadcastDouble(v Group, p reg.GPVirtual) {
	if m.here("lane skipped", "BroadcastDouble is a Load") {
		m.Target.Load(v, p, 0)
		return
	}
	m.Target.BroadcastDouble(v, p)
}

func (m *mutant) LoadDoubles(v Group, p reg.GPVirtual, offset int) {
	m.Target.LoadDoubles(v, p, m.further("LoadDoubles", p, offset))
}

func (m *mutant) Doubles(low, high, v Group) {
	if m.here("accumulators swapped", "Doubles of %d", m.number(v)) {
		low, high = high, low
	}
	m.Target.Doubles(low, high, v)
}

func (m *mutant) MulDoubles(dst, a, b Group) {
	if m.here("operation", "AddDoubles for MulDoubles") {
		m.Target.AddDoubles(dst, a, b)
		return
	}
	m.Target.MulDoubles(dst, a, b)
}

func (m *mutant) AddDoubles(dst, a, b Group) {
	if m.here("lane skipped", "AddDoubles %d to %d left out", m.number(b), m.number(a)) {
		return
	}
	if other, ok := another(m.sums, a); ok {
		if m.here("accumulators swapped", "AddDoubles %d to %d goes to %d", m.number(b),
			m.number(a), m.number(other)) {
			dst, a = other, other
		}
	}
	m.sums = append(m.sums, a)
	m.Target.AddDoubles(dst, a, b)
}

func (m *mutant) FoldDoubles(v Group) {
	if m.here("lane skipped", "FoldDoubles %d left out", m.number(v)) {
		return
	}
	m.Target.FoldDoubles(v)
}

// Folds.

func (m *mutant) UpperHalf(dst, v Group) {
	if m.here("lane skipped", "UpperHalf of %d is the lower half", m.number(v)) {
		m.Target.Add(dst, m.Narrow(v, dst.width), m.Narrow(v, dst.width))
		return
	}
	m.Target.UpperHalf(dst, v)
}

func (m *mutant) Fold(v Group) {
	if m.here("lane skipped", "Fold %d left out", m.number(v)) {
		return
	}
	m.Target.Fold(v)
}

func (m *mutant) FoldFour(v [4]Group) Group {
	for i := range 3 {
		if m.here("accumulators swapped", "FoldFour with sums %d and %d", i, i+1) {
			v[i], v[i+1] = v[i+1], v[i]
		}
	}
	return m.Target.FoldFour(v)
}

// Jumps. Of a comparison: the other one of the pair, and the bound that is wrong on the other side.

func (m *mutant) Label(name string) {
	m.label = name
	m.Target.Label(name)
}

func (m *mutant) Jump(label string) {
	if m.here("jump dropped", "Jump %s left out", label) {
		return
	}
	m.Target.Jump(label)
}

func (m *mutant) IfLess(n reg.GPVirtual, k int, label string) {
	if m.here("<= for <", "IfLess %s %d %s", m.names[n], k, label) {
		m.Target.IfAtMost(n, k, label)
		return
	}
	if m.here("bound too low", "IfLess %s %d %s", m.names[n], k, label) {
		k--
	}
	m.Target.IfLess(n, k, label)
}

func (m *mutant) IfAtMost(n reg.GPVirtual, k int, label string) {
	if m.here("< for <=", "IfAtMost %s %d %s", m.names[n], k, label) {
		m.Target.IfLess(n, k, label)
		return
	}
	if m.here("bound too high", "IfAtMost %s %d %s", m.names[n], k, label) {
		k++
	}
	m.Target.IfAtMost(n, k, label)
}

func (m *mutant) IfAtLeast(n reg.GPVirtual, k int, label string) {
	if m.here("> for >=", "IfAtLeast %s %d %s", m.names[n], k, label) {
		m.Target.IfAtLeast(n, k+1, label)
		return
	}
	if m.here("bound too low", "IfAtLeast %s %d %s", m.names[n], k, label) {
		k--
	}
	m.Target.IfAtLeast(n, k, label)
}

func (m *mutant) IfWithout(n reg.GPVirtual, k int, label string) {
	if m.here("jump dropped", "IfWithout %s %d %s left out", m.names[n], k, label) {
		return
	}
	m.Target.IfWithout(n, k, label)
}

// n < k where n - 1 < k, with a k that is not known here, is n <= k.
func (m *mutant) oneLess(n reg.GPVirtual) reg.GPVirtual {
	less := m.CopyInt(n)
	m.Target.Decrement(less, 1)
	return less
}

func (m *mutant) IfLessReg(n, k reg.GPVirtual, label string) {
	if m.here("<= for <", "IfLessReg %s %s", m.names[k], label) {
		n = m.oneLess(n)
	}
	m.Target.IfLessReg(n, k, label)
}

func (m *mutant) IfAtLeastReg(n, k reg.GPVirtual, label string) {
	if m.here("> for >=", "IfAtLeastReg %s %s", m.names[k], label) {
		n = m.oneLess(n)
	}
	m.Target.IfAtLeastReg(n, k, label)
}

func (m *mutant) IfAnyEqual(a, b Group, label string) {
	if m.here("jump dropped", "IfAnyEqual %s left out", label) {
		return
	}
	m.Target.IfAnyEqual(a, b, label)
}

func (m *mutant) IfMisaligned(p reg.GPVirtual, width int, label string) {
	if m.here("jump dropped", "IfMisaligned %s %s left out", m.names[p], label) {
		return
	}
	m.Target.IfMisaligned(p, width, label)
}

func (m *mutant) IfNearPageEnd(p, n reg.GPVirtual, width int, label string) {
	if m.here("page", "IfNearPageEnd %s left out", m.names[p]) {
		return
	}
	m.Target.IfNearPageEnd(p, n, width, label)
}

func (m *mutant) LoopLabel(name string) {
	m.label = name
	m.Target.LoopLabel(name)
}
