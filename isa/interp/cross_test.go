package interp

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// crossCase is an operation across lanes to test, on random values.
type crossCase struct {
	in      isa.Inst
	size    int    // of a sub-group
	lanes   int    // of the wave
	scalars int    // set of operands that are scalar
	alias   int    // the destination is operand a (0), b (1) or c (2), or else a register of its own
	pattern string // which lanes run
	check   bool
}

func (c *crossCase) name(k *isa.Kernel, in *isa.Inst) string {
	return fmt.Sprintf("%s, %d of %d lanes, %s run, check %t", k.InstText(in), c.size, c.lanes, c.pattern, c.check)
}

// crossTypes returns the types of the operands a, b and c, Void for none.
func crossTypes(in *isa.Inst) [3]isa.Type {
	switch in.Op {
	case isa.OpShuffle:
		return [3]isa.Type{in.Type, isa.I32}
	case isa.OpShuffle2:
		return [3]isa.Type{in.Type, in.Type, isa.I32}
	case isa.OpElect:
		return [3]isa.Type{}
	case isa.OpScan:
		if in.B != isa.None {
			return [3]isa.Type{in.Type, isa.I32}
		}
	}
	return [3]isa.Type{in.Type}
}

func crossResult(in *isa.Inst) isa.Type {
	switch in.Op {
	case isa.OpBallot, isa.OpMatch:
		return isa.I32
	case isa.OpVote, isa.OpElect:
		return isa.B1
	}
	return in.Type
}

// aliased returns the operand that is to be the destination as well, None where
// it cannot be.
func (c *crossCase) aliased(in *isa.Inst) isa.Reg {
	types := crossTypes(in)
	if c.alias >= len(types) || types[c.alias] == isa.Void || types[c.alias].Bank() != crossResult(in).Bank() {
		return isa.None
	}
	return [...]isa.Reg{in.A, in.B, in.C}[c.alias]
}

// crossWave starts a wave at an instruction that some lanes run: those of
// active. The instruction is in block 1.
func (c *crossCase) crossWave(t *testing.T, r *rand.Rand) (b *builder, w *wave, pc int, in isa.Inst, active []bool) {
	t.Helper()
	in = c.in
	b = newBuilder()
	cond := b.reg(isa.B1)
	types := crossTypes(&in)
	for i, p := range []*isa.Reg{&in.A, &in.B, &in.C} {
		switch {
		case types[i] == isa.Void:
		case c.scalars>>i&1 != 0:
			*p = b.constant(0)
		default:
			*p = b.reg(types[i])
		}
	}
	in.Dst = b.reg(crossResult(&in))
	if r := c.aliased(&in); r.IsVector() {
		in.Dst = r
	}
	b.brCond(cond, 1, 2)
	pc = b.emit(in)
	b.br(2)
	b.ret()
	w = b.compile(t).NewWave(c.lanes).(*wave)
	l := &engine.Launch{Kernel: b.k, Scalars: b.k.ScalarInit, SubgroupSize: c.size, Memory: memory.NewGlobal(0), Check: c.check}
	w.Start(&engine.Group{Launch: l, Size: [3]uint32{uint32(c.lanes), 1, 1}}, 0, c.lanes)
	active = make([]bool, c.lanes)
	for lane := range active {
		switch c.pattern {
		case "all":
			active[lane] = true
		case "first":
			active[lane] = lane%c.size == 0
		case "last":
			active[lane] = lane >= c.lanes-3
		case "half":
			active[lane] = r.IntN(2) == 0
		case "most":
			active[lane] = r.IntN(8) != 0
		case "few":
			active[lane] = r.IntN(8) == 0
		case "groups":
			active[lane] = lane/c.size%2 == 0
		}
		w.setReg(cond, isa.B1, lane/64, lane%64, boolBit(active[lane]))
	}
	return b, w, pc, in, active
}

// operandValue returns a random value of operand i.
func (c *crossCase) operandValue(r *rand.Rand, in *isa.Inst, i int, t isa.Type) uint64 {
	switch {
	case in.Op == isa.OpShuffle && i == 1 || in.Op == isa.OpShuffle2 && i == 2:
		switch r.IntN(16) {
		case 0:
			return uint64(r.Uint32())
		case 1:
			return uint64(2*c.size - 1 + r.IntN(3))
		case 2:
			return uint64(c.size - 1 + r.IntN(2))
		}
		return uint64(r.IntN(c.size * i))
	case in.Op == isa.OpScan && i == 1:
		return uint64(r.IntN(4)) * 0x55555555
	case (in.Op == isa.OpMatch || in.Op == isa.OpVote) && t != isa.B1 && r.IntN(20) != 0:
		if t.IsFloat() {
			return []uint64{0, 1 << (t.Bits() - 1)}[r.IntN(2)]
		}
		return uint64(r.IntN(2))
	}
	return sample(r, t) & (full >> (64 - t.Bits()))
}

// want returns what lane gets: get returns the value of an operand in a lane,
// and lanes are those of the lane's sub-group that run, as local ids.
func (c *crossCase) want(in *isa.Inst, lane int, lanes []int, get func(i, local int) uint64) uint64 {
	runs := func(j uint64) bool {
		for _, x := range lanes {
			if uint64(x) == j {
				return true
			}
		}
		return false
	}
	word := func(x int) bool { return x/32 == int(in.Imm) }
	switch in.Op {
	case isa.OpShuffle:
		if j := get(1, lane); runs(j) {
			return get(0, int(j))
		}
	case isa.OpShuffle2:
		j := get(2, lane)
		if runs(j) {
			return get(0, int(j))
		}
		if j >= uint64(c.size) && runs(j-uint64(c.size)) {
			return get(1, int(j)-c.size)
		}
	case isa.OpElect:
		return boolBit(lane == lanes[0])
	case isa.OpBroadcastFirst:
		return get(0, lanes[0])
	case isa.OpBallot:
		var v uint64
		for _, x := range lanes {
			if word(x) {
				v |= get(0, x) << (x % 32)
			}
		}
		return v
	case isa.OpMatch:
		var v uint64
		for _, x := range lanes {
			if word(x) && get(0, x) == get(0, lane) {
				v |= 1 << (x % 32)
			}
		}
		return v
	case isa.OpVote:
		all, any, same := true, false, true
		for _, x := range lanes {
			v := get(0, x)
			all, any = all && v == 1, any || v == 1
			switch {
			case in.Type == isa.F16:
				same = same && clmath.F16ToF64(uint16(v)) == clmath.F16ToF64(uint16(get(0, lanes[0])))
			case in.Type.IsFloat():
				same = same && floatOf(v, in.Type) == floatOf(get(0, lanes[0]), in.Type)
			default:
				same = same && v == get(0, lanes[0])
			}
		}
		return boolBit([]bool{all, any, same}[in.Imm])
	case isa.OpScan:
		return c.wantScan(in, lane, lanes, get)
	}
	return 0
}

var scanOps = [isa.NumScanOps]isa.Op{isa.OpAdd, isa.OpMul, isa.OpMinS, isa.OpMaxS, isa.OpMinU, isa.OpMaxU, isa.OpAnd, isa.OpOr, isa.OpXor,
	isa.OpFAdd, isa.OpFMul, isa.OpFMin, isa.OpFMax}

// identity returns the identity of an operation as a bit pattern.
func identity(op isa.ScanOp, t isa.Type) uint64 {
	ones := full >> (64 - t.Bits())
	float := func(f float64) uint64 {
		switch t {
		case isa.F16:
			return uint64(clmath.F64ToF16(f))
		case isa.F32:
			return uint64(math.Float32bits(float32(f)))
		}
		return math.Float64bits(f)
	}
	switch op {
	case isa.ScanMul:
		return 1
	case isa.ScanMinS:
		return ones >> 1
	case isa.ScanMaxS:
		return ones>>1 + 1
	case isa.ScanMinU, isa.ScanAnd:
		return ones
	case isa.ScanFMul:
		return float(1)
	case isa.ScanFMin:
		return float(math.Inf(1))
	case isa.ScanFMax:
		return float(math.Inf(-1))
	}
	return 0
}

func (c *crossCase) wantScan(in *isa.Inst, lane int, lanes []int, get func(i, local int) uint64) uint64 {
	kind, op := in.ScanOf()
	cluster := int(in.Scale)
	if cluster == 0 {
		cluster = c.size
	}
	var values []uint64
	var places []int
	for _, x := range lanes {
		switch {
		case in.B != isa.None && get(1, x) != get(1, lane), in.B == isa.None && x/cluster != lane/cluster,
			kind == isa.ScanInclusive && x > lane, kind == isa.ScanExclusive && x >= lane:
			continue
		}
		values, places = append(values, get(0, x)), append(places, x)
	}
	if len(values) == 0 {
		return identity(op, in.Type)
	}
	t := in.Type
	half := t == isa.F16
	if half { // exact in double precision but for the rounding
		t = isa.F64
	}
	conv := func(v uint64) uint64 {
		if half {
			return math.Float64bits(clmath.F16ToF64(uint16(v)))
		}
		return v
	}
	combine := func(x, y uint64) uint64 {
		r := oracle(&isa.Inst{Op: scanOps[op], Type: t}, []uint64{conv(x), conv(y)})
		if half {
			r = uint64(clmath.F64ToF16(math.Float64frombits(r)))
		}
		return r
	}
	acc := values[0]
	if kind == isa.ScanReduce {
		acc = halved(places, values, combine)
	} else {
		for _, v := range values[1:] {
			acc = combine(acc, v)
		}
	}
	switch in.Type {
	case isa.F16:
		if acc&0x7fff > 0x7c00 {
			return 0x7e00
		}
	case isa.F32, isa.F64:
		if f := floatOf(acc, in.Type); f != f {
			return map[isa.Type]uint64{isa.F32: 0x7fc00000, isa.F64: 0x7ff8 << 48}[in.Type]
		}
	}
	return acc
}

// halved combines values of lanes by halves: those whose numbers differ by 64 first.
func halved(lanes []int, values []uint64, combine func(x, y uint64) uint64) uint64 {
	v := map[int]uint64{}
	for i, lane := range lanes {
		v[lane] = values[i]
	}
	for n := maxSubgroup / 2; n > 0; n /= 2 {
		for i := range n {
			upper, ok := v[i+n]
			if !ok {
				continue
			}
			if lower, ok := v[i]; ok {
				upper = combine(lower, upper)
			}
			v[i] = upper
		}
	}
	return v[0]
}

func (c *crossCase) run(t *testing.T, r *rand.Rand) {
	t.Helper()
	b, w, pc, in, active := c.crossWave(t, r)
	types, result := crossTypes(&in), crossResult(&in)
	var values [3][]uint64
	old := make([]uint64, c.lanes)
	for i, reg := range []isa.Reg{in.A, in.B, in.C} {
		if types[i] == isa.Void {
			continue
		}
		values[i] = make([]uint64, c.lanes)
		for lane := range c.lanes {
			values[i][lane] = c.operandValue(r, &in, i, types[i])
			if reg.IsScalar() {
				values[i][lane] = values[i][0]
			}
			w.setReg(reg, types[i], lane/64, lane%64, values[i][lane])
		}
	}
	for lane := range c.lanes {
		if in.Dst == c.aliased(&in) {
			old[lane] = values[c.alias][lane]
			continue
		}
		old[lane] = sample(r, isa.I64) & (full >> (64 - result.Bits()))
		w.setReg(in.Dst, result, lane/64, lane%64, old[lane])
	}
	if stop := w.Run(0); stop != engine.StopDone {
		if c.check && w.Fault().PC == pc {
			return // TestCrossChecks looks closer
		}
		t.Fatalf("%s: stopped with %d: %+v", c.name(b.k, &in), stop, w.Fault())
	}
	for lane := range c.lanes {
		want := old[lane]
		if active[lane] {
			first := lane / c.size * c.size
			var lanes []int
			for x := first; x < min(first+c.size, c.lanes); x++ {
				if active[x] {
					lanes = append(lanes, x-first)
				}
			}
			want = c.want(&in, lane-first, lanes, func(i, local int) uint64 { return values[i][first+local] })
		} else if in.Flags&isa.FlagDense != 0 {
			continue
		}
		if got := w.reg(in.Dst, result, lane/64, lane%64); got != want {
			t.Fatalf("%s: lane %d has %#x, want %#x", c.name(b.k, &in), lane, got, want)
		}
	}
}

// eachCross calls f for every operation across lanes with every type, but for
// those on memory.
func eachCross(f func(in isa.Inst)) {
	for op := isa.OpShuffle; op <= isa.OpMatch; op++ {
		for t := isa.B1; t <= isa.F64; t++ {
			if s := op.Info().Types; s != 0 && !s.Has(t) || s == 0 && t != isa.I32 {
				continue
			}
			in := isa.Inst{Op: op, Type: t}
			switch op {
			case isa.OpBallot, isa.OpMatch:
				for in.Imm = range uint32(isa.MaxBallotWords) {
					f(in)
				}
			case isa.OpVote:
				for in.Imm = range uint32(isa.NumVotes) {
					if t == isa.B1 || isa.Vote(in.Imm) == isa.VoteAllEqual {
						f(in)
					}
				}
			case isa.OpScan:
				for kind := range isa.NumScanKinds {
					for scan := range isa.NumScanOps {
						if scan.Types().Has(t) {
							in.Imm = isa.ScanImm(kind, scan)
							f(in)
						}
					}
				}
			default:
				f(in)
			}
		}
	}
}

// TestCross compares the operations across lanes with what their definitions
// say, one lane at a time.
func TestCross(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	patterns := []string{"all", "first", "last", "half", "most", "few", "groups"}
	eachCross(func(in isa.Inst) {
		for _, size := range []int{1, 2, 4, 8, 16, 32, 64, 128} {
			lanes := []int{size, 64, 100, 128, 200, 256, 300}
			for i, p := range patterns {
				if testing.Short() && (i+size)%2 == 0 {
					continue
				}
				c := crossCase{in: in, size: size, pattern: p, lanes: lanes[r.IntN(len(lanes))], alias: r.IntN(6), scalars: r.IntN(8) & r.IntN(8)}
				if r.IntN(3) == 0 {
					c.in.Flags |= isa.FlagDense
				}
				if r.IntN(4) == 0 {
					c.check = true
				}
				if in.Op == isa.OpScan {
					switch r.IntN(4) {
					case 0:
						c.in.Scale = 1 << r.IntN(8)
						if int(c.in.Scale) > size {
							c.in.Scale = uint32(size)
						}
					case 1:
						c.in.B = isa.V(0)
					}
				}
				c.run(t, r)
			}
		}
	})
}

// blockCase is a block access to test.
type blockCase struct {
	in          isa.Inst
	size, lanes int
	scalar      bool
	pattern     string
	bytes       int // of the buffer
	offset      int64
}

func (c *blockCase) run(t *testing.T, r *rand.Rand) {
	t.Helper()
	in := c.in
	b := newBuilder()
	cond := b.reg(isa.B1)
	in.A = b.reg(isa.I64)
	v := b.reg(in.Type)
	if in.Op == isa.OpBlockLoad {
		in.Dst = v
	} else {
		in.C = v
	}
	ptr := in.A
	index := isa.None
	if in.Idx != isa.IdxNone {
		in.B = b.reg(in.Idx.Type())
		index = in.B
	}
	if c.scalar {
		in.A = b.constant(0)
		if index != isa.None {
			in.B = b.constant(0)
		}
	}
	b.brCond(cond, 1, 2)
	pc := b.emit(in)
	b.br(2)
	b.ret()
	mem := memory.NewGlobal(1 << 20)
	buf, err := mem.Alloc("buf", uint64(c.bytes), false)
	if err != nil {
		t.Fatal(err)
	}
	data := mem.Lookup(buf.Alloc()).Data
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	model := bytes.Clone(data)
	w := b.compile(t).NewWave(c.lanes).(*wave)
	l := &engine.Launch{Kernel: b.k, Scalars: b.k.ScalarInit, SubgroupSize: c.size, Memory: mem}
	w.Start(&engine.Group{Launch: l, Size: [3]uint32{uint32(c.lanes), 1, 1}}, 0, c.lanes)
	name := fmt.Sprintf("%s, %d of %d lanes, %s run, offset %d of %d", b.k.InstText(&in), c.size, c.lanes, c.pattern, c.offset, c.bytes)

	active, old, pointers := make([]bool, c.lanes), make([]uint64, c.lanes), make([]int64, c.lanes)
	for lane := range active {
		k, i := lane/64, lane%64
		active[lane] = c.pattern == "all" || c.pattern == "half" && r.IntN(2) == 0 || c.pattern == "tail" && lane%c.size >= c.size/2
		w.setReg(cond, isa.B1, k, i, boolBit(active[lane]))
		old[lane] = sample(r, isa.I64) & (full >> (64 - in.Type.Bits()))
		w.setReg(v, in.Type, k, i, old[lane])
		pointers[lane] = c.offset
		if !c.scalar {
			pointers[lane] += int64(lane) // only that of the lowest lane counts
		}
		w.setReg(ptr, isa.I64, k, i, uint64(buf.Add(pointers[lane])))
		w.setReg(in.A, isa.I64, k, i, uint64(buf.Add(pointers[lane])))
		pointers[lane] += int64(in.Disp)
		if index != isa.None {
			x := int64(3)
			if !c.scalar {
				x = int64(lane) - 3*int64(in.Idx&1) // IdxS32 below zero
			}
			pointers[lane] += int64(in.Scale) * x
			w.setReg(index, in.Idx.Type(), k, i, uint64(x))
			w.setReg(in.B, in.Idx.Type(), k, i, uint64(x)&(full>>(64-in.Idx.Type().Bits())))
		}
	}
	size := int64(in.Type.Bytes())
	want := append([]uint64(nil), old...)
	faultLane, faults := -1, 0
	lowest := -1
	for lane := range c.lanes {
		if lane%c.size == 0 {
			lowest = -1
		}
		if !active[lane] {
			continue
		}
		if lowest < 0 {
			lowest = lane
		}
		off := pointers[lowest] + (int64(in.Imm)*int64(c.size)+int64(lane%c.size))*size
		if off < 0 || off+size > int64(c.bytes) {
			if faults == 0 {
				faultLane = lane
			}
			faults++
		}
		if faults > 0 {
			continue
		}
		cell := model[off:][:size]
		if in.Op == isa.OpBlockLoad {
			want[lane] = getLE(cell)
		} else {
			putLE(cell, old[lane])
		}
	}
	stop := w.Run(0)
	f := w.Fault()
	switch {
	case faults == 0 && stop != engine.StopDone:
		t.Fatalf("%s: stopped with %d: %+v", name, stop, f)
	case faults > 0 && (f == nil || f.PC != pc || f.Lane != faultLane || f.Lanes != faults || f.Code != finding.OutOfBounds):
		t.Fatalf("%s: fault %+v, want one at lane %d, %d lanes", name, f, faultLane, faults)
	}
	if !bytes.Equal(data, model) {
		t.Fatalf("%s: memory differs", name)
	}
	for lane := range c.lanes {
		if got := w.reg(v, in.Type, lane/64, lane%64); faults == 0 && got != want[lane] {
			t.Fatalf("%s: lane %d has %#x, want %#x", name, lane, got, want[lane])
		}
	}
}

// TestBlock compares block accesses with their definition, bounds included.
func TestBlock(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, op := range []isa.Op{isa.OpBlockLoad, isa.OpBlockStore} {
		for typ := isa.I8; typ <= isa.F64; typ++ {
			for _, size := range []int{1, 2, 4, 8, 16, 32, 64, 128} {
				for _, pattern := range []string{"all", "half", "tail", "none"} {
					for _, offset := range []int64{0, 16, 3, -1, -400, 1 << 20} {
						lanes := []int{size, 64, 100, 200, 256}[r.IntN(5)]
						imm := uint32(r.IntN(isa.MaxBlockComponents))
						need := (int(imm)*size+size)*typ.Bytes() + lanes + 16
						room := []int{need, need - lanes - 16 - typ.Bytes()*size/2, need / 2}[r.IntN(3)]
						idx := isa.IdxType(r.IntN(int(isa.Idx64) + 1))
						if idx != isa.IdxNone {
							room *= 2
						}
						c := blockCase{in: isa.Inst{Idx: idx, Scale: uint32(r.IntN(5)), Disp: int32(r.IntN(9) - 4), Op: op, Type: typ, Imm: imm, Space: isa.Space(r.IntN(2))}, size: size, lanes: lanes,
							scalar: r.IntN(2) == 0, pattern: pattern, bytes: max(room, 1), offset: offset}
						c.run(t, r)
					}
				}
			}
		}
	}
}

// TestCrossChecks provokes each finding about an operation across lanes.
func TestCrossChecks(t *testing.T) {
	for _, c := range []struct {
		name   string
		in     isa.Inst
		lanes  int
		active func(lane int) bool
		value  func(lane int) uint64 // of the last operand
		code   finding.Code
		lane   int
		count  int
		detail string
	}{
		{"a lane of another branch", isa.Inst{Op: isa.OpShuffle, Type: isa.I32}, 32, func(l int) bool { return l != 5 },
			func(l int) uint64 { return uint64(l%16 ^ 1) }, finding.ShuffleLane, 4, 1, "lane 5 is in another branch"},
		{"past the last lane", isa.Inst{Op: isa.OpShuffle, Type: isa.F64}, 20, nil,
			func(l int) uint64 { return uint64(l%16 + 8) }, finding.ShuffleIndex, 8, 8, "lane 16 of a sub-group of 16"},
		{"a partial sub-group", isa.Inst{Op: isa.OpShuffle, Type: isa.B1}, 20, nil,
			func(l int) uint64 { return uint64(l%16) | 4 }, finding.ShuffleLane, 16, 4, "lane 4 does not exist: the sub-group has 4 work-items"},
		{"the window", isa.Inst{Op: isa.OpShuffle2, Type: isa.I16}, 16, nil,
			func(l int) uint64 { return uint64(l + 17) }, finding.ShuffleIndex, 15, 1, "index 32 in a window of two sub-groups of 16 lanes"},
		{"below the window", isa.Inst{Op: isa.OpShuffle2, Type: isa.I16}, 16, nil,
			func(l int) uint64 { return uint64(uint32(l - 1)) }, finding.ShuffleIndex, 0, 1, "index -1 in a window of two sub-groups of 16 lanes"},
		{"inside the window", isa.Inst{Op: isa.OpShuffle2, Type: isa.I16}, 16, nil, func(l int) uint64 { return uint64(l + 16) }, "", 0, 0, ""},
		{"a loose one", isa.Inst{Op: isa.OpShuffle, Type: isa.I16, Imm: isa.ShuffleLoose}, 20, nil, func(l int) uint64 { return uint64(l + 16) }, "", 0, 0, ""},
		{"different lanes", isa.Inst{Op: isa.OpShuffle, Type: isa.I8, Imm: isa.ShuffleSame}, 16, nil,
			func(l int) uint64 { return uint64(l / 8) }, finding.GroupUniform, 8, 8, "lane index 1, but 0 in the first lane"},
		{"a group operation", isa.Inst{Op: isa.OpScan, Type: isa.I32, Flags: isa.FlagUniform}, 48, func(l int) bool { return l != 17 && l != 19 }, nil,
			finding.GroupDiverged, 16, 14, "2 of the 16 work-items of the sub-group, lane 1 first, do not run it"},
		{"whole sub-groups", isa.Inst{Op: isa.OpScan, Type: isa.I32, Flags: isa.FlagUniform}, 40, func(l int) bool { return l/16 != 1 }, nil, "", 0, 0, ""},
		{"no group operation", isa.Inst{Op: isa.OpScan, Type: isa.I32}, 48, func(l int) bool { return l != 17 }, nil, "", 0, 0, ""},
		{"a vote", isa.Inst{Op: isa.OpVote, Type: isa.B1, Flags: isa.FlagUniform}, 16, func(l int) bool { return l == 3 }, nil,
			finding.GroupDiverged, 3, 1, "15 of the 16 work-items of the sub-group, lane 0 first, do not run it"},
	} {
		for _, check := range []bool{true, false} {
			cc := crossCase{in: c.in, size: 16, lanes: c.lanes, pattern: "all", check: check}
			r := rand.New(rand.NewPCG(1, 1))
			_, w, pc, in, _ := cc.crossWave(t, r)
			for lane := range c.lanes {
				k, i := lane/64, lane%64
				if c.active != nil {
					w.setReg(isa.V(0), isa.B1, k, i, boolBit(c.active(lane)))
				}
				if c.value != nil {
					reg := in.B
					if in.C != isa.None {
						reg = in.C
					}
					w.setReg(reg, isa.I32, k, i, c.value(lane))
				}
			}
			stop := w.Run(0)
			f := w.Fault()
			if c.code == "" || !check {
				if stop != engine.StopDone {
					t.Errorf("%s, check %t: %+v", c.name, check, f)
				}
				continue
			}
			if f == nil || f.Code != c.code || f.PC != pc || f.Lane != c.lane || f.Lanes != c.count || f.Detail != c.detail {
				t.Errorf("%s: %+v, want %s at lane %d, %d lanes: %s", c.name, f, c.code, c.lane, c.count, c.detail)
			}
		}
	}
}

// TestBlockChecks provokes each finding about a block access.
func TestBlockChecks(t *testing.T) {
	for _, c := range []struct {
		name   string
		op     isa.Op
		lanes  int
		skip   int // lane that does not run, or -1
		offset func(lane int) int64
		code   finding.Code
		detail string
	}{
		{"in order", isa.OpBlockLoad, 32, -1, func(int) int64 { return 4 }, "", ""},
		{"in order", isa.OpBlockStore, 32, -1, func(int) int64 { return 16 }, "", ""},
		{"diverged", isa.OpBlockLoad, 32, 3, func(int) int64 { return 0 }, finding.BlockDiverged, "1 of the 16 work-items of the sub-group, lane 3 first, does not run it"},
		{"partial", isa.OpBlockStore, 20, -1, func(int) int64 { return 0 }, finding.BlockPartial, "the sub-group has 4 work-items of 16"},
		{"odd read", isa.OpBlockLoad, 32, -1, func(int) int64 { return 6 }, finding.BlockAlign, "a block read at byte 6, which is no multiple of 4"},
		{"odd write", isa.OpBlockStore, 32, -1, func(int) int64 { return 8 }, finding.BlockAlign, "a block write at byte 8, which is no multiple of 16"},
		{"pointers differ", isa.OpBlockStore, 32, -1, func(l int) int64 { return int64(l) * 16 }, finding.GroupUniform, "the pointer is 16 bytes from that of the first lane"},
	} {
		b := newBuilder()
		cond, p, v := b.reg(isa.B1), b.reg(isa.I64), b.reg(isa.I32)
		b.brCond(cond, 1, 2)
		in := isa.Inst{Op: c.op, Type: isa.I32, A: p}
		if c.op == isa.OpBlockLoad {
			in.Dst = v
		} else {
			in.C = v
		}
		b.emit(in)
		b.br(2)
		b.ret()
		mem := memory.NewGlobal(1 << 20)
		buf, err := mem.Alloc("buf", 4096, false)
		if err != nil {
			t.Fatal(err)
		}
		w := b.compile(t).NewWave(c.lanes).(*wave)
		w.Start(&engine.Group{Launch: &engine.Launch{Kernel: b.k, SubgroupSize: 16, Memory: mem, Check: true}, Size: [3]uint32{uint32(c.lanes), 1, 1}}, 0, c.lanes)
		for lane := range c.lanes {
			w.setReg(cond, isa.B1, 0, lane, boolBit(lane != c.skip))
			w.setReg(p, isa.I64, 0, lane, uint64(buf.Add(c.offset(lane))))
		}
		w.Run(0)
		switch f := w.Fault(); {
		case f == nil && c.code != "":
			t.Errorf("%s: no fault", c.name)
		case f != nil && (f.Code != c.code || f.Detail != c.detail):
			t.Errorf("%s: %s: %s, want %s: %s", c.name, f.Code, f.Detail, c.code, c.detail)
		}
	}
}

// TestBlockAllocations loads blocks whose sub-groups have different allocations.
func TestBlockAllocations(t *testing.T) {
	for _, size := range []int{1, 8, 16, 32, 64, 128} {
		b := newBuilder()
		p, v := b.reg(isa.I64), b.reg(isa.I32)
		b.emit(isa.Inst{Op: isa.OpBlockLoad, Type: isa.I32, Dst: v, A: p, Imm: 1})
		b.ret()
		const lanes = 256
		mem := memory.NewGlobal(1 << 20)
		var bufs [3]memory.Pointer
		for i := range bufs {
			var err error
			if bufs[i], err = mem.Alloc("buf", 4096, false); err != nil {
				t.Fatal(err)
			}
			data := mem.Lookup(uint32(i + 1)).Data
			for j := range data {
				data[j] = byte(i + 1)
			}
			for j := 0; j < len(data); j += 4 {
				data[j], data[j+1] = byte(j/4), byte(j/4>>8)
			}
		}
		w := b.compile(t).NewWave(lanes).(*wave)
		w.Start(&engine.Group{Launch: &engine.Launch{Kernel: b.k, SubgroupSize: size, Memory: mem}, Size: [3]uint32{lanes, 1, 1}}, 0, lanes)
		for lane := range lanes {
			w.setReg(p, isa.I64, lane/64, lane%64, uint64(bufs[lane/size%3].Add(int64(4*(lane/size)))))
		}
		if stop := w.Run(0); stop != engine.StopDone {
			t.Fatalf("size %d: %+v", size, w.Fault())
		}
		for lane := range lanes {
			sub := lane / size
			want := uint64(sub+size+lane%size) | uint64(sub%3+1)*0x01010000
			if got := w.reg(v, isa.I32, lane/64, lane%64); got != want {
				t.Fatalf("size %d, lane %d: %#x, want %#x", size, lane, got, want)
			}
		}
	}
}

// TestBlockOverIndex loads blocks into the register of their index.
func TestBlockOverIndex(t *testing.T) {
	for _, size := range []int{1, 8, 16, 32, 64, 128} {
		b := newBuilder()
		const lanes = 192
		mem := memory.NewGlobal(1 << 20)
		buf, err := mem.Alloc("buf", 8*lanes, false)
		if err != nil {
			t.Fatal(err)
		}
		data := mem.Lookup(1).Data
		for j := range 2 * lanes {
			data[4*j], data[4*j+1], data[4*j+2] = byte(j), byte(j>>8), 0xff // no index, taken for one
		}
		v := b.reg(isa.I32)
		b.emit(isa.Inst{Op: isa.OpBlockLoad, Type: isa.I32, Dst: v, A: b.constant(uint64(buf)), B: v, Idx: isa.IdxU32, Scale: 4, Space: isa.SpaceGlobal})
		b.ret()
		l := b.launch(mem, lanes)
		l.SubgroupSize = size
		w := b.compile(t).NewWave(lanes).(*wave)
		w.Start(&engine.Group{Launch: l, Size: [3]uint32{lanes, 1, 1}}, 0, lanes)
		for lane := range lanes {
			w.setReg(v, isa.I32, lane/64, lane%64, uint64(lane/size*size+lane/size%3))
		}
		if stop := w.Run(0); stop != engine.StopDone {
			t.Fatalf("size %d: %+v", size, w.Fault())
		}
		for lane := range lanes {
			if got, want := w.reg(v, isa.I32, lane/64, lane%64), uint64(lane+lane/size%3)|0xff0000; got != want {
				t.Fatalf("size %d, lane %d: %#x, want %#x", size, lane, got, want)
			}
		}
	}
}

// TestBlockPrivate sends a block access to private memory, where there are no blocks.
func TestBlockPrivate(t *testing.T) {
	b := newBuilder()
	b.k.Private = []isa.Alloc{{Name: "p", Size: 4096}}
	p := b.constant(uint64(memory.MakePointer(memory.SpacePrivate, 1, 0)))
	b.emit(isa.Inst{Op: isa.OpBlockLoad, Type: isa.I32, Dst: b.reg(isa.I32), A: p})
	b.ret()
	f, _ := runGroup(t, b.compile(t), group(t, b.launch(memory.NewGlobal(0), 32)), 32)
	if f == nil || f.Code != finding.BadPointer {
		t.Fatalf("%+v", f)
	}
}

// BenchmarkCross times operations across lanes.
func BenchmarkCross(b *testing.B) {
	for _, size := range []int{8, 32, 64, 128} {
		for _, c := range []struct {
			name string
			in   isa.Inst
		}{
			{"fadd", isa.Inst{Op: isa.OpFAdd, Type: isa.F32}},
			{"shuffle", isa.Inst{Op: isa.OpShuffle, Type: isa.F32}},
			{"shuffle2", isa.Inst{Op: isa.OpShuffle2, Type: isa.F32}},
			{"broadcastfirst", isa.Inst{Op: isa.OpBroadcastFirst, Type: isa.F32}},
			{"ballot", isa.Inst{Op: isa.OpBallot, Type: isa.B1}},
			{"vote", isa.Inst{Op: isa.OpVote, Type: isa.B1}},
			{"reduce.fadd", isa.Inst{Op: isa.OpScan, Type: isa.F32, Imm: isa.ScanImm(isa.ScanReduce, isa.ScanFAdd)}},
			{"reduce.add", isa.Inst{Op: isa.OpScan, Type: isa.I32, Imm: isa.ScanImm(isa.ScanReduce, isa.ScanAdd)}},
			{"inclusive.fadd", isa.Inst{Op: isa.OpScan, Type: isa.F32, Imm: isa.ScanImm(isa.ScanInclusive, isa.ScanFAdd)}},
			{"load", isa.Inst{Op: isa.OpLoad, Type: isa.F32}},
			{"blockload", isa.Inst{Op: isa.OpBlockLoad, Type: isa.F32}},
		} {
			b.Run(fmt.Sprintf("%s/%d", strings.ReplaceAll(c.name, " ", ""), size), func(b *testing.B) {
				const rounds, width = 64, 256
				mem := memory.NewGlobal(1 << 20)
				buf, err := mem.Alloc("buf", 4096, false)
				if err != nil {
					b.Fatal(err)
				}
				k := newBuilder()
				one, three, p := k.constant(0x3f800000), k.constant(3), k.constant(uint64(buf))
				in := c.in
				x, y, lane := k.reg(isa.F32), k.reg(isa.F32), k.reg(isa.I32)
				mask := k.reg(isa.B1)
				for _, r := range []isa.Reg{x, y} {
					k.op(isa.OpMov, isa.F32, r, one)
				}
				k.builtin(isa.BuiltinSubgroupLocalID, isa.I32, lane)
				k.op(isa.OpLtU, isa.I32, mask, lane, three)
				in.Dst = k.reg(crossResult(&in))
				switch in.Op {
				case isa.OpFAdd:
					in.A, in.B = x, y
				case isa.OpShuffle:
					in.A, in.B = x, lane
				case isa.OpShuffle2:
					in.A, in.B, in.C = x, y, lane
				case isa.OpBallot, isa.OpVote:
					in.A = mask
				case isa.OpLoad:
					k.builtin(isa.BuiltinLocalID, isa.I32, lane)
					in.A, in.B, in.Idx, in.Scale, in.Space = p, lane, isa.IdxU32, 4, isa.SpaceGlobal
				case isa.OpBlockLoad:
					// Each sub-group its own block, as kernels have it.
					ptr := k.reg(isa.I64)
					k.builtin(isa.BuiltinSubgroupID, isa.I32, lane)
					k.emit(isa.Inst{Op: isa.OpPtrAdd, Type: isa.I64, Dst: ptr, A: p, B: lane, Idx: isa.IdxU32, Scale: uint32(4 * size), Space: isa.SpaceGlobal})
					in.A, in.Space = ptr, isa.SpaceGlobal
				default:
					in.A = x
				}
				loop(k, rounds, func(isa.Reg) {
					for range 8 {
						k.emit(in)
					}
				})
				l := k.launch(mem, width)
				l.SubgroupSize = size
				g := group(b, l)
				w := k.compile(b).NewWave(width)
				perLaneOp(b, width*rounds*8, func() {
					w.Start(g, 0, width)
					if s := w.Run(0); s != engine.StopDone {
						b.Fatal(s, w.Fault())
					}
				})
			})
		}
	}
}
