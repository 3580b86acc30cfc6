package emu

import (
	"context"

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

// Store is a store to global memory, or an atomic operation there, that is about to happen: see
// [Launch.Stores].
type Store struct {
	Allocation uint32 // as in Contents
	Offset     int64  // of the first byte; the access may be out of bounds
	Bytes      uint64

	p        *prepared
	group    scheduler.Group
	pc, item int
}

// WorkItem is the work-item that stores.
func (s *Store) WorkItem() *finding.WorkItem { return s.p.workItem(&s.group, s.item) }

// Place is the instruction.
func (s *Store) Place() finding.Place {
	k := s.p.Kernel
	return k.prog.places().at(s.p.launch.Kernel, s.pc)
}

// tellStores is what the scheduler is given for Launch.Stores.
func (p *prepared) tellStores() func(g *engine.Group, pc, item int, at memory.Pointer, n uint64) {
	if p.Stores == nil {
		return nil
	}
	return func(g *engine.Group, pc, item int, at memory.Pointer, n uint64) {
		p.Stores(Store{
			Allocation: at.Alloc(), Offset: at.Offset(), Bytes: n, p: p, pc: pc, item: item,
			group: scheduler.Group{ID: g.ID, Linear: g.Linear, Size: g.Size},
		})
	}
}

// tellPrints is the same for Launch.Prints.
func (p *prepared) tellPrints() func(g *engine.Group, item int, text []byte) {
	if p.Prints == nil {
		return nil
	}
	items := uint64(p.launch.Local[0]) * uint64(p.launch.Local[1]) * uint64(p.launch.Local[2])
	return func(g *engine.Group, item int, text []byte) { p.Prints(g.Linear*items+uint64(item), text) }
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
