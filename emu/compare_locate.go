package emu

import (
	"context"
	"fmt"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// difference returns the finding of a comparison whose runs differ: the first difference of the first work-group that makes
// one and, for memory, who wrote it on the reference. It runs the launch again and again, from its beginning up
// to some work-group, and leaves want and after as they are.
func (c *comparison) difference(ctx context.Context) finding.Finding {
	want, after := c.want, c.after
	f := c.describe(c.changes, resultDiff(c.want, c.got))
	if pos, ok := c.firstGroup(ctx); ok {
		// What differs behind that group may be overwritten later; it is nearer to the cause.
		f = c.describe(c.changes, resultDiff(c.want, c.got))
		c.locate(ctx, &f, pos)
	}
	c.want, c.after = want, after
	return f
}

// describe returns a finding about what differs.
func (c *comparison) describe(changes []memory.Difference, others []diffText) finding.Finding {
	d := c.Kernel.prog.dev
	f := finding.Finding{
		Code: finding.EngineDiff, Severity: finding.Error, Kernel: c.Kernel.code.Name, Count: 1, Groups: 1, Reproduce: c.reproduce(),
		Message: "the engines " + c.names() + " differ", Help: []string{finding.Help(finding.EngineDiff)},
	}
	on := func(is [2]string) string {
		return fmt.Sprintf("%s on %s, %s on %s", is[0], d.reference.Name(), is[1], d.engine.Name())
	}
	switch {
	case len(changes) > 0:
		ch := c.firstChange(changes)
		if ch.Pipe != nil {
			f.Detail = fmt.Sprintf("in pipe %q", ch.Pipe.Name())
			break
		}
		var name string
		var is [2]string
		name, f.Object, is = c.changed(ch, c.after)
		f.Detail = fmt.Sprintf("at %s: %s; %s there", name, on(is), differing(ch.Bytes))
	case len(others) > 0:
		f.Detail = fmt.Sprintf("in %s: %s", others[0].what, on(others[0].is))
		others = others[1:]
	}
	for _, o := range others {
		f.Detail += "; " + o.what + " too"
	}
	return f
}

// changed returns where memory has changed since a snapshot, the object that is there, and the word before and now.
func (p *prepared) changed(ch *memory.Difference, since *memory.Snapshot) (where string, o *finding.Object, is [2]string) {
	r := p.launch.Memory.Lookup(ch.Pointer.Alloc())
	o, where = p.object(&memory.Fault{Pointer: ch.Pointer, Region: r.Name, RegionSize: r.Size, HasRegion: true})
	if where == "" {
		where = fmt.Sprintf("%v", ch.Pointer)
	} else {
		where = fmt.Sprintf("%s%+d", where, ch.Pointer.Offset())
	}
	// The word that the byte lies in.
	word := memory.MakePointer(memory.SpaceGlobal, ch.Pointer.Alloc(), ch.Pointer.Offset()&^3)
	n := int(min(4, r.Size-uint64(word.Offset())))
	return where, o, [2]string{hexWord(since.Bytes(word, n)), hexWord(r.Data[word.Offset():][:n])}
}

func differing(n uint64) string {
	if n == 1 {
		return "1 byte differs"
	}
	return fmt.Sprintf("%d bytes differ", n)
}

// hexWord returns bytes as a little-endian number.
func hexWord(b []byte) string {
	b = slices.Clone(b)
	slices.Reverse(b)
	return fmt.Sprintf("0x%x", b)
}

// firstChange returns the first change of memory that has a name: an argument rather than the buffer that it is a part of.
func (c *comparison) firstChange(changes []memory.Difference) *memory.Difference {
	for i := range changes {
		if changes[i].Pipe == nil && c.holds(changes[i].Pointer) {
			return &changes[i]
		}
	}
	return &changes[0]
}

// holds says whether a pointer leads to a buffer or an image that the launch has as an argument.
func (c *comparison) holds(p memory.Pointer) bool {
	for i := range c.args {
		if b := c.args[i].buffer; b != nil && b.ptr.Alloc() == p.Alloc() {
			return true
		}
		if im := c.args[i].image; im != nil && im.base.Alloc() == p.Alloc() {
			return true
		}
	}
	return false
}

// firstGroup finds the position of a work-group such that the engines agree on all that comes before it, and not on what comes
// up to it. The last pair of runs is then that up to it. It may not find one: a difference can depend on how many
// work-groups follow each other.
func (c *comparison) firstGroup(ctx context.Context) (pos uint64, ok bool) {
	defer func() { c.opt.End = 0 }()
	upTo := func(n uint64) (differs, ok bool) {
		c.opt.End = n
		if _, err := c.both(ctx); err != nil {
			return false, false
		}
		return c.differs(), true
	}
	total := c.launch.Groups[0] * c.launch.Groups[1] * c.launch.Groups[2]
	// The engines agree on the first low work-groups and differ on the first high.
	low, high, at := uint64(0), uint64(1), uint64(0)
	for {
		differs, ok := upTo(high)
		if at = high; !ok {
			return 0, false
		}
		if differs {
			break
		}
		if high == total {
			return 0, false
		}
		low, high = high, min(2*high, total)
	}
	for high-low > 1 {
		mid := low + (high-low)/2
		differs, ok := upTo(mid)
		if at = mid; !ok {
			return 0, false
		}
		if differs {
			high = mid
		} else {
			low = mid
		}
	}
	if at != high {
		if differs, ok := upTo(high); !ok || !differs {
			return 0, false
		}
	}
	return high - 1, true
}

// locate names the work-group at a position of the schedule in a finding about it and, for a difference in
// memory, the work-item that wrote there on the reference, and the instruction.
func (c *comparison) locate(ctx context.Context, f *finding.Finding, pos uint64) {
	g := scheduler.GroupAt(&c.launch, c.opt, pos)
	in := fmt.Sprintf(", in group (%d,%d,%d)", g.ID[0], g.ID[1], g.ID[2])
	if len(c.changes) == 0 {
		f.Detail += in
		return
	}
	at := c.firstChange(c.changes).Pointer
	var writer struct {
		found    bool
		pc, item int
	}
	opt := c.opt
	c.before.Restore()
	opt.End = pos + 1
	opt.Accesses = func(_ *engine.Group, a engine.Access) {
		p := a.Pointer
		if a.Kind != memory.AccessRead && p.Space() == memory.SpaceGlobal && p.Alloc() == at.Alloc() && p.Offset() <= at.Offset() && uint64(at.Offset()-p.Offset()) < a.Bytes {
			writer.found, writer.pc, writer.item = true, a.PC, a.Item
		}
	}
	if pos > 0 {
		before := opt
		before.End, before.Accesses = pos, nil
		if _, _, err := c.one(ctx, c.Kernel.reference, before); err != nil {
			return
		}
	}
	opt.First = pos
	if _, _, err := c.one(ctx, c.Kernel.reference, opt); err != nil || !writer.found {
		f.Detail += in
		if err == nil {
			f.Detail += fmt.Sprintf(", where no store of %s writes it", c.Kernel.prog.dev.reference.Name())
		}
		return
	}
	f.WorkItem, f.Place = c.workItem(&g, writer.item), c.Kernel.prog.places().at(c.launch.Kernel, writer.pc)
}
