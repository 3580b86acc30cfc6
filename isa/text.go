package isa

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// WriteText writes the program's text form: what `lockstep isa` prints. It is
// meant to be read by people and to be compared by tests; it is the same for
// the same program, always.
func (p *Program) WriteText(w io.Writer) error {
	var b strings.Builder
	for i := range p.Globals {
		g := &p.Globals[i]
		kind := "global"
		if g.ReadOnly {
			kind = "constant"
		}
		fmt.Fprintf(&b, "%s @%d %q size %d align %d", kind, i, g.Name, g.Size, g.Align)
		if n := len(g.Init); n > 0 {
			fmt.Fprintf(&b, " init %x", g.Init[:min(n, 32)])
			if n > 32 {
				fmt.Fprintf(&b, "… (%d bytes)", n)
			}
		}
		for _, r := range g.Relocs {
			if r.Pipe {
				fmt.Fprintf(&b, " [%d]=pipe @%d", r.Offset, r.Global)
				continue
			}
			fmt.Fprintf(&b, " [%d]=@%d%+d", r.Offset, r.Global, r.Addend)
		}
		b.WriteByte('\n')
	}
	for i, q := range p.Pipes {
		fmt.Fprintf(&b, "pipe @%d %q packet %d align %d capacity %d\n", i, q.Name, q.PacketBytes, q.PacketAlign, q.Capacity)
	}
	header := len(p.Globals)+len(p.Pipes) > 0
	if v := p.Meta.OpenCL; v != (Version{}) {
		fmt.Fprintf(&b, "opencl %s\n", v)
		header = true
	}
	if s := p.Meta.SchedulingParams; s != nil {
		fmt.Fprintf(&b, "scheduling_params %q\n", s)
		header = true
	}
	if header {
		b.WriteByte('\n')
	}
	for i, k := range p.Kernels {
		if i > 0 {
			b.WriteByte('\n')
		}
		k.text(&b, p)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Text returns the kernel's text form. p is the program that holds it.
func (k *Kernel) Text(p *Program) string {
	var b strings.Builder
	k.text(&b, p)
	return b.String()
}

func (k *Kernel) text(b *strings.Builder, p *Program) {
	fmt.Fprintf(b, "kernel %s", plain(k.Name))
	if k.ReqdLocalSize != [3]uint32{} {
		fmt.Fprintf(b, " reqd_local %d,%d,%d", k.ReqdLocalSize[0], k.ReqdLocalSize[1], k.ReqdLocalSize[2])
	}
	if k.ReqdSubgroup != 0 {
		fmt.Fprintf(b, " reqd_subgroup %d", k.ReqdSubgroup)
	}
	k.Meta.text(b)
	b.WriteByte('\n')
	k.links(b)
	for i, a := range k.Params {
		fmt.Fprintf(b, "  param %d %q %s size %d", i, a.Name, plain(a.TypeName), a.Size)
		for _, r := range k.ParamRegs {
			if r.Param == i {
				fmt.Fprintf(b, " s%d=[%d:%d]", r.Scalar, r.Offset, r.Offset+uint64(r.Size))
			}
		}
		b.WriteByte('\n')
	}
	for i, a := range k.Local {
		fmt.Fprintf(b, "  local %d %q size %d align %d\n", i+1, a.Name, a.Size, a.Align)
	}
	for i, a := range k.Private {
		fmt.Fprintf(b, "  private %d %q size %d align %d", i+1, a.Name, a.Size, a.Align)
		if a.Param > 0 {
			fmt.Fprintf(b, " init param %d", a.Param-1)
		}
		b.WriteByte('\n')
	}
	for _, g := range k.GlobalRegs {
		fmt.Fprintf(b, "  s%d = address @%d\n", g.Scalar, g.Global)
	}
	for _, r := range k.UndefinedRegs {
		fmt.Fprintf(b, "  s%d = undefined %q\n", r.Scalar, k.Undefined[r.From].Name)
	}
	for _, r := range k.PipeRegs {
		fmt.Fprintf(b, "  s%d = pipe @%d", r.Scalar, r.Pipe)
		if r.Reads {
			b.WriteString(" read")
		}
		if r.Writes {
			b.WriteString(" write")
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "  registers s %d", k.NumScalar)
	for bank, n := range k.NumVector {
		if n > 0 {
			fmt.Fprintf(b, ", %s %d", Bank(bank), n)
		}
	}
	b.WriteByte('\n')
	for i, f := range k.Printfs {
		if f.FormatInMemory {
			fmt.Fprintf(b, "  printf %d format in memory\n", i)
			continue
		}
		fmt.Fprintf(b, "  printf %d %q\n", i, f.Format)
	}
	for i, t := range k.Switches {
		fmt.Fprintf(b, "  switch %d", i)
		for j, v := range t.Values {
			fmt.Fprintf(b, " %d:b%d", v, t.Targets[j])
		}
		fmt.Fprintf(b, " default:b%d\n", t.Default)
	}
	last := Loc{}
	for i, blk := range k.Blocks {
		fmt.Fprintf(b, "b%d:", i)
		if blk.Name != "" {
			fmt.Fprintf(b, " ; %s", plain(blk.Name))
		}
		if blk.Loop > 0 {
			fmt.Fprintf(b, " (loop depth %d)", blk.Loop)
		}
		b.WriteByte('\n')
		for pc := blk.Start; pc < blk.End; pc++ {
			in := &k.Code[pc]
			line := k.InstText(in)
			if int(in.Loc) < len(k.Locs) {
				l := k.Locs[in.Loc]
				if l.Line != 0 && (l.File != last.File || l.Line != last.Line) && int(l.File) < len(p.Files) {
					fmt.Fprintf(b, "  ; %s:%d\n", plain(p.Files[l.File]), l.Line)
					last = l
				}
			}
			fmt.Fprintf(b, "  %4d  %s\n", pc, line)
		}
	}
}

// plain returns a name of the module as it is, or quoted where it has
// characters that would break the line.
func plain(s string) string {
	if q := strconv.Quote(s); q[1:len(q)-1] != s {
		return q
	}
	return s
}

// InstText returns the text form of one instruction of the kernel. Constants
// stand where the scalar registers that hold them are named.
func (k *Kernel) InstText(in *Inst) string {
	inf := in.Op.Info()
	var b strings.Builder
	reg := func(r Reg, t Type) string {
		if c, ok := k.constant(r); ok {
			return constText(c, t)
		}
		return r.Name(t)
	}
	name := func(types ...Type) {
		b.WriteString(in.Op.String())
		for _, t := range types {
			b.WriteByte('.')
			b.WriteString(t.String())
		}
		if r := in.Flags.Round(); r != RoundDefault {
			b.WriteString("." + r.String())
		}
		if in.Flags&FlagSat != 0 {
			b.WriteString(".sat")
		}
	}
	dst := func(t Type) {
		if in.Dst == None {
			return
		}
		b.WriteString(in.Dst.Name(t))
		b.WriteString(" = ")
	}
	// alloc names the private or local allocation that a constant pointer leads to.
	alloc := func(r Reg) (string, bool) {
		c, ok := k.constant(r)
		if !ok || c>>40 == 0 {
			return "", false
		}
		s := fmt.Sprintf("%s #%d", Space(c>>60), c>>40&(1<<20-1))
		if off := c & (1<<40 - 1); off != 0 {
			s += fmt.Sprintf("+%d", off)
		}
		return s, true
	}
	addr := func() string {
		s := "[" + in.Space.String() + " " + reg(in.A, I64)
		if a, ok := alloc(in.A); ok {
			s = "[" + a
		}
		if in.Idx != IdxNone {
			x := reg(in.B, in.Idx.Type())
			switch in.Idx {
			case IdxS32:
				x = "sext " + x
			case IdxU32:
				x = "zext " + x
			}
			s += fmt.Sprintf(" + %s*%d", x, in.Scale)
		}
		if in.Disp != 0 {
			s += fmt.Sprintf(" %+d", in.Disp)
		}
		return s + "]"
	}
	order := func() {
		if o := in.Order(); o != 0 {
			b.WriteString(", " + o.String())
		}
	}
	operand := func(r *Reg, t Type, what string) {
		s := reg(*r, t)
		if a, ok := alloc(*r); ok && (what == "lds" || what == CopyDst.String() || what == CopySrc.String()) {
			s = "[" + a + "]"
		}
		fmt.Fprintf(&b, " %s %s", what, s)
	}
	switch inf.Shape {
	case ShapeUnary, ShapeBinary, ShapeTernary, ShapeQuad:
		dst(in.Type)
		name(in.Type)
		if in.Op == OpMath1 || in.Op == OpMath2 || in.Op == OpMath3 {
			fmt.Fprintf(&b, " #%d", in.Imm)
		}
		sep := " "
		for i, r := range [...]Reg{in.A, in.B, in.C, in.D} {
			if i < 1+int(inf.Shape-ShapeUnary) {
				b.WriteString(sep + reg(r, in.Type))
				sep = ", "
			}
		}
	case ShapeSelect:
		dst(in.Type)
		name(in.Type)
		fmt.Fprintf(&b, " %s ? %s : %s", reg(in.A, B1), reg(in.B, in.Type), reg(in.C, in.Type))
	case ShapeCompare:
		dst(B1)
		name(in.Type)
		fmt.Fprintf(&b, " %s, %s", reg(in.A, in.Type), reg(in.B, in.Type))
	case ShapeConvert:
		dst(in.Type)
		name(in.Type, in.Type2)
		b.WriteString(" " + reg(in.A, in.Type2))
	case ShapePtrAdd:
		dst(I64)
		name()
		b.WriteString(" " + addr())
	case ShapePtrDiff:
		dst(I64)
		name()
		fmt.Fprintf(&b, " %s, %s", reg(in.A, I64), reg(in.B, I64))
	case ShapeCheck:
		name(in.Type)
		b.WriteString(" " + reg(in.A, in.Type))
		if in.B != None {
			b.WriteString(", " + reg(in.B, in.Type))
		}
		b.WriteString(" " + k.Checks[in.Imm].String())
	case ShapeLoad:
		dst(in.Type)
		name(in.Type)
		b.WriteString(" " + addr())
	case ShapeStore:
		name(in.Type)
		b.WriteString(" " + addr() + ", " + reg(in.C, in.Type))
	case ShapeAtomic:
		dst(in.Type)
		name(in.Type)
		b.WriteString(" " + AtomicOp(in.Imm2).String() + " " + addr())
		for _, r := range [...]Reg{in.C, in.D} {
			if r != None {
				b.WriteString(", " + reg(r, in.Type))
			}
		}
		order()
	case ShapeMemCopy:
		name()
		fmt.Fprintf(&b, " [%s], [%s], %s bytes", reg(in.A, I64), reg(in.B, I64), reg(in.C, I64))
	case ShapeBuiltin:
		dst(in.Type)
		name(in.Type)
		b.WriteString(" " + Builtin(in.Imm).String())
	case ShapePrintf:
		dst(I32)
		name()
		fmt.Fprintf(&b, " #%d", in.Imm)
		for _, a := range k.Printfs[in.Imm].Args {
			if a.IsString {
				fmt.Fprintf(&b, " %q", a.Str)
			}
			if a.InMemory {
				b.WriteString(" string")
			}
			for _, r := range a.Regs {
				b.WriteString(" " + reg(r, a.Type))
			}
		}
	case ShapeShuffle:
		dst(in.Type)
		name(in.Type)
		fmt.Fprintf(&b, " %s, lane %s%s", reg(in.A, in.Type), reg(in.B, I32), shuffleText(in.Imm))
	case ShapeShuffle2:
		dst(in.Type)
		name(in.Type)
		fmt.Fprintf(&b, " %s, %s, lane %s%s", reg(in.A, in.Type), reg(in.B, in.Type), reg(in.C, I32), shuffleText(in.Imm))
	case ShapeBallot:
		dst(I32)
		name(in.Type)
		fmt.Fprintf(&b, " %s, word %d", reg(in.A, in.Type), in.Imm)
	case ShapeVote:
		dst(B1)
		name(in.Type)
		fmt.Fprintf(&b, " %s %s", Vote(in.Imm), reg(in.A, in.Type))
	case ShapeElect:
		dst(B1)
		name()
	case ShapeScan:
		dst(in.Type)
		name(in.Type)
		kind, op := in.ScanOf()
		fmt.Fprintf(&b, " %s %s %s", kind, op, reg(in.A, in.Type))
		if in.Scale != 0 {
			fmt.Fprintf(&b, ", clusters of %d", in.Scale)
		}
		if in.B != None {
			fmt.Fprintf(&b, ", part %s", reg(in.B, I32))
		}
	case ShapeBlockLoad:
		dst(in.Type)
		name(in.Type)
		fmt.Fprintf(&b, " %s, component %d", addr(), in.Imm)
	case ShapeBlockStore:
		name(in.Type)
		fmt.Fprintf(&b, " %s, component %d, %s", addr(), in.Imm, reg(in.C, in.Type))
	case ShapeGroupCopy:
		dst(I64)
		c := &k.GroupCopies[in.Imm]
		name()
		fmt.Fprintf(&b, " %s", plain(c.Name))
		c.Regs(operand)
	case ShapeGroupWait:
		name()
		b.WriteString(" " + reg(in.A, I64))
	case ShapeLaneCopy:
		c := &k.LaneCopies[in.Imm]
		name()
		fmt.Fprintf(&b, " %s size %d", plain(c.Name), c.Size)
		if c.Offset != 0 {
			fmt.Fprintf(&b, " offset %d", c.Offset)
		}
		if c.Volatile {
			b.WriteString(" volatile")
		}
		c.Regs(operand)
	case ShapeImage:
		dst(in.Type)
		a := &k.ImageAccesses[in.Imm]
		name(in.Type)
		b.WriteString(" " + a.text(in))
		a.Regs(func(r *Reg, t Type, what string) { fmt.Fprintf(&b, " %s %s", what, reg(*r, t)) })
	case ShapePipe:
		a := &k.PipeAccesses[in.Imm]
		dst(a.Op.Result())
		name()
		b.WriteString(" " + a.text())
		a.Regs(func(r *Reg, t Type, what string) { fmt.Fprintf(&b, " %s %s", what, reg(*r, t)) })
	case ShapeAsync:
		name()
		if in.Op == OpAsyncWait {
			fmt.Fprintf(&b, " %d,", in.Scale)
		}
		fmt.Fprintf(&b, " sequence %d", in.Imm)
	case ShapeBr:
		fmt.Fprintf(&b, "br b%d", in.Target0())
	case ShapeBrCond:
		fmt.Fprintf(&b, "brcond %s ? b%d : b%d", reg(in.A, B1), in.Target0(), in.Target1())
		if in.Flags&FlagWait != 0 {
			b.WriteString(", waits for the pipe")
		}
	case ShapeSwitch:
		name(in.Type)
		fmt.Fprintf(&b, " %s, table %d", reg(in.A, in.Type), in.Imm)
	case ShapeBarrier:
		scope := "workgroup"
		if Scope(in.Imm2) == ScopeSubgroup {
			scope = "subgroup"
		}
		fmt.Fprintf(&b, "barrier.%s then b%d", scope, in.Target0())
		if s := in.Schedule(); s != ScheduleUnordered {
			fmt.Fprintf(&b, ", %s", s)
		}
		order()
	case ShapeTrap:
		fmt.Fprintf(&b, "trap %d", in.Imm)
	case ShapeFence:
		name()
		order()
	default:
		name()
	}
	if in.Flags&FlagUniform != 0 {
		b.WriteString("  ; uniform")
	}
	if in.Flags&FlagDense != 0 {
		b.WriteString("  ; dense")
	}
	return b.String()
}

// shuffleText returns what the checks are told of a shuffle.
func shuffleText(imm uint32) string {
	s := ""
	if imm&ShuffleSame != 0 {
		s += ", same"
	}
	if imm&ShuffleLoose != 0 {
		s += ", loose"
	}
	if imm&ShuffleItem != 0 {
		s += ", item"
	}
	return s
}

// constant returns the value of a scalar register that only ever holds a
// constant.
func (k *Kernel) constant(r Reg) (uint64, bool) {
	if !r.IsScalar() || r.Index() >= len(k.ScalarInit) {
		return 0, false
	}
	for _, p := range k.ParamRegs {
		if p.Scalar == r.Index() {
			return 0, false
		}
	}
	for _, g := range k.GlobalRegs {
		if g.Scalar == r.Index() {
			return 0, false
		}
	}
	for _, p := range k.PipeRegs {
		if p.Scalar == r.Index() {
			return 0, false
		}
	}
	for _, u := range k.UndefinedRegs {
		if u.Scalar == r.Index() {
			return 0, false
		}
	}
	return k.ScalarInit[r.Index()], true
}

func constText(c uint64, t Type) string {
	switch t {
	case B1:
		return []string{"false", "true"}[c&1]
	case I8:
		return fmt.Sprint(int8(c))
	case I16:
		return fmt.Sprint(int16(c))
	case I32:
		return fmt.Sprint(int32(c))
	case I64:
		return fmt.Sprint(int64(c))
	case F16:
		return fmt.Sprintf("half(%#x)", c)
	case F32:
		f := math.Float32frombits(uint32(c))
		if f != f {
			return fmt.Sprintf("nan(%#x)", c)
		}
		return fmt.Sprintf("%gf", f)
	case F64:
		f := math.Float64frombits(c)
		if f != f {
			return fmt.Sprintf("nan(%#x)", c)
		}
		return fmt.Sprintf("%g", f)
	}
	return fmt.Sprintf("%#x", c)
}
