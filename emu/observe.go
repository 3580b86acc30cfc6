package emu

import (
	"context"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// Contents is what a piece of global memory holds that kernels may write: a buffer, the bytes of an image, or
// a program-scope variable.
type Contents struct {
	Allocation uint32 // its number on the device; devices that were made alike have the same numbers
	Name       string // that of the buffer, the image or the variable; may be ""
	Data       []byte // the device's own bytes, which the next launch changes
}

// Contents returns what the device's global memory holds, in the order in which it was allocated. Memory
// that kernels cannot write is left out. It waits for a running launch.
func (d *Device) Contents() ([]Contents, error) {
	if err := d.acquire(context.Background()); err != nil {
		return nil, err
	}
	defer d.release()
	var list []Contents
	d.mem.Each(func(n uint32, r *memory.Region) {
		if !r.ReadOnly {
			list = append(list, Contents{n, r.Name, r.Data})
		}
	})
	return list, nil
}

// Object describes an allocation of the device as findings of the launch do, and says what they call it: by
// the argument or the variable that it is.
func (l *Launch) Object(c Contents) (o *finding.Object, name string, err error) {
	p, err := l.prepare()
	if err != nil {
		return nil, "", err
	}
	o, name = p.object(&memory.Fault{
		Pointer: memory.MakePointer(memory.SpaceGlobal, c.Allocation, 0), Region: c.Name, RegionSize: uint64(len(c.Data)), HasRegion: true,
	})
	return o, name, nil
}

// Access is an access of a work-item to memory: see [Launch.Accesses].
type Access struct {
	Allocation uint32 // of global memory as in Contents; of local memory a number among those of the kernel
	Local      bool   // it is local memory, of which each work-group has its own
	Offset     int64  // of the first byte; the access may be out of bounds
	Bytes      uint64
	Reads      bool // it is a load, also an atomic one, and Value what it finds
	Atomic     bool // it is another atomic operation, and Value its operand
	// Returned says that the atomic operation before has happened, and Value is what it found. Where it found that is not
	// told again.
	Returned bool
	Value    uint64 // what is stored, or a digest of more than 8 bytes
	// Item is the number of the work-item, which counts work-groups before the work-items of one.
	Item uint64

	p        *prepared
	group    scheduler.Group
	pointer  memory.Pointer
	pc, item int
}

// Writes says whether the access may change global memory.
func (a *Access) Writes() bool { return !a.Reads && !a.Local && !a.Returned }

// WorkItem is the work-item.
func (a *Access) WorkItem() *finding.WorkItem { return a.p.workItem(&a.group, a.item) }

// Place is the instruction.
func (a *Access) Place() finding.Place {
	return a.p.Kernel.prog.places().at(a.p.launch.Kernel, a.pc)
}

// Kernel is the name of the kernel.
func (a *Access) Kernel() string { return a.p.Kernel.code.Name }

// Object describes the memory as findings of the launch do, and says what they call it; nil where the access leads to no
// memory.
func (a *Access) Object() (o *finding.Object, name string) {
	f := memory.Fault{Pointer: a.pointer}
	if !a.Local {
		r := a.p.Kernel.prog.dev.mem.Lookup(a.Allocation)
		if r == nil {
			return nil, ""
		}
		f.Region, f.RegionSize, f.HasRegion = r.Name, r.Size, true
	}
	return a.p.object(&f)
}

// tellAccesses is what the scheduler is given for Launch.Accesses of launches, by their index.
func tellAccesses(launches []*prepared) func(g *engine.Group, a engine.Access) {
	if !slices.ContainsFunc(launches, func(p *prepared) bool { return p.Accesses != nil }) {
		return nil
	}
	return func(g *engine.Group, a engine.Access) {
		p := launches[g.Launch.Index]
		if p.Accesses == nil {
			return
		}
		p.Accesses(Access{
			Allocation: a.Pointer.Alloc(), Local: a.Pointer.Space() == memory.SpaceLocal, Offset: a.Pointer.Offset(), Bytes: a.Bytes,
			Reads: a.Kind == memory.AccessRead, Atomic: a.Kind == memory.AccessAtomic, Returned: a.Returned, Value: a.Value, Item: p.number(g, a.Item),
			p: p, pointer: a.Pointer, pc: a.PC, item: a.Item, group: scheduler.Group{ID: g.ID, Linear: g.Linear, Size: g.Size},
		})
	}
}

// number is that of a work-item of the launch.
func (p *prepared) number(g *engine.Group, item int) uint64 {
	local := &p.launch.Local
	return g.Linear*uint64(local[0])*uint64(local[1])*uint64(local[2]) + uint64(item)
}

// tellPrints is the same for Launch.Prints.
func tellPrints(launches []*prepared) func(g *engine.Group, item int, text []byte) {
	if !slices.ContainsFunc(launches, func(p *prepared) bool { return p.Prints != nil }) {
		return nil
	}
	return func(g *engine.Group, item int, text []byte) {
		if p := launches[g.Launch.Index]; p.Prints != nil {
			p.Prints(p.number(g, item), text)
		}
	}
}

// Chooser decides the order of the accesses of a launch: see [Launch.Interleave].
type Chooser = scheduler.Chooser

// Step is an access of a work-item, which happens in one piece.
type Step = scheduler.Step

// ErrNotInterleaved is the error of launches with Interleave that cannot run so.
var ErrNotInterleaved = scheduler.ErrNotInterleaved

// Taken describes a step: who made it, where in the source, and the memory that it is about. Object is nil
// for addresses in no memory.
type Taken struct {
	WorkItem *finding.WorkItem
	Place    finding.Place
	Object   *finding.Object
	Name     string // what the object is called
	Offset   int64  // in it, in bytes
}

// Taken describes steps of the launch.
func (l *Launch) Taken(steps []Step) ([]Taken, error) {
	p, err := l.prepare()
	if err != nil {
		return nil, err
	}
	places := p.Kernel.prog.places()
	list := make([]Taken, len(steps))
	for i := range steps {
		s := &steps[i]
		g := scheduler.GroupAt(&p.launch, scheduler.Options{}, s.Group)
		t := Taken{WorkItem: p.workItem(&g, s.Item), Place: places.at(p.launch.Kernel, s.PC), Offset: s.Pointer.Offset()}
		f := memory.Fault{Pointer: s.Pointer}
		if s.Pointer.Space() == memory.SpaceGlobal {
			if r := p.Kernel.prog.dev.mem.Lookup(s.Pointer.Alloc()); r != nil {
				f.Region, f.RegionSize, f.HasRegion = r.Name, r.Size, true
			}
		}
		if f.HasRegion || s.Pointer.Space() == memory.SpaceLocal {
			t.Object, t.Name = p.object(&f)
		}
		list[i] = t
	}
	return list, nil
}
