package lower_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// A group rule is one operation of a sub-group or work-group and what it gives
// each work-item, given those that run it.
type groupRule struct {
	name string
	// inst has RES, TYPE and A_, B_ … as those of a rule; SUB and WORK are the
	// scopes, LIT(n) a constant of type int. A call instead has the name of the
	// function that is called with the arguments.
	inst string
	call string
	res  ty
	rn   int // components of the result
	args []ty
	an   []int // components of the arguments, nil for 1 each
	// values has the values of argument i in work-item l of a sub-group of n, nil for any.
	values  func(r *rand.Rand, i, l, n int) uint64
	uniform bool // all work-items run it
	work    bool // the group is the work-group
	want    func(g *groupView, me int) []uint64
}

// groupView is a group as the rules see it.
type groupView struct {
	size  int   // the maximum sub-group size
	local int   // work-items of the work-group
	lanes []int // ids of those that run it, ascending
	args  [][][]uint64
}

// a returns the scalar argument i of a work-item, 0 when that does not run.
func (g *groupView) a(i, id int) uint64 {
	if !slices.Contains(g.lanes, id) {
		return 0
	}
	return g.args[i][id][0]
}

func (r *groupRule) comps(i int) int {
	if r.an == nil {
		return 1
	}
	return r.an[i]
}

// module writes the kernel f(global RES *out, global A *a, …, global char *runs).
func (r *groupRule) module(consts []uint64) string {
	w := &writer{seen: map[string]bool{}}
	w.head.WriteString("OpCapability Addresses\nOpCapability Kernel\nOpCapability Int64\nOpCapability Int16\nOpCapability Int8\nOpCapability Linkage\n" +
		"OpCapability Float16\nOpCapability Float64\nOpCapability Vector16\nOpCapability Groups\nOpCapability GroupNonUniform\nOpCapability GroupNonUniformVote\n" +
		"OpCapability GroupNonUniformArithmetic\nOpCapability GroupNonUniformBallot\nOpCapability GroupNonUniformShuffle\n" +
		"OpCapability GroupNonUniformShuffleRelative\nOpCapability GroupNonUniformClustered\nOpCapability GroupNonUniformQuad\n" +
		"OpCapability GroupNonUniformRotateKHR\nOpCapability GroupUniformArithmeticKHR\nOpCapability GroupNonUniformPartitionedNV\n" +
		"OpCapability SubgroupBallotKHR\nOpCapability SubgroupVoteKHR\nOpCapability SubgroupShuffleINTEL\nOpCapability SubgroupBufferBlockIOINTEL\n" +
		"OpCapability QuadControlKHR\nOpExtension \"SPV_INTEL_subgroups\"\n" +
		"OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %f \"f\" %gid\n")
	w.decos.WriteString("OpDecorate %gid BuiltIn GlobalInvocationId\n")
	w.once("%void", "OpTypeVoid")
	i64 := w.typ(ti(64), 1)
	w.once("%pin", "OpTypePointer Input "+w.typ(ti(64), 3))
	params := w.pointer(r.res, r.rn)
	types := w.typ(r.res, r.rn)
	for i, t := range r.args {
		params += " " + w.pointer(t, r.comps(i))
		types += " " + w.typ(t, r.comps(i))
	}
	w.once("%fn", "OpTypeFunction %void "+params+" "+w.pointer(ti(8), 1))
	w.once("%gid", "OpVariable %pin Input")
	sub, work := w.constant(ti(32), 3), w.constant(ti(32), 2)
	inst := r.inst
	if r.call != "" {
		inst = "RES = OpFunctionCall TYPE %callee"
		w.decos.WriteString("OpDecorate %callee LinkageAttributes \"" + r.call + "\" Import\n")
		w.once("%callfn", "OpTypeFunction "+types)
		w.line("%%callee = OpFunction %s None %%callfn", w.typ(r.res, r.rn))
		for i, t := range r.args {
			w.line("%%cp%d = OpFunctionParameter %s", i, w.typ(t, r.comps(i)))
			inst += " " + string(rune('A'+i)) + "_"
		}
		w.line("OpFunctionEnd")
	}
	for {
		i := strings.Index(inst, "LIT(")
		if i < 0 {
			break
		}
		var n uint64
		fmt.Sscanf(inst[i:], "LIT(%d)", &n)
		inst = strings.Replace(inst, fmt.Sprintf("LIT(%d)", n), w.constant(ti(32), n), 1)
	}
	w.line("%%f = OpFunction %%void None %%fn\n%%out = OpFunctionParameter %s", w.pointer(r.res, r.rn))
	for i, t := range r.args {
		w.line("%%in%d = OpFunctionParameter %s", i, w.pointer(t, r.comps(i)))
	}
	w.line("%%runs = OpFunctionParameter %s", w.pointer(ti(8), 1))
	w.line("%%entry = OpLabel\n%%g3 = OpLoad %s %%gid\n%%g = OpCompositeExtract %s %%g3 0", w.typ(ti(64), 3), i64)
	w.line("%%rp = OpInBoundsPtrAccessChain %s %%runs %%g\n%%rv = OpLoad %s %%rp", w.pointer(ti(8), 1), w.typ(ti(8), 1))
	w.typ(tb, 1)
	w.typ(ti(32), 3)
	w.typ(ti(32), 4)
	w.line("%%go = OpINotEqual %%bool %%rv %s", w.constant(ti(8), 0))
	var ops []string
	for i, t := range r.args {
		if consts != nil && r.comps(i) == 1 && i < len(consts) {
			ops = append(ops, w.constant(t, consts[i]))
			continue
		}
		p, x := w.next(), w.next()
		w.line("%s = OpInBoundsPtrAccessChain %s %%in%d %%g", p, w.pointer(t, r.comps(i)), i)
		w.line("%s = OpLoad %s %s", x, w.typ(mem(t), r.comps(i)), p)
		ops = append(ops, w.fromMem(t, r.comps(i), x))
	}
	if !r.uniform {
		w.line("OpSelectionMerge %%end None\nOpBranchConditional %%go %%then %%end\n%%then = OpLabel")
	}
	res := w.next()
	pairs := []string{"RES", res, "TYPE", w.typ(r.res, r.rn), "SUB", sub, "WORK", work}
	for i, o := range ops {
		pairs = append(pairs, string(rune('A'+i))+"_", o)
	}
	w.line("%s", strings.NewReplacer(pairs...).Replace(inst))
	x := w.toMem(r.res, r.rn, res)
	w.line("%%op = OpInBoundsPtrAccessChain %s %%out %%g\nOpStore %%op %s", w.pointer(r.res, r.rn), x)
	if !r.uniform {
		w.line("OpBranch %%end\n%%end = OpLabel")
	}
	w.line("OpReturn\nOpFunctionEnd")
	return w.head.String() + w.decos.String() + w.types.String() + w.body.String()
}

// mangled is the Itanium-mangled name of a function.
func mangled(name, params string) string { return fmt.Sprintf("_Z%d%s%s", len(name), name, params) }

// anyValue is a value of a type, often one of few.
func anyValue(r *rand.Rand, t ty) uint64 {
	switch {
	case t.kind == 'b':
		return r.Uint64() & 1
	case t.kind == 'f' && r.IntN(4) == 0:
		e := edges(t)
		return e[r.IntN(len(e))]
	case t.kind == 'f':
		return fromFloat(t, float64(r.IntN(2001)-1000)/16)
	case r.IntN(2) == 0:
		return r.Uint64() & t.mask()
	}
	return uint64(r.IntN(5)-2) & t.mask()
}

func fromFloat(t ty, f float64) uint64 {
	switch t.bits {
	case 16:
		return uint64(clmath.F64ToF16(f))
	case 32:
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}

func toFloat(t ty, v uint64) float64 {
	switch t.bits {
	case 16:
		return clmath.F16ToF64(uint16(v))
	case 32:
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(v)
}

// combine makes one step of a reduction.
func combine(op string, t ty, x, y uint64) uint64 {
	if t.kind == 'f' {
		a, b := toFloat(t, x), toFloat(t, y)
		var r float64
		switch op {
		case "add":
			r = a + b
		case "mul":
			r = a * b
		case "min", "max":
			switch {
			case a != a:
				r = b
			case b != b:
				r = a
			case op == "min":
				r = math.Min(a, b)
			default:
				r = math.Max(a, b)
			}
		}
		return quiet(t, fromFloat(t, r))
	}
	switch op {
	case "add":
		return (x + y) & t.mask()
	case "mul":
		return x * y & t.mask()
	case "smin":
		return uint64(min(t.sx(x), t.sx(y))) & t.mask()
	case "smax":
		return uint64(max(t.sx(x), t.sx(y))) & t.mask()
	case "umin":
		return min(x, y)
	case "umax":
		return max(x, y)
	case "and":
		return x & y
	case "or":
		return x | y
	case "xor":
		return x ^ y
	}
	panic(op)
}

func quiet(t ty, v uint64) uint64 {
	if f := toFloat(t, v); f != f {
		return map[int]uint64{16: 0x7e00, 32: 0x7fc00000, 64: 0x7ff8 << 48}[t.bits]
	}
	return v
}

func identityOf(op string, t ty) uint64 {
	if t.kind == 'f' {
		return fromFloat(t, map[string]float64{"add": 0, "mul": 1, "min": math.Inf(1), "max": math.Inf(-1)}[op])
	}
	switch op {
	case "mul":
		return 1
	case "smin":
		return t.mask() >> 1
	case "smax":
		return t.mask()>>1 + 1
	case "umin", "and":
		return t.mask()
	}
	return 0
}

// reduceList combines values in their order.
func reduceList(op string, t ty, v []uint64) uint64 {
	if len(v) == 0 {
		return identityOf(op, t)
	}
	acc := v[0]
	for _, x := range v[1:] {
		acc = combine(op, t, acc, x)
	}
	if t.kind == 'f' {
		acc = quiet(t, acc)
	}
	return acc
}

// reduceHalves combines the values of lanes, those whose numbers differ by 64 first.
func reduceHalves(op string, t ty, lanes []int, value func(id int) uint64) uint64 {
	var v [128]uint64
	var has [128]bool
	for _, id := range lanes {
		v[id%128], has[id%128] = value(id), true
	}
	for n := 64; n > 0; n /= 2 {
		for i := range n {
			if !has[i+n] {
				continue
			}
			if has[i] {
				v[i] = combine(op, t, v[i], v[i+n])
			} else {
				v[i], has[i] = v[i+n], true
			}
		}
	}
	return reduceList(op, t, []uint64{v[0]})
}

// scanned returns what a scan of a list of lanes gives lane me: kind is
// Reduce, InclusiveScan or ExclusiveScan.
func scanned(kind, op string, t ty, lanes []int, value func(id int) uint64, me int) uint64 {
	if kind == "Reduce" && len(lanes) > 0 {
		return reduceHalves(op, t, lanes, value)
	}
	var v []uint64
	for _, id := range lanes {
		if kind == "Reduce" || id < me || kind == "InclusiveScan" && id == me {
			v = append(v, value(id))
		}
	}
	return reduceList(op, t, v)
}

// workScanned is scanned for a work-group: sub-groups first, then their results.
func workScanned(kind, op string, t ty, g *groupView, value func(id int) uint64, me int) uint64 {
	var totals []uint64
	var own []int
	for first := 0; first < g.local; first += g.size {
		var lanes []int
		for id := first; id < min(first+g.size, g.local); id++ {
			lanes = append(lanes, id)
		}
		if me >= first && me < first+g.size {
			own = lanes
		}
		if kind == "Reduce" || me >= first+g.size {
			totals = append(totals, scanned("Reduce", op, t, lanes, value, 0))
		}
	}
	if kind == "Reduce" {
		return reduceList(op, t, totals)
	}
	part := scanned(kind, op, t, own, value, me)
	if len(totals) == 0 {
		return part
	}
	before := reduceList(op, t, totals)
	if kind == "ExclusiveScan" && me == own[0] {
		return before
	}
	return combine(op, t, before, part)
}

// ballotOf returns the words of a set of lanes.
func ballotOf(ids []int) []uint64 {
	w := make([]uint64, 4)
	for _, id := range ids {
		w[id/32] |= 1 << (id % 32)
	}
	return w
}

// TestGroupRules runs every group operation at several sub-group sizes and wave
// widths, by random work-items, and compares what each gets.
func TestGroupRules(t *testing.T) {
	rules := groupRules()
	names := map[string]bool{}
	for i := range rules {
		if names[rules[i].name] {
			t.Fatalf("two rules are called %s", rules[i].name)
		}
		names[rules[i].name] = true
	}
	sizes := []int{1, 4, 8, 32, 64, 128}
	for si, size := range sizes {
		var devs []*emu.Device
		for _, waves := range []int{size, 4 * size, 0} {
			d, err := emu.NewDevice(emu.DeviceOptions{SubgroupSize: size, WaveLanes: waves, Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			devs = append(devs, d)
		}
		r := rand.New(rand.NewPCG(7, uint64(size)))
		for i := range rules {
			if n := amount(len(sizes), 2, 1); i%n != si%n {
				continue
			}
			rules[i].check(t, r, devs, size)
		}
	}
}

func (r *groupRule) check(t *testing.T, rng *rand.Rand, devs []*emu.Device, size int) {
	t.Helper()
	local := []int{1, 7, 50, 64, 130, 200}[rng.IntN(6)]
	const groups = 2
	n := local * groups
	runs := make([]uint64, n)
	density := rng.IntN(3)
	for i := range runs {
		if r.uniform || density == 0 || rng.IntN(2*density) == 0 {
			runs[i] = 1
		}
	}
	args := make([][][]uint64, len(r.args))
	packed := [][]byte{make([]byte, n*stride(r.rn)*mem(r.res).size())}
	for i, at := range r.args {
		args[i] = make([][]uint64, n)
		var flat []uint64
		for id := range n {
			v := make([]uint64, r.comps(i))
			for c := range v {
				if r.values != nil {
					v[c] = r.values(rng, i, id%local%size, size) & at.mask()
				} else {
					v[c] = anyValue(rng, at)
				}
			}
			args[i][id] = v
			for c := range stride(len(v)) {
				flat = append(flat, v[min(c, len(v)-1)])
			}
		}
		packed = append(packed, pack(at, flat))
	}
	packed = append(packed, pack(ti(8), runs))
	// Now and then the first operand is a constant.
	var consts []uint64
	if len(r.args) > 0 && r.comps(0) == 1 && rng.IntN(4) == 0 {
		c := args[0][0][0]
		consts = []uint64{c}
		for id := range n {
			args[0][id] = []uint64{c}
		}
	}
	text := r.module(consts)
	dev := devs[rng.IntN(len(devs))]
	got := unpack(r.res, runGroups(t, dev, text, uint64(n), uint64(local), packed...))
	for id := range n {
		if runs[id] == 0 {
			continue
		}
		me, first := id%local, id-id%local
		span := size
		if r.work {
			span = local
		}
		g := &groupView{size: size, local: local, args: make([][][]uint64, len(args))}
		start := me / span * span
		for l := start; l < min(start+span, local); l++ {
			if runs[first+l] != 0 {
				g.lanes = append(g.lanes, l-start)
			}
		}
		for i := range args {
			g.args[i] = args[i][first+start : first+min(start+span, local)]
		}
		want := r.want(g, me-start)
		for c := range r.rn {
			if x := got[id*stride(r.rn)+c]; x != want[c] {
				t.Errorf("%s, sub-groups of %d, work-groups of %d, waves of %d, constants %#x: component %d of work-item %d is %#x, want %#x",
					r.name, size, local, dev.Limits().WaveLanes, consts, c, id, x, want[c])
				return
			}
		}
	}
}

// runGroups is run with a local size.
func runGroups(t *testing.T, dev *emu.Device, text string, n, local uint64, bufs ...[]byte) []byte {
	t.Helper()
	code, err := asm.Assemble(text, asm.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	prog, err := dev.NewProgram(code, emu.ProgramOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	defer prog.Close()
	k, err := prog.Kernel("f")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var args []emu.Arg
	var first *emu.Buffer
	for _, b := range bufs {
		buf, err := emu.NewBufferOf(dev, b)
		if err != nil {
			t.Fatal(err)
		}
		defer buf.Free()
		if first == nil {
			first = buf
		}
		args = append(args, buf)
	}
	l := emu.Launch{Kernel: k, Args: args, Range: emu.NDRange{Global: []uint64{n}, Local: []uint64{local}}, Timeout: 20 * time.Second}
	if _, err := l.Run(context.Background()); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	out, err := emu.Read[byte](first)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
