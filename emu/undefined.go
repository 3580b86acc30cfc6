package emu

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// A buffer or an image that the host has never written is undefined to launches with checks, byte by byte. What a launch
// without checks could have written counts as defined.

// define makes n bytes of a buffer defined, from off on: the host has written them.
func (b *Buffer) define(off int64, n int) {
	if s, at := b.dev.mem.Lookup(b.ptr.Alloc()).Shadow(); !s.Defined() {
		s.Define(at+uint64(off), uint64(n))
	}
}

// undefine makes a new buffer one that nobody has written.
func (b *Buffer) undefine() {
	s, _ := b.dev.mem.Lookup(b.ptr.Alloc()).Shadow()
	s.Reset(b.size > 0, 0)
	if p := b.dev.poison; p != 0 {
		memory.Poison(b.data, p)
	}
}

// defineAll makes the whole buffer defined.
func (b *Buffer) defineAll() {
	if b != nil && b.data != nil {
		b.define(0, len(b.data))
	}
}

// shadows makes the memory of a launch's arguments ready for it. The device is held.
func (p *prepared) shadows() {
	d := p.Kernel.prog.dev
	for i := range p.args {
		a := &p.args[i]
		b := a.buffer
		if a.image != nil {
			b = a.image.buffer()
		}
		if b == nil {
			continue
		}
		s, _ := d.mem.Lookup(b.ptr.Alloc()).Shadow()
		switch {
		case s.Defined():
		case !p.Check && (a.image != nil || !p.readsOnly(i)):
			b.defineAll()
		case p.Check:
			s.SetStart(d.origins.ID(memory.Origin{Kind: memory.OriginGlobal, Number: int(b.ptr.Alloc())}))
		}
	}
	d.svm.each(func(b *Buffer) {
		s, _ := d.mem.Lookup(b.ptr.Alloc()).Shadow()
		switch {
		case s.Defined():
		case p.Check:
			s.SetStart(d.origins.ID(memory.Origin{Kind: memory.OriginGlobal, Number: int(b.ptr.Alloc())}))
		default:
			b.defineAll() // pointers in memory may lead there
		}
	})
	p.launch.Poison = d.poison
	if p.Check && p.Memory != MemoryWeak {
		d.launches++
		p.launch.Origins, p.launch.Number = &d.origins, d.launches
	}
}

// left is what a store instruction has left undefined in the buffers of a launch.
type left struct {
	at   memory.Pointer // the first byte
	from memory.OriginID
}

// keepOutputs drops the faults about stores of undefined bits, but for those whose bits are still in a buffer when the
// launch is over: others were overwritten, or nobody can see them. raced says that there are data races. A launch
// that did not come to its end leaves its outputs half-finished, and is not asked about them. The device is held.
func (p *prepared) keepOutputs(faults []scheduler.Fault, ended, raced bool) []scheduler.Fault {
	if p.launch.Origins == nil {
		return faults
	}
	var stores map[int]*left
	if ended {
		stores = p.leftUndefined()
	}
	kept := faults[:0]
	for i := range faults {
		f := faults[i]
		if f.Code != engine.UndefinedStores {
			kept = append(kept, f)
			continue
		}
		s, ok := stores[f.PC]
		if !ok {
			continue
		}
		delete(stores, f.PC)
		u := *f.Undefined
		if !p.stillUndefined(u.Pointer, f.PC) {
			u.Pointer, u.From = s.at, s.from
			f.Lane = -1 // somebody else's bits are left
		}
		f.Code, f.Undefined = finding.Uninitialized, &u
		kept = append(kept, f)
	}
	// Asynchronous copies are told of by nobody.
	for _, pc := range slices.Sorted(maps.Keys(stores)) {
		s := stores[pc]
		if op := p.launch.Kernel.Code[pc].Op; op != isa.OpGroupCopy && op != isa.OpLaneCopy {
			continue
		}
		u := &engine.Undefined{Use: engine.UndefinedOutput, From: s.from, Pointer: s.at}
		kept = append(kept, scheduler.Fault{
			Fault: engine.Fault{Code: finding.Uninitialized, PC: pc, Lane: -1, Undefined: u}, Count: 1, Groups: 1,
		})
	}
	if ended {
		kept = append(kept, p.unwritten()...)
	}
	return oneOfEach(withoutRaces(kept, p.launch.Origins, raced), p.launch.Origins)
}

// unwritten tells of the buffers that the host is going to read and that have elements which nobody has written.
func (p *prepared) unwritten() (faults []scheduler.Fault) {
	told := map[*Buffer]bool{}
	for _, i := range p.Reads {
		if i < 0 || i >= len(p.args) || p.args[i].buffer == nil || p.args[i].buffer.data == nil || told[p.args[i].buffer] {
			continue
		}
		b := p.args[i].buffer
		told[b] = true
		r := p.launch.Memory.Lookup(b.ptr.Alloc())
		s, at := r.Shadow()
		size := max(p.Kernel.code.Params[i].Size, 1)
		first, n := s.Untouched(at, at+r.Size, size)
		if n == 0 {
			continue
		}
		u := &engine.Undefined{
			Use: engine.UndefinedUnwritten, Pointer: b.ptr.Add(int64(first - at)), Elements: n,
			From: p.launch.Origins.ID(memory.Origin{Kind: memory.OriginGlobal, Number: int(b.ptr.Alloc())}),
		}
		faults = append(faults, scheduler.Fault{
			Fault: engine.Fault{Code: finding.Uninitialized, PC: -1, Lane: -1, Undefined: u}, Count: 1, Groups: 1,
		})
	}
	return faults
}

// copyRaces are the codes of findings about accesses that no wait orders with an asynchronous copy.
var copyRaces = []finding.Code{finding.AsyncRead, finding.AsyncWrite, finding.AsyncOverlap, finding.AsyncRace}

// withoutRaces drops the faults about memory that others share if there are races: whether an access comes before the
// one that sets its memory depends on the schedule then, and the race is what has to be mended.
func withoutRaces(faults []scheduler.Fault, table *memory.Origins, raced bool) []scheduler.Fault {
	if !raced && !slices.ContainsFunc(faults, func(f scheduler.Fault) bool { return slices.Contains(copyRaces, f.Code) }) {
		return faults
	}
	return slices.DeleteFunc(faults, func(f scheduler.Fault) bool {
		if f.Code != finding.Uninitialized {
			return false
		}
		root, _ := table.Root(f.Undefined.From)
		return root.Kind == memory.OriginLocal || root.Kind == memory.OriginGlobal
	})
}

// leftUndefined finds the undefined bits in the buffers of the launch that it has stored, by instruction.
func (p *prepared) leftUndefined() map[int]*left {
	stores := map[int]*left{}
	look := func(b *Buffer) {
		if b == nil || b.data == nil {
			return
		}
		r := p.launch.Memory.Lookup(b.ptr.Alloc())
		s, at := r.Shadow()
		s.Undefined(func(off uint64, _ byte, from memory.OriginID) {
			o := p.launch.Origins.Of(from)
			if off < at || off-at >= r.Size || !p.stores(o) {
				return
			}
			if stores[o.Number] == nil {
				stores[o.Number] = &left{at: b.ptr.Add(int64(off - at)), from: from}
			}
		})
	}
	for i := range p.args {
		look(p.args[i].buffer)
	}
	p.Kernel.prog.dev.svm.each(look)
	return stores
}

// stores says whether an origin is a store of this launch that matters.
func (p *prepared) stores(o memory.Origin) bool {
	return o.Kind == memory.OriginStore && o.Owner == any(p.launch.Kernel) && o.Launch == p.launch.Number && !o.Padding
}

// stillUndefined says whether bits are undefined that an instruction has stored at an address.
func (p *prepared) stillUndefined(q memory.Pointer, pc int) bool {
	r := p.launch.Memory.Lookup(q.Alloc())
	if r.Check(q, 1, memory.AccessRead) != nil {
		return false
	}
	s, at := r.Shadow()
	for n := range uint64(8) {
		u, from := s.Load(at+uint64(q.Offset())+n, 1)
		if o := p.launch.Origins.Of(from); u != 0 && p.stores(o) && o.Number == pc {
			return true
		}
	}
	return false
}

// oneOfEach keeps one fault for each value that was not initialised, the first in the order of the schedule: the
// others follow from it. They become its Also.
func oneOfEach(faults []scheduler.Fault, table *memory.Origins) []scheduler.Fault {
	first := map[memory.Origin]int{}
	kept := faults[:0]
	for _, f := range faults {
		if f.Code != finding.Uninitialized {
			kept = append(kept, f)
			continue
		}
		root, _ := table.Root(f.Undefined.From)
		if i, ok := first[root]; ok {
			if f.PC < 0 {
				continue // the instruction says more
			}
			u := *kept[i].Undefined
			u.Also = append(slices.Clip(u.Also), f.PC)
			kept[i].Undefined = &u
			continue
		}
		first[root] = len(kept)
		kept = append(kept, f)
	}
	return kept
}

// undefinedReport writes a finding about undefined bits.
type undefinedReport struct {
	*prepared
	out    *finding.Finding
	fault  *scheduler.Fault
	places *places
}

// uninitialized describes a use of undefined bits.
func (p *prepared) uninitialized(out *finding.Finding, f *scheduler.Fault, places *places) {
	r := undefinedReport{p, out, f, places}
	root, stores := p.launch.Origins.Root(f.Undefined.From)
	name := r.root(root)
	if root.Dead {
		out.Code = finding.DeadVariable
	}
	r.message(name)
	if f.Undefined.Use == engine.UndefinedOutput && len(stores) > 0 {
		stores = stores[1:] // the place of the finding itself
	}
	for _, s := range stores {
		r.store(s)
	}
	for i, pc := range f.Undefined.Also {
		if i == maxAlso {
			out.Notes = append(out.Notes, fmt.Sprintf("the value matters at %d further places", len(f.Undefined.Also)-i))
			break
		}
		out.Parties = append(out.Parties, finding.Party{Does: "it matters also", Place: places.at(p.launch.Kernel, pc)})
	}
	if f.Lane < 0 {
		out.WorkItem = nil
	}
}

// maxAlso is how many further places a finding about an undefined value names.
const maxAlso = 4

// message says what the undefined bits decide.
func (r *undefinedReport) message(name string) {
	if r.fault.Undefined.Use == engine.UndefinedUnwritten {
		r.unwritten()
		return
	}
	in := &r.launch.Kernel.Code[r.fault.PC]
	value := name
	if value == "" {
		value = "an undefined value"
	}
	switch r.fault.Undefined.Use {
	case engine.UndefinedBranch, engine.UndefinedSwitch:
		r.out.Message = "branch on an uninitialized value"
		r.out.Detail = fmt.Sprintf("the condition depends on %s", value)
	case engine.UndefinedAddress:
		r.out.Message = "uninitialized address"
		r.out.Detail = fmt.Sprintf("the address of the %s depends on %s", accessName(in), value)
	case engine.UndefinedSize:
		r.out.Message = "uninitialized size of a copy"
		r.out.Detail = fmt.Sprintf("how many bytes are copied depends on %s", value)
	case engine.UndefinedDivisor:
		r.out.Message = "division by an uninitialized value"
		r.out.Detail = fmt.Sprintf("the divisor depends on %s and may be 0", value)
	case engine.UndefinedPrintf:
		r.out.Message = "printf of an uninitialized value"
		r.out.Detail = fmt.Sprintf("an argument depends on %s", value)
	case engine.UndefinedCopy:
		r.out.Message = "asynchronous copy with an uninitialized operand"
		r.out.Detail = fmt.Sprintf("an operand depends on %s", value)
	case engine.UndefinedPipe:
		r.out.Message = "pipe operation on an uninitialized value"
		r.out.Detail = fmt.Sprintf("an operand or the packet depends on %s", value)
	case engine.UndefinedImage:
		r.out.Message = "image operation on an uninitialized value"
		r.out.Detail = fmt.Sprintf("a coordinate or the value depends on %s", value)
	case engine.UndefinedDead:
		r.out.Message = "read of a variable whose lifetime is over"
		r.out.Detail = fmt.Sprintf("it reads %s", value)
	case engine.UndefinedDeadStore:
		r.out.Message = "write to a variable whose lifetime is over"
		r.out.Detail = fmt.Sprintf("it writes %s", value)
	default:
		r.output(value)
	}
}

// accessName is what an instruction does to memory.
func accessName(in *isa.Inst) string {
	switch in.Op {
	case isa.OpLoad, isa.OpBlockLoad:
		return "read"
	case isa.OpStore, isa.OpBlockStore:
		return "write"
	case isa.OpMemCopy:
		return "copy"
	}
	return "atomic operation"
}

// output describes undefined bits that are left in a buffer.
func (r *undefinedReport) output(value string) {
	in := &r.launch.Kernel.Code[r.fault.PC]
	n := uint64(in.Type.Bytes())
	if in.Op == isa.OpMemCopy {
		n = 1
	}
	r.out.Message = "uninitialized value in an output"
	r.out.Detail = fmt.Sprintf("%s is left with bits that depend on %s", r.element(memory.AccessWrite, n), value)
}

// unwritten describes elements of an output that nobody has written.
func (r *undefinedReport) unwritten() {
	r.out.Message = "uninitialized elements in an output"
	r.out.Detail = "the host reads " + r.element(memory.AccessRead, 1)
	switch n := r.fault.Undefined.Elements - 1; n {
	case 0:
	case 1:
		r.out.Detail += " and 1 further element"
	default:
		r.out.Detail += fmt.Sprintf(" and %d further elements", n)
	}
	r.out.Detail += ", which no kernel and no host has written"
}

// element names the element of a buffer that the undefined bits are in, and notes the access of n bytes to it.
func (r *undefinedReport) element(kind memory.Access, n uint64) string {
	q := r.fault.Undefined.Pointer
	region := r.launch.Memory.Lookup(q.Alloc())
	f := &memory.Fault{Access: kind, Pointer: q, Size: n, Region: region.Name, RegionSize: region.Size, HasRegion: true}
	o, name := r.object(f)
	r.out.Object, r.out.Access = o, access(f, o)
	what := "byte " + fmt.Sprint(q.Offset()) + " of the " + noun(o)
	if name != "" {
		if what = fmt.Sprintf("byte %d of %s", q.Offset(), name); r.out.Access.Index != nil {
			what = indexed(name, *r.out.Access.Index)
		}
	}
	return what
}

// root names where undefined bits come from, tells of the place, and says what to do.
func (r *undefinedReport) root(o memory.Origin) (name string) {
	k, _ := o.Owner.(*isa.Kernel)
	help := func(format string, args ...any) { r.out.Help = append(r.out.Help, fmt.Sprintf(format, args...)) }
	declared := func(what string, loc uint32) {
		if k != r.launch.Kernel || loc == 0 {
			return
		}
		if p := r.places.loc(k, loc); p.File != "" || p.Word != 0 {
			r.out.Parties = append(r.out.Parties, finding.Party{Does: what, Place: p})
		}
	}
	switch o.Kind {
	case memory.OriginValue:
		if k == nil || o.Number >= len(k.Undefined) {
			return ""
		}
		u := &k.Undefined[o.Number]
		if u.Elem.TypeName == "" {
			declared("undefined", u.Loc)
			help("set every value on every path")
			return ""
		}
		declared(u.Name+" is declared", u.Loc)
		if u.Dead {
			return r.dead(u.Name, help)
		}
		return r.variable(u.Name, &u.Elem, u.Elem.Size, help)
	case memory.OriginPrivate:
		if k == nil || o.Number >= len(k.Private) {
			return ""
		}
		a := &k.Private[o.Number]
		declared(a.Name+" is declared", a.Loc)
		if o.Dead {
			return r.dead(a.Name, help)
		}
		return r.variable(a.Name, &a.Elem, a.Size, help)
	case memory.OriginLocal:
		help("let the work-items write local memory before it is read, and put barrier(CLK_LOCAL_MEM_FENCE) in between")
		_, n := r.object(&memory.Fault{Pointer: localPointer(uint32(o.Number)), HasRegion: true})
		if n == "" {
			n = "an array"
		}
		return n + " in local memory"
	case memory.OriginGlobal:
		help("write the buffer on the host before the launch, or in a kernel before it is read")
		n := "a buffer"
		if region := r.launch.Memory.Lookup(uint32(o.Number)); region != nil && region.Name != "" {
			n = region.Name
		}
		for i := range r.args {
			b := r.args[i].buffer
			if im := r.args[i].image; im != nil {
				b = im.buffer()
			}
			if b != nil && int(b.ptr.Alloc()) == o.Number {
				_, n = argumentObject(&finding.Object{}, r.launch.Kernel, i)
				break
			}
		}
		return n + ", which the host never wrote"
	}
	return ""
}

// dead names a private variable whose lifetime is over.
func (r *undefinedReport) dead(name string, help func(string, ...any)) string {
	if name == "" {
		name = "a variable without a name"
	}
	help("declare %s where it lives as long as the pointer to it, or return the value", name)
	return name + ", whose lifetime is over"
}

// variable names a private variable.
func (r *undefinedReport) variable(name string, e *isa.Elem, size uint64, help func(string, ...any)) string {
	t := typeName(e.TypeName)
	switch {
	case name == "":
		help("set the variable before it is used, on every path")
		return "a variable without a name"
	case e.Size != 0 && size > e.Size:
		help("set every element of %s before it is read, on every path", name)
		return fmt.Sprintf("%s, an array of which not all elements were set", name)
	case scalarSize(t) != 0:
		help("set %s before it is used, on every path: `%s = 0` where it is declared", name, name)
		return name + ", which was not set"
	}
	help("set every component and member of %s before it is used, on every path", name)
	return fmt.Sprintf("%s, of which not all parts were set", name)
}

// store tells of an instruction that has copied the bits.
func (r *undefinedReport) store(o memory.Origin) {
	k, _ := o.Owner.(*isa.Kernel)
	switch {
	case k == r.launch.Kernel:
		r.out.Parties = append(r.out.Parties, finding.Party{Does: "stored", Place: r.places.at(k, o.Number)})
	case k != nil:
		r.out.Notes = append(r.out.Notes, fmt.Sprintf("stored by kernel %s", k.Name))
	}
}
