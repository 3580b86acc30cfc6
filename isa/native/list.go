package native

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/codemem"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// ListOptions says what [List] writes.
type ListOptions struct {
	// Processor is "avx2" or "avx512" for code with no more than that, whatever the processor at hand has;
	// "" is what [New] finds.
	Processor string
	// Offsets puts the place and the bytes of each instruction in front of it.
	Offsets bool
	// Virtual writes the machine form instead of the machine code: registers have not been chosen in it.
	Virtual bool
}

// ErrList is wrapped by the errors of [List] that are about its options or the system.
var ErrList = errors.New("native: no listing")

// List writes the plan of a kernel and the machine code that becomes of it. It runs nothing, and needs no
// processor that could. Kernels, options and the sizes of pointers decide the text; those have to have 64
// bits.
func List(w io.Writer, p *isa.Program, k *isa.Kernel, o ListOptions) error {
	var f amd64.Features
	switch o.Processor {
	case "":
		e, err := New()
		if err != nil {
			return fmt.Errorf("%w: %w", ErrList, err)
		}
		f = e.features
	case "avx2":
		f = amd64.AVX2
	case "avx512":
		f = amd64.AVX2 | amd64.AVX512
	default:
		return fmt.Errorf("%w: processor %q is neither avx2 nor avx512", ErrList, o.Processor)
	}
	if unsafe.Sizeof(uintptr(0)) != 8 {
		return fmt.Errorf("%w: %w", ErrList, codemem.ErrUnsupported)
	}
	base, err := interp.Prepare(p, k)
	if err != nil {
		return err
	}
	c, refused := Engine{features: f, form: o.Virtual}.compile(base, k, true)
	var b strings.Builder
	set := "AVX2"
	if f&amd64.AVX512 != 0 {
		set = "AVX-512"
	}
	fmt.Fprintf(&b, "kernel %s, machine code for %s\n", printable(k.Name), set)
	writePlan(&b, c.plan)
	switch {
	case refused != nil:
		fmt.Fprintf(&b, "\nno machine code: %v\n", refused)
	case o.Virtual:
		fmt.Fprintf(&b, "\nmachine form\n%s", c.builder.form)
	default:
		code := c.object.(text).bytes
		fmt.Fprintf(&b, "\nmachine code of %d bytes\n%s", len(code), c.builder.Listing(code, o.Offsets))
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// printable is a kernel's name, quoted unless it consists of letters, digits and the like.
func printable(name string) string {
	for _, c := range name {
		if c <= ' ' || c == '"' || c >= 0x7f {
			return fmt.Sprintf("%q", name)
		}
	}
	return name
}

// planWriter writes plans.
type planWriter struct {
	*strings.Builder
	k *isa.Kernel
}

// writePlan writes the text of a plan.
func writePlan(b *strings.Builder, p *plan.Plan) {
	w := &planWriter{b, p.Kernel}
	fmt.Fprintf(w, "plan: %d resume points, %d scalar registers", p.Points, p.Scalars)
	if p.Layout.PrivateStride > 0 {
		fmt.Fprintf(w, ", %d bytes of private memory for 64 lanes", p.Layout.PrivateStride)
	}
	if p.Undo > 0 {
		fmt.Fprintf(w, ", %d bytes of a checkpoint for 64 lanes", p.Undo)
	}
	if p.Spill > 0 {
		fmt.Fprintf(w, ", %d bytes of spill slots", p.Spill)
	}
	if p.Steady {
		w.WriteString(", steady")
	}
	w.WriteByte('\n')
	for i := range p.Blocks {
		w.block(i, &p.Blocks[i])
	}
}

func (w *planWriter) block(n int, b *plan.Block) {
	fmt.Fprintf(w, "\nblock %d: point %d\n", n, b.Entry)
	if b.Hyper != nil {
		w.hyper(n, b.Hyper)
	}
	if b.IDs != nil {
		w.WriteString("  ids\n")
		w.run(b.IDs, "    ")
	}
	for i := range b.Parts {
		p := &b.Parts[i]
		fmt.Fprintf(w, "  point %d: ", p.Point)
		w.part(p)
	}
	fmt.Fprintf(w, "  point %d: %s\n", b.End, w.k.InstText(b.Terminator))
}

func (w *planWriter) part(p *plan.Part) {
	switch {
	case p.Run != nil:
		w.WriteString("run\n")
		w.run(p.Run, "    ")
	case p.Scalar != nil:
		w.WriteString(w.k.InstText(p.Scalar))
		if p.Place != nil {
			fmt.Fprintf(w, "  ; slot %d", p.Place.Slot)
		}
		w.WriteByte('\n')
	case p.Copy != nil:
		fmt.Fprintf(w, "copy of the work-group, slots %d and %d\n", p.Copy.To.Slot, p.Copy.From.Slot)
	case p.Waits:
		w.WriteString("waits for copies of the work-group\n")
	default:
		w.WriteString("left to the reference engine\n")
		for i := range p.Code {
			fmt.Fprintf(w, "      %s\n", w.k.InstText(&p.Code[i]))
		}
	}
}

// run writes the instructions of a run. Results that later code reads are marked with a star, those of the
// launch that are the same in all its accesses with their slots.
func (w *planWriter) run(r *plan.Run, indent string) {
	for i := range r.Places {
		p := &r.Places[i]
		fmt.Fprintf(w, "%sslot %d: %s%+d, scale %d", indent, p.Slot, p.Pointer.Name(isa.I64), p.Disp, p.Scale)
		for _, x := range []struct {
			is   bool
			name string
		}{{p.Fixed, "fixed"}, {p.Pointed, "pointers of lanes"}, {p.Row, "private"}} {
			if x.is {
				w.WriteString(", " + x.name)
			}
		}
		w.WriteByte('\n')
	}
	for i := range r.Code {
		star := ' '
		if r.Keep[i] {
			star = '*'
		}
		fmt.Fprintf(w, "%s%c %s", indent, star, w.k.InstText(&r.Code[i]))
		if in := &r.Code[i]; x86.AccessesMemory(in) || plan.Blocked(in) {
			fmt.Fprintf(w, "  ; slot %d", r.Slots[i])
			if r.Disp[i] != 0 || r.Bias[i] != 0 {
				fmt.Fprintf(w, "%+d, bias %d", r.Disp[i], r.Bias[i])
			}
		}
		w.WriteByte('\n')
	}
}

func (w *planWriter) hyper(first int, h *plan.Hyper) {
	fmt.Fprintf(w, "  hyperblock of blocks %d to %d", first, h.Last)
	if h.Single {
		w.WriteString(", worth it only without checks")
	}
	w.WriteByte('\n')
	for i, m := range h.Masks {
		if m != isa.None {
			fmt.Fprintf(w, "    block %d for the lanes in %s\n", first+i, m.Name(isa.B1))
		}
	}
	for dim, small := range h.Ids {
		if small {
			fmt.Fprintf(w, "    if global ids in %c are below 2³¹\n", "xyz"[dim])
		}
	}
	for _, x := range h.Small {
		fmt.Fprintf(w, "    if %s is below 2³¹\n", x.Name(isa.I64))
	}
	for _, t := range h.Terms {
		switch {
		case t.Natural:
			fmt.Fprintf(w, "    if 0 ≤ %s < 2³¹\n", w.term(t))
		case t.Word:
			fmt.Fprintf(w, "    if -2³¹ ≤ %s < 2³¹\n", w.term(t))
		}
	}
	for _, x := range h.Narrow {
		fmt.Fprintf(w, "    %s = narrowed %s, if that is below 2³¹\n", x.Half.Name(isa.I32), x.Wide.Name(isa.I64))
	}
	for i := range h.Scalars {
		w.WriteString("    ")
		w.part(&h.Scalars[i])
	}
	w.run(h.Run, "    ")
	for _, x := range h.Widen {
		fmt.Fprintf(w, "    %s = widened %s\n", x.Wide.Name(isa.I64), x.Half.Name(isa.I32))
	}
	for i := range h.Moves {
		fmt.Fprintf(w, "    %s\n", w.k.InstText(&h.Moves[i]))
	}
}

// fieldName is the name of a field of the frame, "" if that is not where memory is.
func fieldName(m amd64.Mem) string {
	if m.Base != x86.RegFrame || m.Index != amd64.NoReg || m.Disp < 0 {
		return ""
	}
	return "frame" + pathOf(reflect.TypeFor[wave.Frame](), uintptr(m.Disp))
}

// pathOf is what leads from a value of a type to what lies some bytes behind its beginning.
func pathOf(t reflect.Type, at uintptr) string {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Offset <= at && at < f.Offset+f.Type.Size() {
				return "." + f.Name + pathOf(f.Type, at-f.Offset)
			}
		}
	case reflect.Array:
		size := t.Elem().Size()
		return fmt.Sprintf("[%d]", at/size) + pathOf(t.Elem(), at%size)
	}
	if at > 0 {
		return fmt.Sprintf("+%d", at)
	}
	return ""
}

// seldomTitle is the title of the section of a listing that has what is not the code of one block.
const seldomTitle = "common and seldom run code"

// term returns a term of a hyperblock as a formula.
func (w *planWriter) term(t *plan.Term) string {
	switch t = t.Base(); t.Op {
	case isa.OpBuiltin:
		return t.ID.String()
	case isa.OpMov:
		return t.Scalar.Name(t.Type)
	case isa.OpShl:
		return fmt.Sprintf("(%s << %d)", w.term(t.A), t.Shift)
	}
	return fmt.Sprintf("(%s %s %s)", w.term(t.A), map[isa.Op]string{isa.OpAdd: "+", isa.OpSub: "-", isa.OpMul: "*"}[t.Op], w.term(t.B))
}
