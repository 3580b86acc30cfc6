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
