package amd64

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// item is a piece of a program of the tests of placement.
type item struct {
	kind  itemKind
	label Label // of jumps, addresses and bindings
	n     int   // of fillings: bytes; of alignments: the power of two
	cond  Cond
}

type itemKind uint8

const (
	itFill itemKind = iota
	itBind
	itJmp
	itJcc
	itAlign
	itLea
	itConst
	numItems
)

// program reads a program from bytes, two a piece. Every label is bound once, at the end if nowhere else.
func program(data []byte, labels int) []item {
	var list []item
	bound := make([]bool, labels)
	for ; len(data) >= 2; data = data[2:] {
		it := item{kind: itemKind(data[0] % byte(numItems)), label: Label(int(data[1]) % labels), n: int(data[1])}
		switch it.kind {
		case itBind:
			if bound[it.label] {
				continue
			}
			bound[it.label] = true
		case itJcc:
			it.cond = Cond(data[0] >> 4)
		case itAlign:
			it.n = int(data[1]) % 7
		}
		list = append(list, it)
	}
	for l, ok := range bound {
		if !ok {
			list = append(list, item{kind: itBind, label: Label(l)})
		}
	}
	return list
}

// checkPlaced lets an assembler place the program and checks the outcome by reading it back: each piece is
// where the ones before it end, each distance leads to its label, and no jump is longer than it has to be.
func checkPlaced(t *testing.T, list []item, labels int) {
	t.Helper()
	a := New(AVX2)
	for range labels {
		a.NewLabel()
	}
	aligned := false
	for i, it := range list {
		switch it.kind {
		case itFill:
			for range it.n {
				a.G(INT3, B64)
			}
		case itBind:
			a.Bind(it.label)
		case itJmp:
			a.Jmp(it.label)
		case itJcc:
			a.Jcc(it.cond, it.label)
		case itAlign:
			aligned = true
			a.Align(1 << it.n)
		case itLea:
			a.G(LEA, B64, RAX, a.At(it.label).Plus(int32(i)))
		case itConst:
			a.G(IMUL, B32, RCX, a.Const32(uint32(it.n)), Imm(1000))
		}
	}
	code, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	again, err := a.Finish()
	if err != nil || !bytes.Equal(code, again) {
		t.Fatalf("finished again: %v\n%x\n%x", err, code, again)
	}
	at := make([]int, labels) // addresses of labels
	type leap struct{ item, end, dist, size int }
	var leaps []leap
	p := 0
	signed := func(n int) int { // the number of n bytes that ends at p
		if n == 1 {
			return int(int8(code[p-1]))
		}
		return int(int32(binary.LittleEndian.Uint32(code[p-4:])))
	}
	expect := func(i int, want ...byte) {
		t.Helper()
		if p+len(want) > len(code) || !bytes.Equal(code[p:p+len(want)], want) {
			t.Fatalf("item %d %+v at %d: want % x in % x", i, list[i], p, want, code)
		}
		p += len(want)
	}
	for i, it := range list {
		switch it.kind {
		case itFill:
			for range it.n {
				expect(i, 0xCC)
			}
		case itBind:
			at[it.label] = p
		case itJmp, itJcc:
			start, n := p, 1
			short, long := []byte{0xEB}, []byte{0xE9}
			if it.kind == itJcc {
				short, long = []byte{0x70 | byte(it.cond)}, []byte{0x0F, 0x80 | byte(it.cond)}
			}
			if code[p] == short[0] {
				expect(i, short...)
			} else {
				expect(i, long...)
				n = 4
			}
			p += n
			leaps = append(leaps, leap{i, p, signed(n), p - start})
		case itAlign:
			for p&(1<<it.n-1) != 0 {
				k := 0
				for j, nop := range nops {
					if bytes.HasPrefix(code[p:], []byte(nop)) {
						k = j + 1
					}
				}
				if k == 0 {
					t.Fatalf("item %d: no NOP at %d in % x", i, p, code)
				}
				p += k
			}
		case itLea:
			expect(i, 0x48, 0x8D, 0x05)
			p += 4
			leaps = append(leaps, leap{i, p, signed(4) - i, 0})
		case itConst:
			expect(i, 0x69, 0x0D)
			p += 4
			to := signed(4) + p + 4
			if to%4 != 0 || to < 0 || to+4 > len(code) || binary.LittleEndian.Uint32(code[to:]) != uint32(it.n) {
				t.Fatalf("item %d: constant %d is not at %d", i, it.n, to)
			}
			expect(i, 0xE8, 0x03, 0, 0)
		}
	}
	for _, l := range leaps {
		it := list[l.item]
		if l.end+l.dist != at[it.label] {
			t.Fatalf("item %d %+v leads to %d, want %d", l.item, it, l.end+l.dist, at[it.label])
		}
		if short := l.dist + l.size - 2; l.size > 2 && !aligned && -128 <= min(l.dist, short) && max(l.dist, short) <= 127 {
			t.Fatalf("item %d %+v is long for a distance of %d", l.item, it, l.dist)
		}
	}
}

// TestPlacement places random programs: many jumps over distances that are close to the limit of short ones.
func TestPlacement(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 2000 {
		data := make([]byte, 2*(1+r.IntN(120)))
		for i := range data {
			data[i] = byte(r.Uint32())
			if i%2 == 0 && round%2 == 0 && data[i]%byte(numItems) == byte(itAlign) {
				data[i] = byte(itJmp) // whether jumps are short enough is only seen without alignments
			}
			if i%2 == 1 && round%3 > 0 {
				data[i] %= 64
			}
		}
		labels := 1 + r.IntN(20)
		checkPlaced(t, program(data, labels), labels)
	}
}

// TestLimits places jumps over exactly as many bytes as a short one reaches, and one more.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		backward bool
		fill     int
		size     int
	}{
		{false, 127, 2}, {false, 128, 5}, {true, 126, 2}, {true, 127, 5},
	} {
		a := New(0)
		l := a.NewLabel()
		if !c.backward {
			a.Jmp(l)
		} else {
			a.Bind(l)
		}
		for range c.fill {
			a.G(INT3, B64)
		}
		if c.backward {
			a.Jmp(l)
		} else {
			a.Bind(l)
		}
		code, err := a.Finish()
		if err != nil || len(code) != c.fill+c.size {
			t.Errorf("%+v: %d bytes, %v", c, len(code), err)
		}
	}
}

// TestChain places jumps of which each only becomes too long because the next one does.
func TestChain(t *testing.T) {
	const n = 400
	a := New(0)
	var labels []Label
	for range n + 1 {
		labels = append(labels, a.NewLabel())
	}
	for i := range n {
		a.Bind(labels[i])
		a.Jmp(labels[min(i+64, n)]) // 63 jumps in between: 126 bytes if all are short, and one of them is not
		if i == n-70 {
			for range 200 {
				a.G(INT3, B64)
			}
		}
	}
	a.Bind(labels[n])
	code, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if code[0] != 0xE9 {
		t.Errorf("the first jump is not long: % x", code[:8])
	}
}

func FuzzPlacement(f *testing.F) {
	f.Add([]byte{1, 0, 2, 0, 0, 120, 3, 1, 4, 5, 5, 1, 6, 9}, uint8(3))
	f.Add([]byte{2, 0, 0, 125, 2, 1, 4, 6, 1, 0, 0, 126, 1, 1}, uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, labels uint8) {
		if len(data) > 4096 {
			data = data[:4096]
		}
		n := int(labels%32) + 1
		checkPlaced(t, program(data, n), n)
	})
}

func TestConstants(t *testing.T) {
	a := New(AVX512)
	first := a.Const32(7)
	if a.Const32(7) != first || a.Const32(8) == first {
		t.Error("constants are not told apart by their contents")
	}
	for _, m := range []Mem{a.Const([]byte{1, 2, 3}), a.Const64(9), a.Splat32(X, 1), a.Splat64(Z, 2), a.Splat32(Y, 3)} {
		a.G(LEA, B64, RAX, m)
	}
	code, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	wants := []struct {
		align int
		data  []byte
	}{
		{4, []byte{1, 2, 3}},
		{8, []byte{9, 0, 0, 0, 0, 0, 0, 0}},
		{16, bytes.Repeat([]byte{1, 0, 0, 0}, 4)},
		{64, bytes.Repeat([]byte{2, 0, 0, 0, 0, 0, 0, 0}, 8)},
		{32, bytes.Repeat([]byte{3, 0, 0, 0}, 8)},
	}
	for i, want := range wants {
		end := 7 * (i + 1)
		to := end + int(int32(binary.LittleEndian.Uint32(code[end-4:])))
		if to%want.align != 0 || !bytes.HasPrefix(code[to:], want.data) {
			t.Errorf("constant %d at %d of % x", i, to, code)
		}
	}
}

// TestFeatures sees that what a processor lacks is refused, and that the shorter encoding is taken where both
// do.
func TestFeatures(t *testing.T) {
	const avx512 = AVX2 | AVX512
	for _, c := range []struct {
		have Features
		want string // bytes begin so; empty: refused
		op   Op
		w    Width
		args []Operand
	}{
		{0, "", VADDPS, Y, []Operand{Vec(0), Vec(1), Vec(2)}},
		{AVX2, "\xC5", VADDPS, Y, []Operand{Vec(0), Vec(1), Vec(2)}},
		{avx512, "\xC5", VADDPS, Y, []Operand{Vec(0), Vec(1), Vec(2)}},
		{avx512, "\x62", VADDPS, Z, []Operand{Vec(0), Vec(1), Vec(2)}},
		{AVX512, "\x62", VADDPS, Z, []Operand{Vec(0), Vec(1), Vec(2)}},
		{AVX2, "", VADDPS, Z, []Operand{Vec(0), Vec(1), Vec(2)}},
		{AVX2, "", VADDPS, Y, []Operand{Vec(16), Vec(1), Vec(2)}},
		{avx512, "\x62", VADDPS, Y, []Operand{Vec(16), Vec(1), Vec(2)}},
		{AVX2, "", VADDPS, Y, []Operand{Vec(0), Vec(1), Vec(2), Merge(K1)}},
		{AVX2, "", VADDPS, Y, []Operand{Vec(0), Vec(1), Mem{Base: RAX}.Bcast()}},
		{AVX2, "", KMOVW, X, []Operand{K1, RAX}},
		{AVX2, "", VPCMPEQD, Y, []Operand{K1, Vec(0), Vec(1)}},
		{AVX2, "\xC5", VPCMPEQD, Y, []Operand{Vec(2), Vec(0), Vec(1)}},
		{avx512, "\x62", VPCMPEQD, Y, []Operand{K1, Vec(0), Vec(1)}},
		{AVX2, "\xC5", VPANDD, Y, []Operand{Vec(2), Vec(0), Vec(1)}},
		{avx512, "", VPOPCNTD, Z, []Operand{Vec(2), Vec(0)}},
		{avx512, "", VPOPCNTB, Z, []Operand{Vec(2), Vec(0)}},
		{avx512, "", VPERMB, Z, []Operand{Vec(2), Vec(0), Vec(1)}},
		{avx512, "", VPSHLDVD, Z, []Operand{Vec(2), Vec(0), Vec(1)}},
		{VPOPCNTDQ, "\x62", VPOPCNTD, Z, []Operand{Vec(2), Vec(0)}},
	} {
		a := New(c.have)
		a.V(c.op, c.w, c.args...)
		code, err := a.Finish()
		if c.want == "" && !errors.Is(err, ErrEncoding) || c.want != "" && (err != nil || !strings.HasPrefix(string(code), c.want)) {
			t.Errorf("%s %v with features %b: % x, %v", c.op, c.args, c.have, code, err)
		}
	}
}

// TestRefusals are things that no processor can do.
func TestRefusals(t *testing.T) {
	v := func(op Op, w Width, args ...Operand) func(*Assembler) {
		return func(a *Assembler) { a.V(op, w, args...) }
	}
	g := func(op Gen, s Size, args ...Operand) func(*Assembler) {
		return func(a *Assembler) { a.G(op, s, args...) }
	}
	x, y, z := Vec(1), Vec(2), Vec(3)
	rsi := Mem{Base: RSI}
	for name, c := range map[string]struct {
		do   func(*Assembler)
		want string
	}{
		"no operation":               {v(0, X), "unknown"},
		"operation beyond the last":  {v(numOps, X), "unknown"},
		"width":                      {v(VADDPS, 3, x, y, z), "unknown"},
		"too few operands":           {v(VADDPS, Z, x, y), "no form"},
		"too many operands":          {v(VADDPS, Z, x, y, z, x, y), "more than 4"},
		"operand of another kind":    {v(VADDPS, Z, x, y, RAX), "no form"},
		"vector 32":                  {v(VADDPS, Z, x, y, Vec(32)), "no form"},
		"mask 8":                     {v(KANDW, X, K1, K2, Mask(8)), "no form"},
		"no register":                {v(VPBROADCASTD, Z, x, NoReg), "no form"},
		"number too large":           {v(VSHUFPS, Z, x, y, z, Imm(256)), "no form"},
		"k0 as predicate":            {v(VADDPS, Z, x, y, z, Zero(K0)), "k1 to k7"},
		"two predicates":             {v(VADDPS, Z, x, y, z, Zero(K1), Zero(K1)), "once"},
		"zeroing comparison":         {v(VCMPPS, Z, K1, y, z, Imm(0), Zero(K1)), "cannot zero"},
		"zeroing store":              {v(VMOVUPS, Z, rsi, x, Zero(K1)), "cannot zero"},
		"predicate on a mask":        {v(KANDW, X, K1, K2, K3, Merge(K1)), "need"},
		"predicated VPSADBW":         {v(VPSADBW, Z, x, y, z, Merge(K1)), "no predicate"},
		"gather without predicate":   {v(VPGATHERDD, Z, x, VMem(RSI, y, 4, 0)), "needs a predicate"},
		"gather onto its index":      {v(VPGATHERDD, Z, x, VMem(RSI, x, 4, 0), Merge(K1)), "differ"},
		"AVX2 gather onto its mask":  {v(VPGATHERDD, Y, x, VMem(RSI, y, 4, 0), x), "differ"},
		"gather with a plain index":  {v(VPGATHERDD, Z, x, rsi, Merge(K1)), "no form"},
		"vector index elsewhere":     {v(VADDPS, Z, x, y, VMem(RSI, y, 4, 0)), "no form"},
		"broadcast of bytes":         {v(VPADDB, Z, x, y, rsi.Bcast()), "broadcast"},
		"broadcast of a scalar":      {v(VADDSS, X, x, y, rsi.Bcast()), "broadcast"},
		"rounding of memory":         {v(VADDPS, Z, x, y, rsi, RoundUp), "needs registers"},
		"rounding at 256 bits":       {v(VADDPS, Y, x, y, z, RoundUp), "512"},
		"rounding of a minimum":      {v(VMINPS, Z, x, y, z, RoundUp), "rounding"},
		"SAE of an addition":         {v(VADDPS, Z, x, y, z, SAE), "rounding"},
		"rounding 9":                 {v(VADDPS, Z, x, y, z, Rounding(9)), "rounding 9"},
		"VPERMD of 128 bits":         {v(VPERMD, X, x, y, z), "width"},
		"VPERM2I128 of 512 bits":     {v(VPERM2I128, Z, x, y, z, Imm(1)), "512"},
		"VINSERTI64X4 of 256 bits":   {v(VINSERTI64X4, Y, x, y, z, Imm(1)), "width"},
		"scale 3":                    {v(VADDPS, Z, x, y, Mem{Base: RAX, Index: RCX, Scale: 3}), "scale"},
		"index RSP":                  {v(VADDPS, Z, x, y, Mem{Base: RAX, Index: RSP}), "RSP"},
		"base 17":                    {v(VADDPS, Z, x, y, Mem{Base: 17}), "no such base"},
		"vector index 32":            {v(VPGATHERDD, Z, x, VMem(RSI, 32, 4, 0), Merge(K1)), "no such vector"},
		"base of a constant":         {func(a *Assembler) { m := a.Const32(1); m.Base = RAX; a.V(VADDSS, X, x, y, m) }, "no base"},
		"no general operation":       {g(0, B32, RAX), "Gen"},
		"size 24":                    {g(ADD, 24, RAX, RCX), "24 bits"},
		"vector in a general one":    {g(ADD, B32, RAX, x), "operand"},
		"two places in memory":       {g(ADD, B32, rsi, rsi), "operands"},
		"number as destination":      {g(ADD, B32, Imm(1), RAX), "operands"},
		"number of 33 bits":          {g(ADD, B32, RAX, Imm(1<<32)), "operands"},
		"number of 64 bits":          {g(ADD, B64, RAX, Imm(1<<31)), "operands"},
		"number to memory":           {g(MOV, B64, rsi, Imm(1<<31)), "operands"},
		"address of a register":      {g(LEA, B64, RAX, RCX), "operands"},
		"address of a vector index":  {g(LEA, B64, RAX, VMem(RSI, y, 4, 0)), "vector index"},
		"broadcast in a general one": {g(ADD, B32, RAX, rsi.Bcast()), "broadcast"},
		"extension to 8 bits":        {g(MOVZX8, B8, RAX, RCX), "operands"},
		"extension to its own size":  {g(MOVZX16, B16, RAX, RCX), "operands"},
		"extension to less":          {g(MOVSX32, B32, RAX, RCX), "operands"},
		"shift by RDX":               {g(SHL, B32, RAX, RDX), "operands"},
		"shift by 32":                {g(SHL, B32, RAX, Imm(32)), "operands"},
		"bit 32":                     {g(BT, B32, RAX, Imm(32)), "operands"},
		"increment of a number":      {g(INC, B32, Imm(1)), "operands"},
		"return with an operand":     {g(RET, B64, RAX), "operands"},
		"prefetch of a register":     {g(PREFETCHT0, B8, RAX), "operands"},
		"three operands":             {g(ADD, B32, RAX, RCX, Imm(1)), "operands"},
		"conditional move of a byte": {func(a *Assembler) { a.CMov(Less, B8, RAX, RCX) }, "cmov"},
		"conditional move, number":   {func(a *Assembler) { a.CMov(Less, B32, RAX, Imm(1)) }, "cmov"},
		"condition 16":               {func(a *Assembler) { a.CMov(16, B32, RAX, RCX) }, "Cond(16)"},
		"set of a number":            {func(a *Assembler) { a.Set(Less, Imm(1)) }, "setl"},
		"set of no register":         {func(a *Assembler) { a.Set(Less, NoReg) }, "general instruction on"},
		"jump on condition 16":       {func(a *Assembler) { a.Jcc(16, a.NewLabel()) }, "condition 16"},
		"label of nobody":            {func(a *Assembler) { a.Jmp(5) }, "no such label"},
		"address of nobody":          {func(a *Assembler) { a.At(-1) }, "no such label"},
		"label bound twice":          {func(a *Assembler) { l := a.NewLabel(); a.Bind(l); a.Bind(l) }, "twice"},
		"label never bound":          {func(a *Assembler) { a.Jmp(a.NewLabel()) }, "never bound"},
		"address never bound":        {func(a *Assembler) { a.G(LEA, B64, RAX, a.At(a.NewLabel())) }, "never bound"},
		"alignment to 48":            {func(a *Assembler) { a.Align(48) }, "alignment"},
		"alignment to 128":           {func(a *Assembler) { a.Align(128) }, "alignment"},
		"empty constant":             {func(a *Assembler) { a.Const(nil) }, "constant of 0"},
		"huge constant":              {func(a *Assembler) { a.Const(make([]byte, 4097)) }, "constant of 4097"},
	} {
		a := New(every)
		c.do(a)
		first := a.Err()
		a.G(MFENCE, B64) // has no effect any more
		a.V(VZEROALL, X)
		code, err := a.Finish()
		if !errors.Is(err, ErrEncoding) || !strings.Contains(err.Error(), c.want) || code != nil {
			t.Errorf("%s: % x, %v; want an error with %q", name, code, err, c.want)
		}
		if first != nil && first != err {
			t.Errorf("%s: %v became %v", name, first, err)
		}
	}
	a := New(0)
	a.NewLabel() // that nobody uses
	a.G(RET, B64)
	if code, err := a.Finish(); err != nil || string(code) != "\xC3" {
		t.Errorf("unused label: % x, %v", code, err)
	}
}

// TestForms sees that each form has examples, and what the encoder takes for granted about the table.
func TestForms(t *testing.T) {
	for op := noOp + 1; op < numOps; op++ {
		if len(table[op]) == 0 {
			t.Errorf("operation %d has no form", op)
		}
		for i := range table[op] {
			f := &table[op][i]
			// The second of twins may only be had through the first, for some registers.
			second := i > 0 && table[op][i-1].flags&twin != 0
			if !second && len(vectorExamples(t, op, f, true)) == 0 {
				t.Errorf("%s: form %d cannot be had", f.name, i)
			}
			if f.flags&(vex|evex) == 0 {
				t.Errorf("%s: form %d is of no instruction set", f.name, i)
			}
			if f.flags&b4 != 0 && f.flags&b8 != 0 {
				t.Errorf("%s: form %d broadcasts two sizes", f.name, i)
			}
			if f.flags&twin != 0 && (i+1 == len(table[op]) || len(table[op][i+1].args) != len(f.args)) {
				t.Errorf("%s: form %d has no twin", f.name, i)
			}
			if strings.ContainsAny(f.args, "mvhqexykdrSs") && f.mem == tNone {
				t.Errorf("%s: form %d does not say how much memory it touches", f.name, i)
			}
		}
	}
}

// FuzzOperands gives operations random operands: the outcome is an instruction of a possible length or an
// error.
func FuzzOperands(f *testing.F) {
	f.Add(uint16(VADDPS), uint8(2), []byte{0, 1, 0, 2, 0, 3})
	f.Add(uint16(VPGATHERDD), uint8(2), []byte{0, 1, 7, 2, 4, 1})
	f.Add(uint16(ADD), uint8(64), []byte{1, 1, 3, 200})
	f.Fuzz(func(t *testing.T, op uint16, size uint8, data []byte) {
		var operands []Operand
		for ; len(data) >= 2 && len(operands) < 8; data = data[2:] {
			n := data[1]
			m := Mem{Base: Reg(n & 31), Index: Reg(n >> 3), Scale: n >> 4, Disp: int32(int8(n)) * int32(data[0])}
			switch data[0] % 10 {
			case 0:
				operands = append(operands, Vec(n))
			case 1:
				operands = append(operands, Reg(n))
			case 2:
				operands = append(operands, Mask(n))
			case 3:
				operands = append(operands, Imm(int64(int8(n))<<(data[0]>>2)))
			case 4:
				operands = append(operands, Pred{k: Mask(n & 15), zero: n > 127})
			case 5:
				operands = append(operands, Rounding(n))
			case 6:
				operands = append(operands, m)
			case 7:
				operands = append(operands, VMem(Reg(n&15), Vec(n), data[0]>>4, int32(n)))
			case 8:
				operands = append(operands, m.Bcast())
			case 9:
				operands = append(operands, Mem{kind: memConst})
			}
		}
		check := func(do func(a *Assembler)) {
			a := New(every)
			a.Const32(1)
			do(a)
			if len(a.buf) > 15 {
				t.Errorf("an instruction of %d bytes", len(a.buf))
			}
			code, err := a.Finish()
			if (err != nil) != (code == nil) || err != nil && !errors.Is(err, ErrEncoding) {
				t.Errorf("% x, %v", code, err)
			}
		}
		check(func(a *Assembler) { a.V(Op(op), Width(size), operands...) })
		check(func(a *Assembler) { a.G(Gen(op), Size(size), operands...) })
		if len(operands) > 0 {
			check(func(a *Assembler) { a.CMov(Cond(op), Size(size), RAX, operands[0]) })
			check(func(a *Assembler) { a.Set(Cond(op), operands[0]) })
		}
	})
}
