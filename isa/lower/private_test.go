package lower_test

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// Random programs over two private arrays of words and one of bytes: places that are
// constants, that a loop counts, or that a work-item chooses; accesses of one and
// two bytes; copies in between. Whatever becomes of the arrays, the results stay.

const arrayWords = 8

// arrays are the arrays of a work-item, one behind the other, and what it has
// computed so far.
type arrays struct {
	mem [3][4 * arrayWords]byte
	acc uint32
	x   uint32
}

func (a *arrays) word(v, i int) uint32       { return binary.LittleEndian.Uint32(a.mem[v][4*i:]) }
func (a *arrays) setWord(v, i int, x uint32) { binary.LittleEndian.PutUint32(a.mem[v][4*i:], x) }

// arrayGen writes a program as SPIR-V while it runs it for all work-items.
type arrayGen struct {
	*rand.Rand
	*exprWriter
	acc, block string
	blocks     int
}

func (g *arrayGen) k(c int) string { return g.constant(32, uint64(c)) }

func (g *arrayGen) array() int { return g.IntN(2) }

func (g *arrayGen) pointer(v int, index string) string {
	return g.line("OpInBoundsAccessChain %%pf %%v%d %s", v, index)
}

func (g *arrayGen) bytes(v, at int) string {
	p := g.line("OpBitcast %%puc %%v%d", v)
	return g.line("OpInBoundsPtrAccessChain %%puc %s %s", p, g.k(at))
}

func (g *arrayGen) mix(x string) {
	m := g.line("OpIMul %%u32 %s %s", g.acc, g.k(31))
	g.acc = g.line("OpIAdd %%u32 %s %s", m, x)
}

func (g *arrayGen) label(name string) {
	fmt.Fprintf(&g.body, "%s = OpLabel\n", name)
	g.block = name
}

func (g *arrayGen) newLabel() string {
	g.blocks++
	return fmt.Sprintf("%%b%d", g.blocks)
}

// step adds a step and returns what it does.
func (g *arrayGen) step(depth int) func(*arrays) {
	v := g.array()
	switch c := g.IntN(10); {
	case c == 0:
		i := g.IntN(arrayWords)
		fmt.Fprintf(&g.body, "OpStore %s %s\n", g.pointer(v, g.k(i)), g.acc)
		return func(a *arrays) { a.setWord(v, i, a.acc) }
	case c <= 2:
		i := g.IntN(arrayWords)
		g.mix(g.line("OpLoad %%u32 %s", g.pointer(v, g.k(i))))
		return func(a *arrays) { a.acc = a.acc*31 + a.word(v, i) }
	case c == 3:
		// Some bytes of an array, through those of the third one or not.
		to, n := g.IntN(3), 1+g.IntN(4*arrayWords)
		if g.IntN(2) == 0 {
			n = 4 * (1 + g.IntN(arrayWords))
		}
		from, at := g.IntN(4*arrayWords-n+1), g.IntN(4*arrayWords-n+1)
		if g.IntN(2) == 0 {
			from, at = from&^3, at&^3
		}
		if g.IntN(2) == 0 {
			fmt.Fprintf(&g.body, "OpCopyMemorySized %s %s %s\n", g.bytes(2, 0), g.bytes(v, from), g.constant(64, uint64(n)))
			fmt.Fprintf(&g.body, "OpCopyMemorySized %s %s %s\n", g.bytes(to, at), g.bytes(2, 0), g.constant(64, uint64(n)))
			return func(a *arrays) {
				copy(a.mem[2][:n], a.mem[v][from:])
				copy(a.mem[to][at:at+n], a.mem[2][:])
			}
		}
		fmt.Fprintf(&g.body, "OpCopyMemorySized %s %s %s\n", g.bytes(to, at), g.bytes(v, from), g.constant(64, uint64(n)))
		return func(a *arrays) { copy(a.mem[to][at:at+n], a.mem[v][from:]) }
	case c == 4 && g.IntN(3) == 0:
		i := g.IntN(4 * arrayWords)
		b := g.line("OpUConvert %%u8 %s", g.acc)
		fmt.Fprintf(&g.body, "OpStore %s %s\n", g.bytes(v, i), b)
		return func(a *arrays) { a.mem[v][i] = byte(a.acc) }
	case c == 5 && g.IntN(3) == 0:
		i := g.IntN(4 * arrayWords)
		b := g.line("OpLoad %%u8 %s", g.bytes(v, i))
		g.mix(g.line("OpUConvert %%u32 %s", b))
		return func(a *arrays) { a.acc = a.acc*31 + uint32(a.mem[v][i]) }
	case c == 6 && g.IntN(6) == 0:
		i := g.line("OpBitwiseAnd %%u32 %%own %s", g.k(arrayWords-1))
		g.mix(g.line("OpLoad %%u32 %s", g.pointer(v, i)))
		return func(a *arrays) { a.acc = a.acc*31 + a.word(v, int(a.x%arrayWords)) }
	case c == 7 && depth > 0:
		// One work-item does it, another does not.
		mask := uint32(1) << g.IntN(3)
		bit := g.line("OpBitwiseAnd %%u32 %%own %s", g.k(int(mask)))
		is := g.line("OpINotEqual %%bool %s %s", bit, g.k(0))
		then, join, from, acc := g.newLabel(), g.newLabel(), g.block, g.acc
		fmt.Fprintf(&g.body, "OpBranchConditional %s %s %s\n", is, then, join)
		g.label(then)
		inner := g.step(depth - 1)
		fmt.Fprintf(&g.body, "OpBranch %s\n", join)
		end, result := g.block, g.acc
		g.label(join)
		g.acc = g.line("OpPhi %%u32 %s %s %s %s", acc, from, result, end)
		return func(a *arrays) {
			if a.x&mask != 0 {
				inner(a)
			}
		}
	case c >= 8 && depth > 0:
		return g.loop(v, depth)
	}
	d := g.IntN(1 << 16)
	g.acc = g.line("OpIAdd %%u32 %s %s", g.acc, g.k(d))
	return func(a *arrays) { a.acc += uint32(d) }
}

// loop adds a loop of some trips, which goes through an array.
func (g *arrayGen) loop(v, depth int) func(*arrays) {
	trips, scale, plus, from := 1+g.IntN(12), g.IntN(4), g.IntN(arrayWords), g.IntN(arrayWords)
	head, exit, pre, acc := g.newLabel(), g.newLabel(), g.block, g.acc
	fmt.Fprintf(&g.body, "OpBranch %s\n", head)
	g.label(head)
	g.blocks++
	i, was, next, latch := fmt.Sprintf("%%i%d", g.blocks), fmt.Sprintf("%%a%d", g.blocks), fmt.Sprintf("%%n%d", g.blocks), g.newLabel()
	result := fmt.Sprintf("%%r%d", g.blocks)
	fmt.Fprintf(&g.body, "%s = OpPhi %%u32 %s %s %s %s\n", i, g.k(0), pre, next, latch)
	fmt.Fprintf(&g.body, "%s = OpPhi %%u32 %s %s %s %s\n", was, acc, pre, result, latch)
	g.acc = was
	place := func(scale, plus int) string {
		m := g.line("OpIMul %%u32 %s %s", i, g.k(scale))
		s := g.line("OpIAdd %%u32 %s %s", m, g.k(plus))
		return g.pointer(v, g.line("OpBitwiseAnd %%u32 %s %s", s, g.k(arrayWords-1)))
	}
	g.mix(g.line("OpLoad %%u32 %s", place(1, from)))
	fmt.Fprintf(&g.body, "OpStore %s %s\n", place(scale, plus), g.acc)
	inner := func(*arrays) {}
	if g.IntN(2) == 0 {
		inner = g.step(depth - 1)
	}
	fmt.Fprintf(&g.body, "OpBranch %s\n", latch)
	g.label(latch)
	fmt.Fprintf(&g.body, "%s = OpCopyObject %%u32 %s\n", result, g.acc)
	fmt.Fprintf(&g.body, "%s = OpIAdd %%u32 %s %s\n", next, i, g.k(1))
	more := g.line("OpULessThan %%bool %s %s", next, g.k(trips))
	fmt.Fprintf(&g.body, "OpBranchConditional %s %s %s\n", more, head, exit)
	g.label(exit)
	g.acc = result
	return func(a *arrays) {
		for i := range trips {
			a.acc = a.acc*31 + a.word(v, (i+from)%arrayWords)
			a.setWord(v, (i*scale+plus)%arrayWords, a.acc)
			inner(a)
		}
	}
}

func TestRandomArrays(t *testing.T) {
	n := 400
	if testing.Short() {
		n = 60
	}
	for seed := range n {
		testArrays(t, uint64(seed))
		if t.Failed() {
			return
		}
	}
}

func testArrays(t *testing.T, seed uint64) {
	g := &arrayGen{Rand: rand.New(rand.NewPCG(seed, 11)), block: "%entry",
		exprWriter: &exprWriter{consts: map[string]string{}, names: map[*expr]string{}}}
	table := make([]byte, 0, 4*exprTable)
	for range exprTable {
		table = binary.LittleEndian.AppendUint32(table, g.Uint32())
	}
	items := make([]arrays, exprItems)
	for i := range items {
		x, y := uint64(i)%exprGlobal[0], uint64(i)/exprGlobal[0]
		items[i].x = binary.LittleEndian.Uint32(table[4*((x*7+y)%exprTable):])
		items[i].acc = items[i].x
	}
	g.acc = "%own"
	for range 3 + g.IntN(12) {
		step := g.step(2)
		for i := range items {
			step(&items[i])
		}
	}
	text := exprHead + exprTypes + `%pf = OpTypePointer Function %u32
%puc = OpTypePointer Function %u8
%nw = OpConstant %u32 8
%nb = OpConstant %u32 32
%words = OpTypeArray %u32 %nw
%bytes = OpTypeArray %u8 %nb
%pw = OpTypePointer Function %words
%pb = OpTypePointer Function %bytes
%nullw = OpConstantNull %words
%nullb = OpConstantNull %bytes
`
	for _, name := range slices.Sorted(maps.Keys(g.consts)) {
		text += g.consts[name]
	}
	text += exprFunction + "%v0 = OpVariable %pw Function %nullw\n%v1 = OpVariable %pw Function %nullw\n%v2 = OpVariable %pb Function %nullb\n" +
		exprOwn + g.body.String() + "OpStore %outp " + g.acc + "\nOpReturn\nOpFunctionEnd\n"
	for _, lanes := range []int{1, 32} {
		got := runExpressions(t, lanes, text, table)
		for i := range items {
			if x := binary.LittleEndian.Uint32(got[4*i:]); x != items[i].acc {
				t.Errorf("seed %d, waves of %d: work-item %d has %#x, want %#x\n%s", seed, lanes, i, x, items[i].acc, text)
				return
			}
		}
	}
}
