package native

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
)

// variant is an instruction for each type, in one form of its opcode.
type variant struct {
	form  string
	types isa.TypeSet
	make  func(isa.Type) isa.Inst
}

// The registers of the forms.
var (
	vectors = [4]isa.Reg{isa.V(1), isa.V(2), isa.V(3), isa.V(4)}
	scalars = [4]isa.Reg{isa.S(1), isa.S(2), isa.S(3), isa.S(4)}
)

// variants returns the forms of an opcode.
func variants(op isa.Op) []variant {
	inf := op.Info()
	both := func(form string, n int, types isa.TypeSet, edit func(*isa.Inst)) (list []variant) {
		for _, x := range [...]struct {
			name string
			dst  isa.Reg
			from [4]isa.Reg
		}{{"vector", isa.V(0), vectors}, {"scalar", isa.S(0), scalars}, {"to scalar", isa.S(0), vectors}} {
			if ofLanes := op == isa.OpReadFirst || op.Is(isa.PropConvergent); (x.name == "scalar") == ofLanes && x.name != "vector" {
				continue // operations across lanes have vectors as operands; others have none for a scalar
			}
			if op == isa.OpReadFirst && x.name == "vector" {
				continue
			}
			list = append(list, variant{strings.TrimSpace(x.name + " " + form), types, func(t isa.Type) isa.Inst {
				in := isa.Inst{Op: op, Type: t, Dst: x.dst, A: isa.None, B: isa.None, C: isa.None, D: isa.None}
				for i, r := range []*isa.Reg{&in.A, &in.B, &in.C, &in.D}[:n] {
					*r = x.from[i]
				}
				if edit != nil {
					edit(&in)
				}
				return in
			}})
		}
		return list
	}
	switch inf.Shape {
	case isa.ShapeUnary, isa.ShapeBinary, isa.ShapeTernary, isa.ShapeQuad:
		n := 1 + int(inf.Shape-isa.ShapeUnary)
		if op != isa.OpMath1 && op != isa.OpMath2 && op != isa.OpMath3 {
			return both("", n, inf.Types, nil)
		}
		return mathVariants(op, n, both)
	case isa.ShapeSelect:
		return both("", 3, inf.Types, nil)
	case isa.ShapeCompare:
		return both("", 2, inf.Types, nil)
	case isa.ShapeConvert:
		return conversionVariants(inf, both)
	case isa.ShapePtrAdd:
		list := both("", 1, inf.Types, nil)
		for _, x := range []isa.IdxType{isa.IdxS32, isa.IdxU32, isa.Idx64} {
			list = append(list, both("index "+indexName(x), 2, inf.Types, func(in *isa.Inst) { in.Idx, in.Scale = x, 4 })...)
		}
		return list
	case isa.ShapePtrDiff:
		return both("", 2, inf.Types, nil)
	case isa.ShapeLoad, isa.ShapeStore, isa.ShapeAtomic, isa.ShapeBlockLoad, isa.ShapeBlockStore:
		return accessVariants(op)
	case isa.ShapeBuiltin:
		var list []variant
		for b := range isa.NumBuiltins {
			list = append(list, both(b.String(), 0, inf.Types, func(in *isa.Inst) { in.Imm = uint32(b) })...)
		}
		return list
	case isa.ShapeVote:
		var list []variant
		for v := range isa.NumVotes {
			types := isa.SetBool
			if v == isa.VoteAllEqual {
				types = inf.Types
			}
			list = append(list, both(v.String(), 1, types, func(in *isa.Inst) { in.Imm = uint32(v) })...)
		}
		return list
	case isa.ShapeScan:
		var list []variant
		for kind := range isa.NumScanKinds {
			for o := range isa.NumScanOps {
				list = append(list, both(kind.String()+" "+o.String(), 1, inf.Types&o.Types(),
					func(in *isa.Inst) { in.Imm, in.B = isa.ScanImm(kind, o), isa.None })...)
			}
		}
		return list
	case isa.ShapeShuffle:
		return both("", 2, inf.Types, nil)
	case isa.ShapeShuffle2:
		return both("", 3, inf.Types, nil)
	case isa.ShapeBallot:
		return both("", 1, inf.Types, nil)
	case isa.ShapeElect:
		return both("", 0, inf.Types, nil)
	}
	return []variant{{"any", 1 << isa.I32, func(t isa.Type) isa.Inst {
		return isa.Inst{Op: op, Type: t, Dst: isa.V(0), A: isa.V(1), B: isa.V(2), C: isa.V(3), D: isa.None}
	}}}
}

type bothFunc func(form string, n int, types isa.TypeSet, edit func(*isa.Inst)) []variant

// mathVariants has each function of so many operands. Those of halves are functions on F32.
func mathVariants(op isa.Op, n int, both bothFunc) (list []variant) {
	for f := range clmath.Func(clmath.NumFuncs) {
		for _, x := range [...]struct {
			suffix string
			imm    uint32
			types  isa.TypeSet
		}{{"", 0, isa.SetFloat}, {", stored", isa.MathStored, isa.SetFloat}, {", half", isa.MathHalf, 1 << isa.F32}} {
			types := isa.TypeSet(0)
			for _, t := range []isa.Type{isa.F32, isa.F64} {
				if x.types.Has(t) && hasFunc(op, f, t, x.imm) {
					types |= 1 << t
				}
			}
			list = append(list, both(f.String()+x.suffix, n, types, func(in *isa.Inst) { in.Imm = uint32(f) | x.imm })...)
		}
	}
	return list
}

// hasFunc says whether there is a function of the operands that an opcode has, for a type.
func hasFunc(op isa.Op, f clmath.Func, t isa.Type, imm uint32) bool {
	pair := clmath.Pair32[f] != nil || clmath.PairInt32[f] != nil
	one, two, three := clmath.Unary32[f] != nil || pair, clmath.Binary32[f] != nil || clmath.WithInt32[f] != nil, clmath.Ternary32[f] != nil
	switch {
	case imm&isa.MathHalf != 0:
		one = clmath.UnaryHalf32[f] != nil || clmath.PairHalf32[f] != nil || clmath.PairIntHalf32[f] != nil
		two, three = clmath.BinaryHalf32[f] != nil || clmath.WithIntHalf32[f] != nil, clmath.TernaryHalf32[f] != nil
	case t == isa.F64:
		pair = clmath.Pair64[f] != nil || clmath.PairInt64[f] != nil
		one, two, three = clmath.Unary64[f] != nil || pair, clmath.Binary64[f] != nil || clmath.WithInt64[f] != nil, clmath.Ternary64[f] != nil
	}
	switch {
	case imm&isa.MathStored != 0:
		return op == isa.OpMath1 && pair
	case op == isa.OpMath1:
		return one
	case op == isa.OpMath2:
		return two
	}
	return three
}

// conversionVariants has a form for each type of operands, and for each way to round.
func conversionVariants(inf *isa.OpInfo, both bothFunc) (list []variant) {
	for from := isa.I8; from <= isa.F64; from++ {
		if !inf.Src.Has(from) {
			continue
		}
		rounds, sats := []isa.Round{isa.RoundDefault}, []isa.Flags{0}
		if inf.Types&isa.SetFloats != 0 {
			rounds = append(rounds, isa.RoundRTE, isa.RoundRTZ, isa.RoundRTP, isa.RoundRTN)
		} else if inf.Src&isa.SetFloats != 0 {
			rounds = append(rounds, isa.RoundRTE, isa.RoundRTP, isa.RoundRTN)
			sats = append(sats, isa.FlagSat)
		}
		for _, r := range rounds {
			for _, sat := range sats {
				name := "from " + from.String()
				if r != isa.RoundDefault {
					name += " " + r.String()
				}
				if sat != 0 {
					name += " sat"
				}
				list = append(list, both(name, 1, inf.Types&^(1<<from)|inf.Types&isa.SetPtr&(1<<from), func(in *isa.Inst) {
					in.Type2, in.Flags = from, in.Flags.WithRound(r)|sat
				})...)
			}
		}
	}
	return list
}

func indexName(x isa.IdxType) string { return [...]string{"none", "s32", "u32", "i64"}[x] }

// accessVariants has the forms of addresses.
func accessVariants(op isa.Op) (list []variant) {
	spaces := []isa.Space{isa.SpaceGeneric, isa.SpacePrivate}
	operations := []isa.AtomicOp{0}
	if op == isa.OpAtomic {
		operations = nil
		for a := range isa.NumAtomicOps {
			operations = append(operations, a)
		}
	}
	for _, space := range spaces {
		for _, pointer := range []isa.Reg{isa.S(1), isa.V(1)} {
			for _, index := range []isa.Reg{isa.None, isa.S(2), isa.V(2)} {
				for _, dst := range []isa.Reg{isa.V(0), isa.S(0)} {
					if dst.IsScalar() && (op != isa.OpLoad || pointer.IsVector() || index.IsVector()) {
						continue
					}
					for _, a := range operations {
						list = append(list, accessVariant(op, space, pointer, index, dst, a))
					}
				}
			}
		}
	}
	return list
}

func accessVariant(op isa.Op, space isa.Space, pointer, index, dst isa.Reg, a isa.AtomicOp) variant {
	kind := func(r isa.Reg) string {
		if r.IsScalar() {
			return "scalar"
		}
		return "vector"
	}
	v := variant{form: kind(pointer) + " pointer", types: op.Info().Types}
	if index != isa.None {
		v.form += ", " + kind(index) + " index"
	}
	if space == isa.SpacePrivate {
		v.form += ", private"
	}
	if dst.IsScalar() {
		v.form += ", to scalar"
	}
	if op == isa.OpAtomic {
		v.form = a.String() + " " + v.form
		v.types = isa.SetFloats
		if a < isa.AtomicFAdd {
			v.types = 1<<isa.I32 | 1<<isa.I64
		}
	}
	v.make = func(t isa.Type) isa.Inst {
		in := isa.Inst{Op: op, Type: t, Space: space, A: pointer, B: index, C: isa.None, D: isa.None, Dst: isa.None, Imm2: uint8(a), Scale: uint32(t.Bytes())}
		if index != isa.None {
			in.Idx = isa.IdxS32
		}
		if op == isa.OpLoad || op == isa.OpBlockLoad || op == isa.OpAtomic && a != isa.AtomicStore {
			in.Dst = dst
		}
		if op == isa.OpStore || op == isa.OpBlockStore || op == isa.OpAtomic && a != isa.AtomicLoad {
			in.C = isa.V(3)
		}
		if op == isa.OpAtomic && a == isa.AtomicCmpXchg {
			in.D = isa.V(4)
		}
		return in
	}
	return v
}

// typeNames lists the types of a set.
func typeNames(s isa.TypeSet) string {
	var names []string
	for t := isa.B1; t <= isa.F64; t++ {
		if s.Has(t) {
			names = append(names, t.String())
		}
	}
	if len(names) == 0 {
		return "-"
	}
	return strings.Join(names, " ")
}

// gaps are the forms of an opcode that lack the same types, vectors and scalars apart.
type gaps []gap

type gap struct {
	lacks  [2]isa.TypeSet // of AVX-512, and of AVX2
	reason string
	forms  []string
}

func (g *gaps) add(lacks [2]isa.TypeSet, op isa.Op, form string) {
	reason := reasonOf(strings.TrimSpace(op.String() + " " + form))
	for i := range *g {
		if x := &(*g)[i]; x.lacks == lacks && x.reason == reason {
			x.forms = append(x.forms, form)
			return
		}
	}
	*g = append(*g, gap{lacks, reason, []string{form}})
}

// reasons says why the reference engine runs what has no machine code: the first row whose expression
// matches the opcode and the form. What no row matches could be machine code, and nobody has needed it.
var reasons = []struct{ match, why string }{
	{"math[123] scalar", "once for a wave: a call of isa/clmath costs no more"},
	{"math[123] vector .*, half", "no machine version that is proven for halves"},
	{"math[123] vector", "no machine version with a proven error"},
	{"(ptraddress|ptrat) ", "looks the allocation up, which Go code does"},
	{"(load|store|atomic) .*private", "private memory is interleaved by lane, and each lane's pointer needs its own check"},
	{"memcopy", "any length at any alignment: the copy of Go is as fast"},
	{"(lanecopy|async|wait.async)", "package dma keeps the state of copies"},
	{"image", "done for all lanes at once by package interp"},
	{"pipe", "lanes act one after the other, on queues of package memory"},
	{"printf", "Go code formats"},
	{"check", "launches with checks run on the reference engine"},
	{"match", "compares each lane with each other: seldom used"},
	{"[a-z.]+ scalar", "once for a wave, and seldom: a step of the reference engine costs little"},
}

func reasonOf(line string) string {
	for _, r := range reasons {
		if regexp.MustCompile("^(" + r.match + ")").MatchString(line) {
			return r.why
		}
	}
	return "–"
}

// TestCoverage compares with testdata/fallback.txt what has no machine code, so that leaving an instruction
// to the reference engine is a decision. Each line has an opcode, a form, and the types that AVX-512 and
// AVX2 lack.
func TestCoverage(t *testing.T) {
	sets := []Engine{{features: amd64.AVX2 | amd64.AVX512}, {features: amd64.AVX2}}
	var lines []string
	total := [3]int{}
	for op := isa.OpInvalid + 1; op < isa.NumOps; op++ {
		if op.Is(isa.PropTerminator) || op == isa.OpFence || op == isa.OpGroupCopy || op == isa.OpGroupWait {
			continue // control.go, copy.go; a fence is nothing to do
		}
		var list gaps
		for _, v := range variants(op) {
			var lacks [2]isa.TypeSet
			for typ := isa.B1; typ <= isa.F64; typ++ {
				if !v.types.Has(typ) {
					continue
				}
				in := v.make(typ)
				total[2]++
				for i, e := range sets {
					if !plan.Candidate(&in) || !e.takes(&in) {
						lacks[i] |= 1 << typ
						total[i]++
					}
				}
			}
			if lacks != [2]isa.TypeSet{} {
				list.add(lacks, op, v.form)
			}
		}
		for _, g := range list {
			lines = append(lines, fmt.Sprintf("%s | %s | %s | %s | %s", op, typeNames(g.lacks[0]), typeNames(g.lacks[1]),
				strings.Join(g.forms, "; "), g.reason))
		}
	}
	lines = slices.Insert(lines, 0, fmt.Sprintf("# Of %d instructions, %d have no machine code for AVX-512 and %d none for AVX2.", total[2], total[0], total[1]),
		"# opcode | types for AVX-512 | types for AVX2 | forms | reason")
	got := strings.Join(lines, "\n") + "\n"
	const file = "testdata/fallback.txt"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
		t.Errorf("%s (go test ./isa/native -run TestCoverage -update rewrites it): %.4000s", file, d)
	}
}
