package asm

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// shape says how many of the operands that may be left out an instruction gets.
type shape int

const (
	minimal shape = iota // none, and the first enumerant that will do
	full                 // all of them once, and the first enumerant that will do
	random               // some, and any enumerant that will do
)

// generator makes instructions from the grammar. They are well formed and
// otherwise mean nothing.
type generator struct {
	rng   *rand.Rand
	shape shape
	avoid map[string]bool // keys of items that must not be used
	// short holds the keys of opcodes that get no optional operands.
	short map[string]bool
	// force says which value the next operand of a kind has.
	force map[spirv.OperandKind]uint32
	// stuck is set when an operand has no value that is not to be avoided.
	stuck bool

	m         *spirv.Module
	ids       []uint32 // defined so far
	next      uint32
	numbers   []spirv.NumberFormat // formats of the types numberIDs
	numberIDs []uint32
	selectors []int             // places in numbers that integer values exist of
	values    []uint32          // these values
	sets      map[string]uint32 // imports
}

// newGenerator starts a module with imports, number types, and a value of every
// integer type.
func newGenerator(seed uint64, shape shape, avoid, short map[string]bool) *generator {
	g := &generator{
		rng:   rand.New(rand.NewPCG(seed, 0)),
		shape: shape,
		avoid: avoid,
		short: short,
		force: map[spirv.OperandKind]uint32{},
		m:     &spirv.Module{Version: spirv.Version16, Generator: generatorWord},
		next:  1,
		sets:  map[string]uint32{},
	}
	g.add(spirv.OpCapability, uint32(spirv.CapabilityKernel))
	for set := range spirv.ExtInstSets() {
		if !avoid[setKey(set)] {
			g.sets[set.Name] = g.fresh()
			g.add(spirv.OpExtInstImport, spirv.AppendString([]uint32{g.sets[set.Name]}, importName(set))...)
		}
	}
	for _, width := range []int{8, 16, 24, 32, 40, 64} {
		for _, signed := range []bool{false, true} {
			var bit uint32
			if signed {
				bit = 1
			}
			id := g.fresh()
			g.add(spirv.OpTypeInt, id, uint32(width), bit)
			g.numbers = append(g.numbers, spirv.NumberFormat{Width: width, Signed: signed})
			g.numberIDs = append(g.numberIDs, id)
		}
	}
	for i, id := range g.numberIDs {
		g.selectors = append(g.selectors, i)
		g.values = append(g.values, g.fresh())
		g.add(spirv.OpUndef, id, g.values[i])
	}
	for _, width := range []int{16, 32, 64} {
		id := g.fresh()
		g.add(spirv.OpTypeFloat, id, uint32(width))
		g.numbers = append(g.numbers, spirv.NumberFormat{Width: width, Float: true, Encoding: spirv.IEEE754})
		g.numberIDs = append(g.numberIDs, id)
	}
	return g
}

func (g *generator) fresh() uint32 {
	id := g.next
	g.next++
	g.ids = append(g.ids, id)
	g.m.Bound = g.next
	return id
}

func (g *generator) anyID() uint32 {
	if g.shape != random {
		return g.ids[0]
	}
	return g.ids[g.rng.IntN(len(g.ids))]
}

func (g *generator) add(op spirv.Op, operands ...uint32) {
	in, err := spirv.NewInst(op, operands...)
	if err != nil {
		panic(err)
	}
	in.Offset = spirv.HeaderWords
	if n := len(g.m.Insts); n > 0 {
		last := g.m.Insts[n-1]
		in.Offset = last.Offset + len(last.Words)
	}
	g.m.Insts = append(g.m.Insts, in)
}

// importName gives a name that a set is imported by: with a revision where it has
// revisions.
func importName(set *spirv.ExtInstSet) string {
	const revision = ".5"
	if same, ok := spirv.LookupExtInstSet(set.Name + revision); ok && same == set {
		return set.Name + revision
	}
	return set.Name
}

func setKey(set *spirv.ExtInstSet) string { return "set " + set.Name }

// op adds an instruction, unless nothing is allowed for one of its operands.
func (g *generator) op(info *spirv.OpInfo) bool {
	var words []uint32
	bound := g.next
	known := len(g.ids)
	g.stuck = false
	switch info.Op {
	case spirv.OpConstant, spirv.OpSpecConstant:
		i := g.rng.IntN(len(g.numbers))
		words = append(words, g.numberIDs[i], g.fresh())
		words = g.number(words, g.numbers[i])
	case spirv.OpSwitch:
		i := g.rng.IntN(len(g.selectors))
		words = append(words, g.values[i], g.anyID())
		for range g.count(spirv.Any) {
			words = append(g.number(words, g.numbers[g.selectors[i]]), g.anyID())
		}
	case spirv.OpExtInst, spirv.OpExtInstWithForwardRefsKHR:
		words = g.anyExtInst(info)
	case spirv.OpExtInstImport:
		words = spirv.AppendString([]uint32{g.fresh()}, "NonSemantic.Lockstep."+[]string{"a", "bc", "def", "ghij"}[g.rng.IntN(4)])
	case spirv.OpTypeInt:
		words = []uint32{g.fresh(), 1 + g.rng.Uint32N(64), g.rng.Uint32N(2)}
	default:
		words = g.operands(nil, info.Operands, g.short[info.Name])
	}
	if g.stuck {
		g.next, g.ids, g.m.Bound = bound, g.ids[:known], bound
		return false
	}
	g.add(info.Op, words...)
	return true
}

// count says how often an operand of a quantifier stands.
func (g *generator) count(q spirv.Quantifier) int {
	switch {
	case q == spirv.One:
		return 1
	case g.shape == minimal:
		return 0
	case g.shape == full:
		return 1
	case q == spirv.Optional:
		return g.rng.IntN(2)
	}
	return g.rng.IntN(4)
}

func (g *generator) operands(words []uint32, list []spirv.Operand, short bool) []uint32 {
	forced := -1 // the first operand whose value is fixed, which has to be there
	for i, o := range list {
		if _, ok := g.force[o.Kind]; ok {
			forced = i
			break
		}
	}
	for i, o := range list {
		n := g.count(o.Quantifier)
		if o.Quantifier != spirv.One {
			switch {
			case i <= forced:
				n = max(n, 1)
			case short, n > 0 && !g.possible(o.Kind):
				n = 0
			}
			if n == 0 {
				break // what follows could not be told from it
			}
		}
		for range n {
			words = g.operand(words, o.Kind)
		}
	}
	return words
}

// possible reports whether an operand of a kind has a value that is not to be
// avoided.
func (g *generator) possible(kind spirv.OperandKind) bool {
	switch kind.Category() {
	case spirv.CategoryBitEnum, spirv.CategoryValueEnum:
		return len(g.allowed(kind)) > 0
	}
	return true
}

func (g *generator) allowed(kind spirv.OperandKind) []spirv.Enumerant {
	var out []spirv.Enumerant
	for _, e := range kind.Enumerants() {
		if !g.avoid[enumKey(kind, e)] {
			out = append(out, e)
		}
	}
	return out
}

func enumKey(kind spirv.OperandKind, e spirv.Enumerant) string { return kind.String() + "." + e.Name }

func (g *generator) operand(words []uint32, kind spirv.OperandKind) []uint32 {
	switch kind.Category() {
	case spirv.CategoryID:
		if kind == spirv.KindIdResult {
			return append(words, g.fresh())
		}
		return append(words, g.anyID())
	case spirv.CategoryValueEnum:
		return g.valueEnum(words, kind)
	case spirv.CategoryBitEnum:
		return g.bitEnum(words, kind)
	case spirv.CategoryComposite:
		for _, base := range kind.Bases() {
			words = g.operand(words, base)
		}
		return words
	}
	switch kind {
	case spirv.KindLiteralString:
		strings := []string{"", "a", "name", "with \"quotes\" and \\", "größer", "line\nbreak", "; (no), comment"}
		return spirv.AppendString(words, strings[g.rng.IntN(len(strings))])
	case spirv.KindLiteralInteger:
		return append(words, g.rng.Uint32()>>g.rng.IntN(32))
	case spirv.KindLiteralFloat:
		return append(words, g.rng.Uint32())
	case spirv.KindLiteralSpecConstantOpInteger:
		var ops []spirv.Op
		for info := range spirv.Ops() {
			if specConstantOps[info.Op] && !g.avoid[specKey(info)] {
				ops = append(ops, info.Op)
			}
		}
		op := ops[0]
		if g.shape == random {
			op = ops[g.rng.IntN(len(ops))]
		}
		if v, ok := g.force[kind]; ok {
			delete(g.force, kind)
			op = spirv.Op(v)
		}
		info, _ := op.Info()
		return g.operands(append(words, uint32(op)), info.Operands[2:], false)
	}
	panic("no generator for operands of kind " + kind.String())
}

func specKey(info *spirv.OpInfo) string {
	return "OpSpecConstantOp " + strings.TrimPrefix(info.Name, "Op")
}

func (g *generator) valueEnum(words []uint32, kind spirv.OperandKind) []uint32 {
	if v, ok := g.force[kind]; ok {
		delete(g.force, kind)
		e, _ := kind.Value(v)
		return g.operands(append(words, v), e.Operands, false)
	}
	choice := g.allowed(kind)
	if len(choice) == 0 {
		g.stuck = true
		return words
	}
	e := choice[0]
	if g.shape == random {
		e = choice[g.rng.IntN(len(choice))]
	}
	return g.operands(append(words, e.Value), e.Operands, false)
}

func (g *generator) bitEnum(words []uint32, kind spirv.OperandKind) []uint32 {
	var mask uint32
	v, forced := g.force[kind]
	delete(g.force, kind)
	choice := g.allowed(kind)
	switch {
	case forced:
		mask = v
	case len(choice) == 0:
		g.stuck = true
		return words
	case g.shape == random:
		for range g.rng.IntN(4) {
			mask |= choice[g.rng.IntN(len(choice))].Value
		}
	default:
		mask = choice[0].Value
	}
	if e, ok := kind.Value(0); mask == 0 && (!ok || g.avoid[enumKey(kind, *e)]) {
		mask = choice[0].Value // zero has no text
	}
	words = append(words, mask)
	for bit := range 32 {
		if mask>>bit&1 == 0 {
			continue
		}
		e, ok := kind.Value(1 << bit)
		if !ok || !forced && g.avoid[enumKey(kind, *e)] {
			g.stuck = true
			return words
		}
		words = g.operands(words, e.Operands, false)
	}
	return words
}

// number adds a literal as an assembler would write it.
func (g *generator) number(words []uint32, f spirv.NumberFormat) []uint32 {
	v := g.rng.Uint64()
	if g.rng.IntN(2) == 0 {
		v >>= g.rng.IntN(64)
	}
	unused := 64 - f.Width
	if f.Signed && f.Width != 64 {
		v = uint64(int64(v<<unused) >> unused)
	} else {
		v = v << unused >> unused
	}
	words = append(words, uint32(v))
	if f.Width > 32 {
		words = append(words, uint32(v>>32))
	}
	return words
}

func extKey(set *spirv.ExtInstSet, e spirv.ExtInst) string { return set.Name + "/" + e.Name }

func (g *generator) anyExtInst(info *spirv.OpInfo) []uint32 {
	for {
		for set := range spirv.ExtInstSets() {
			insts := set.Insts()
			if g.sets[set.Name] == 0 || g.shape == random && g.rng.IntN(4) != 0 {
				continue
			}
			e := insts[g.rng.IntN(len(insts))]
			if !g.avoid[extKey(set, e)] {
				return g.operands([]uint32{g.anyID(), g.fresh(), g.sets[set.Name], e.Number}, e.Operands, false)
			}
		}
	}
}

// item is something of the grammar that has a name.
type item struct {
	key string
	// tokens are the name as it stands in text.
	token string
	// add adds an instruction that has it; false when that cannot be done
	// without something that is to be avoided.
	add func(g *generator) bool
}

// grammarItems gives everything of the grammar that has a name and can stand in a
// module: opcodes, enumerants, instructions of extended sets, operations of
// OpSpecConstantOp; and the operand kinds that no instruction has.
func grammarItems() (items []item, unreachable []string) {
	for info := range spirv.Ops() {
		items = append(items, item{info.Name, info.Name, func(g *generator) bool { return g.op(info) }})
	}
	var kinds []spirv.OperandKind
	for k := spirv.OperandKind(1); k.Category() != 0; k++ {
		kinds = append(kinds, k)
	}
	for _, kind := range kinds {
		hosts := hostsOf(kind, kinds, 0)
		if len(hosts) == 0 && len(kind.Enumerants()) > 0 {
			unreachable = append(unreachable, kind.String())
			continue
		}
		for _, e := range kind.Enumerants() {
			items = append(items, item{enumKey(kind, e), e.Name, func(g *generator) bool {
				return slices.ContainsFunc(hosts, func(h host) bool { return h.add(g, kind, e.Value) })
			}})
		}
	}
	for set := range spirv.ExtInstSets() {
		for _, e := range set.Insts() {
			items = append(items, item{extKey(set, e), e.Name, func(g *generator) bool { return g.extInst(set, e) }})
		}
	}
	for info := range spirv.Ops() {
		if specConstantOps[info.Op] {
			items = append(items, item{specKey(info), strings.TrimPrefix(info.Name, "Op"), func(g *generator) bool {
				g.force[spirv.KindLiteralSpecConstantOpInteger] = uint32(info.Op)
				spec, _ := spirv.OpSpecConstantOp.Info()
				return g.op(spec)
			}})
		}
	}
	return items, unreachable
}

// extInst adds an OpExtInst.
func (g *generator) extInst(set *spirv.ExtInstSet, e spirv.ExtInst) bool {
	if g.sets[set.Name] == 0 {
		return false
	}
	g.stuck = false
	words := g.operands([]uint32{g.anyID(), g.fresh(), g.sets[set.Name], e.Number}, e.Operands, g.short[extKey(set, e)])
	if !g.stuck {
		g.add(spirv.OpExtInst, words...)
	}
	return !g.stuck
}

// host is a way for an operand of a kind to stand in a module.
type host struct {
	keys  []string // what it needs
	force map[spirv.OperandKind]uint32
	emit  func(g *generator) bool
}

func (h host) add(g *generator, kind spirv.OperandKind, value uint32) bool {
	for _, key := range h.keys {
		if g.avoid[key] {
			return false
		}
	}
	for k, v := range h.force {
		g.force[k] = v
	}
	g.force[kind] = value
	ok := h.emit(g)
	clear(g.force)
	return ok
}

func has(list []spirv.Operand, kind spirv.OperandKind) bool {
	return slices.ContainsFunc(list, func(o spirv.Operand) bool { return o.Kind == kind })
}

// hostsOf gives the ways for a kind: as an operand of an instruction or of an
// extended one, or as a parameter of an enumerant that has a host itself.
func hostsOf(kind spirv.OperandKind, kinds []spirv.OperandKind, depth int) (hosts []host) {
	for info := range spirv.Ops() {
		if has(info.Operands, kind) {
			hosts = append(hosts, host{keys: []string{info.Name}, emit: func(g *generator) bool { return g.op(info) }})
		}
	}
	for set := range spirv.ExtInstSets() {
		for _, e := range set.Insts() {
			if has(e.Operands, kind) {
				hosts = append(hosts, host{keys: []string{setKey(set), extKey(set, e)}, emit: func(g *generator) bool { return g.extInst(set, e) }})
			}
		}
	}
	if depth > 2 {
		return hosts
	}
	for _, outer := range kinds {
		if outer == kind {
			continue
		}
		for _, e := range outer.Enumerants() {
			if !has(e.Operands, kind) {
				continue
			}
			for _, h := range hostsOf(outer, kinds, depth+1) {
				force := map[spirv.OperandKind]uint32{outer: e.Value}
				for k, v := range h.force {
					force[k] = v
				}
				hosts = append(hosts, host{keys: append([]string{enumKey(outer, e)}, h.keys...), force: force, emit: h.emit})
			}
		}
	}
	return hosts
}

// wholeGrammar makes a module with everything of the grammar that is not to be
// avoided, and random instructions of every opcode.
func wholeGrammar(seed uint64, avoid, short map[string]bool) *spirv.Module {
	g := newGenerator(seed, random, avoid, short)
	items, _ := grammarItems()
	for _, it := range items {
		for _, g.shape = range []shape{minimal, random, random, random} {
			if !avoid[it.key] {
				it.add(g)
			}
		}
	}
	return g.m
}

// TestWholeGrammar prints and reads a module that has everything of the grammar.
func TestWholeGrammar(t *testing.T) {
	for seed := range uint64(3) {
		m := wholeGrammar(seed, nil, nil)
		checkRoundTrip(t, "whole grammar", m)
		if text := Disassemble(m, DisassembleOptions{}); strings.Contains(text, "OpUnknown") {
			t.Errorf("seed %d: the text has OpUnknown", seed)
		}
	}
	// Everything is there at least once.
	items, unreachable := grammarItems()
	for _, it := range items {
		if g := newGenerator(1, minimal, nil, nil); !it.add(g) {
			t.Errorf("no instruction was made with %s", it.key)
		} else if text := Disassemble(g.m, DisassembleOptions{RawIDs: true, NoHeader: true}); !strings.Contains(text, it.token) && !multiBit(it) {
			t.Errorf("%s does not stand in:\n%s", it.key, text)
		}
	}
	// These kinds describe the values of ids, or nothing at all.
	want := []string{
		"MemorySemantics", "KernelProfilingInfo", "RayFlags", "FragmentShadingRate", "ImageChannelOrder",
		"ImageChannelDataType", "QuantizationModes", "OverflowModes", "Scope", "KernelEnqueueFlags",
		"RayQueryIntersection", "RayQueryCommittedIntersectionType", "RayQueryCandidateIntersectionType",
		"CooperativeMatrixLayout", "CooperativeMatrixUse", "TensorClampMode", "CooperativeVectorMatrixLayout",
		"ComponentType", "GatherModes", "DebugInfoFlags", "BuildIdentifierFlags", "DebugBaseTypeAttributeEncoding",
		"DebugCompositeType", "DebugTypeQualifier", "DebugOperation", "DebugImportedEntity", "KernelPropertyFlags",
	}
	if !slices.Equal(unreachable, want) {
		t.Errorf("kinds that no instruction has: %q", unreachable)
	}
}

// multiBit reports whether an item is a name for several bits, which are printed
// one by one.
func multiBit(it item) bool {
	return strings.HasSuffix(it.key, ".FlagIsPublic")
}

// megabyte makes a module of about 1 MB.
func megabyte() *spirv.Module {
	g := newGenerator(1, random, nil, nil)
	for len(g.m.Insts) < 45000 {
		for info := range spirv.Ops() {
			g.op(info)
		}
	}
	return g.m
}
