package amd64

// inst is an instruction with its operands sorted out.
type inst struct {
	f     *form
	w     Width
	args  [4]Operand
	n     int
	pred  Pred
	round Rounding

	// What the fields of the encoding hold.
	reg, vvvv uint8
	rm        Operand
	imm       byte
	hasImm    bool
}

// V appends a vector instruction of width w, or one on mask registers, for which the width is X. Operands are
// in the order of Intel's manuals; a predicate or rounding may follow.
//
//	a.V(amd64.VADDPS, amd64.Z, amd64.Vec(1), amd64.Vec(2), amd64.Mem{Base: amd64.RSI}, amd64.Merge(amd64.K1))
func (a *Assembler) V(op Op, w Width, operands ...Operand) {
	if a.err != nil {
		return
	}
	in := inst{w: w}
	if op == 0 || int(op) >= len(table) || w > Z {
		a.fail("operation %d of width %d: unknown", op, w)
		return
	}
	for _, o := range operands {
		switch o := o.(type) {
		case Pred:
			if o.k == K0 || o.k > K7 || in.pred.k != 0 {
				a.fail("%s: a predicate is one of k1 to k7, once", op)
				return
			}
			in.pred = o
		case Rounding:
			if o < RoundNearest || o > SAE || in.round != 0 {
				a.fail("%s: rounding %d", op, o)
				return
			}
			in.round = o
		default:
			if in.n == len(in.args) {
				a.fail("%s: more than %d operands", op, len(in.args))
				return
			}
			in.args[in.n] = o
			in.n++
		}
	}
	why := "no form has these operands"
	forms := table[op]
	for i := range forms {
		f := &forms[i]
		if !in.matches(f) {
			continue
		}
		in.f = f
		in.place()
		reason := in.vexRefuses(a.features)
		if reason == "" {
			if f.flags&twin != 0 && in.preferTwin() {
				in.f = &forms[i+1]
				in.place()
			}
			if a.list != nil {
				a.noteInst(in.text(in.f.name), operands)
			}
			a.vex(&in)
			return
		}
		if f.flags&evex != 0 && (a.features&AVX512 != 0 || f.flags&vex == 0) {
			if reason = in.evexRefuses(a.features); reason == "" {
				if a.list != nil {
					a.noteInst(in.text(in.f.name), operands)
				}
				a.evex(&in)
				return
			}
		}
		why = reason
	}
	a.fail("%s: %s", in.text(op.String()), why)
}

// matches reports whether the operands have the classes of f.
func (in *inst) matches(f *form) bool {
	if in.n != len(f.args) {
		return false
	}
	for i := range in.n {
		if !fits(f.args[i], in.args[i]) {
			return false
		}
	}
	return true
}

// place puts the operands into fields.
func (in *inst) place() {
	in.reg, in.vvvv, in.rm, in.imm, in.hasImm = in.f.digit, 0, nil, 0, false
	n := in.n
	if n > 0 && in.f.args[n-1] == 'i' {
		in.imm, in.hasImm = byte(in.args[n-1].(Imm)), true
	}
	switch in.f.shape {
	case shRM:
		in.reg, in.rm = number(in.args[0]), in.args[1]
	case shMR:
		in.rm, in.reg = in.args[0], number(in.args[1])
	case shRVM:
		in.reg, in.vvvv, in.rm = number(in.args[0]), number(in.args[1]), in.args[2]
	case shRMV:
		in.reg, in.rm, in.vvvv = number(in.args[0]), in.args[1], number(in.args[2])
	case shMVR:
		in.rm, in.vvvv, in.reg = in.args[0], number(in.args[1]), number(in.args[2])
	case shVM:
		in.vvvv, in.rm = number(in.args[0]), in.args[1]
	case shM:
		in.rm = in.args[0]
	case shRVMR:
		in.reg, in.vvvv, in.rm = number(in.args[0]), number(in.args[1]), in.args[2]
		in.imm, in.hasImm = number(in.args[3])<<4, true
	}
}

// number is the number of a register in the encoding.
func number(o Operand) uint8 {
	switch o := o.(type) {
	case Vec:
		return uint8(o)
	case Mask:
		return uint8(o)
	case Reg:
		return uint8(o - RAX)
	}
	return 0
}

// widthRefuses is the reason why the form has no such width.
func (in *inst) widthRefuses() string {
	switch f := in.f.flags; {
	case f&onlyZ != 0 && in.w != Z, f&onlyY != 0 && in.w != Y, f&noX != 0 && in.w == X:
		return "not of this width"
	}
	return ""
}

// vexRefuses is the reason why the instruction cannot have the VEX form, empty if it can.
func (in *inst) vexRefuses(have Features) string {
	f := in.f.flags
	switch {
	case f&vex == 0:
		return "needs AVX-512"
	case have&AVX2 == 0:
		return "needs AVX2"
	case in.pred.k != 0, in.round != 0:
		return "predicates and roundings need AVX-512"
	case in.w == Z && f&(scalar|vexL1) == 0:
		return "512 bits need AVX-512"
	}
	if reason := in.widthRefuses(); reason != "" {
		return reason
	}
	for i := range in.n {
		switch o := in.args[i].(type) {
		case Vec:
			if o > 15 {
				return "vector registers from 16 on need AVX-512"
			}
		case Mem:
			if o.bcast {
				return "embedded broadcast needs AVX-512"
			}
			if o.kind == memVec && o.vec > 15 {
				return "vector registers from 16 on need AVX-512"
			}
			if reason := o.refuses(); reason != "" {
				return reason
			}
		case Mask:
			if have&AVX512 == 0 {
				return "mask registers need AVX-512"
			}
		}
	}
	if f&gather != 0 {
		dst, mask, index := in.args[0], in.args[2], in.args[1].(Mem).vec
		if dst == mask || dst == Operand(index) || mask == Operand(index) {
			return "destination, index and mask of a gather must differ"
		}
	}
	return ""
}

// evexRefuses is the reason why the instruction cannot have the EVEX form, empty if it can.
func (in *inst) evexRefuses(have Features) string {
	f := in.f.flags
	if have&AVX512 == 0 {
		return "needs AVX-512"
	}
	for _, e := range extensions {
		if f&e.flag != 0 && have&e.feature == 0 {
			return "needs " + e.name
		}
	}
	if reason := in.widthRefuses(); reason != "" {
		return reason
	}
	switch {
	case f&noK != 0 && in.pred.k != 0:
		return "takes no predicate"
	case f&mustK != 0 && in.pred.k == 0:
		return "needs a predicate"
	case f&noZ != 0 && in.pred.zero:
		return "cannot zero"
	}
	mem, isMem := in.rm.(Mem)
	if isMem {
		if reason := mem.refuses(); reason != "" {
			return reason
		}
		switch {
		case mem.bcast && f&(b4|b8) == 0:
			return "has no embedded broadcast"
		case in.pred.zero && (in.f.shape == shMR || in.f.shape == shMVR):
			return "a store cannot zero"
		case mem.kind == memVec && mem.vec > 31:
			return "no such vector register"
		}
		if f&gather != 0 && in.f.shape == shRM && in.args[0] == Operand(mem.vec) {
			return "destination and index of a gather must differ"
		}
	}
	switch {
	case in.round == 0:
	case isMem:
		return "rounding needs registers"
	case in.round == SAE && f&sae == 0, in.round != SAE && f&er == 0:
		return "has no such rounding"
	case in.w != Z && f&scalar == 0:
		return "rounding needs 512 bits"
	}
	return ""
}

var extensions = [...]struct {
	flag    flags
	feature Features
	name    string
}{
	{vbmi, VBMI, "AVX512_VBMI"},
	{vbmi2, VBMI2, "AVX512_VBMI2"},
	{bitalg, BITALG, "AVX512_BITALG"},
	{vpopcnt, VPOPCNTDQ, "AVX512_VPOPCNTDQ"},
}

// preferTwin reports whether the form with the operands the other way round allows the shorter VEX prefix:
// the two-byte one extends ModRM.reg but not ModRM.rm.
func (in *inst) preferTwin() bool {
	rm, ok := in.rm.(Vec)
	return ok && rm > 7 && in.reg < 8
}

// extend splits the rm operand into the bits that prefixes hold: X and B.
func extend(rm Operand) (x, b, v2 uint8) {
	if m, ok := rm.(Mem); ok {
		if m.Base != NoReg {
			b = number(m.Base) >> 3
		}
		if m.kind == memVec {
			return uint8(m.vec) >> 3 & 1, b, uint8(m.vec) >> 4
		}
		if m.Index != NoReg {
			x = number(m.Index) >> 3
		}
		return x, b, 0
	}
	n := number(rm)
	return n >> 4, n >> 3 & 1, 0
}

// vex appends in under a VEX prefix (Intel SDM volume 2, 2.3.5).
func (a *Assembler) vex(in *inst) {
	f := in.f
	x, b, _ := extend(in.rm)
	var w, l uint8
	if f.flags&vw1 != 0 {
		w = 1
	}
	if f.flags&vexL1 != 0 || in.w == Y && f.flags&scalar == 0 {
		l = 1
	}
	pp, m := f.pm&3, f.pm>>2
	low := (^in.vvvv&15)<<3 | l<<2 | pp
	if x == 0 && b == 0 && w == 0 && m == 1 {
		a.buf = append(a.buf, 0xC5, (^in.reg>>3&1)<<7|low, f.op)
	} else {
		a.buf = append(a.buf, 0xC4, (^in.reg>>3&1)<<7|(x^1)<<6|(b^1)<<5|m, w<<7|low, f.op)
	}
	a.operands(in, 1)
}

// evex appends in under an EVEX prefix (Intel SDM volume 2, 2.7.1).
func (a *Assembler) evex(in *inst) {
	f := in.f
	x, b, v2 := extend(in.rm)
	v2 |= in.vvvv >> 4
	mem, isMem := in.rm.(Mem)
	bcast := isMem && mem.bcast
	ll := uint8(in.w)
	if f.flags&scalar != 0 {
		ll = 0
	}
	bit := bcast
	if in.round != 0 {
		// The length is implied, and its field holds the rounding.
		bit, ll = true, 0
		if in.round != SAE {
			ll = uint8(in.round - RoundNearest)
		}
	}
	p0 := (^in.reg>>3&1)<<7 | (x^1)<<6 | (b^1)<<5 | (^in.reg>>4&1)<<4 | f.pm>>2
	p1 := (^in.vvvv&15)<<3 | 4 | f.pm&3
	if f.flags&ew1 != 0 {
		p1 |= 0x80
	}
	p2 := ll<<5 | (v2^1)<<3 | uint8(in.pred.k)
	if in.pred.zero {
		p2 |= 0x80
	}
	if bit {
		p2 |= 0x10
	}
	a.buf = append(a.buf, 0x62, p0, p1, p2, f.op)
	n := f.bytes(in.w, bcast)
	a.operands(in, max(n, 1))
}

// operands appends ModRM, what belongs to it, and the immediate.
func (a *Assembler) operands(in *inst, n int) {
	tail := 0
	if in.hasImm {
		tail = 1
	}
	if in.f.shape != shNone {
		a.modrm(in.reg, in.rm, n, tail)
	}
	if in.hasImm {
		a.buf = append(a.buf, in.imm)
	}
	a.grown()
}

// grown refuses code that has become too long.
func (a *Assembler) grown() {
	if len(a.buf) > maxCode {
		a.fail("function of more than %d bytes", maxCode)
	}
}

// refuses is the reason why m cannot be addressed, empty if it can.
func (m Mem) refuses() string {
	if m.kind == memLabel || m.kind == memConst {
		if m.Base != NoReg || m.Index != NoReg {
			return "a place in the code has no base or index"
		}
		return ""
	}
	switch {
	case m.Base > R15, m.Index > R15:
		return "no such base or index"
	case m.Index == RSP:
		return "RSP cannot be an index"
	case m.kind == memVec && m.Index != NoReg:
		return "two indices"
	}
	switch m.Scale {
	case 0, 1, 2, 4, 8:
		return ""
	}
	return "scale is not 1, 2, 4 or 8"
}

// modrm appends ModRM, SIB and displacement (Intel SDM volume 2, 2.1.5). A short displacement counts in units
// of n bytes; tail is how many bytes follow in the instruction.
func (a *Assembler) modrm(reg uint8, rm Operand, n, tail int) {
	reg = reg & 7 << 3
	m, ok := rm.(Mem)
	if !ok {
		a.buf = append(a.buf, 0xC0|reg|number(rm)&7)
		return
	}
	if m.kind == memLabel || m.kind == memConst {
		a.buf = append(a.buf, reg|5)
		a.rip(m, tail)
		return
	}
	index := uint8(4) // none
	switch {
	case m.kind == memVec:
		index = uint8(m.vec) & 7
	case m.Index != NoReg:
		index = number(m.Index) & 7
	}
	hasSIB := m.kind == memVec || m.Index != NoReg
	var scale uint8
	switch m.Scale {
	case 2:
		scale = 1 << 6
	case 4:
		scale = 2 << 6
	case 8:
		scale = 3 << 6
	}
	if m.Base == NoReg {
		// ModRM.mod 0 with SIB.base 5: no base, 32 bits of displacement.
		a.buf = append(a.buf, reg|4, scale|index<<3|5)
		a.disp32(m.Disp)
		return
	}
	base := number(m.Base) & 7
	hasSIB = hasSIB || base == 4
	mod := uint8(0x80)
	switch short := int(m.Disp) / n; {
	case m.Disp == 0 && base != 5: // ModRM.mod 0 with base 5 means something else
		mod = 0
	case int(m.Disp)%n == 0 && -128 <= short && short <= 127:
		mod = 0x40
	}
	if hasSIB {
		if m.kind != memVec && m.Index == NoReg {
			scale = 0
		}
		a.buf = append(a.buf, mod|reg|4, scale|index<<3|base)
	} else {
		a.buf = append(a.buf, mod|reg|base)
	}
	switch mod {
	case 0x40:
		a.buf = append(a.buf, byte(int(m.Disp)/n))
	case 0x80:
		a.disp32(m.Disp)
	}
}

func (a *Assembler) disp32(d int32) {
	a.buf = append(a.buf, byte(d), byte(d>>8), byte(d>>16), byte(d>>24))
}
