package explore

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// Parting is the first access at which two runs part. Each work-item makes the same accesses in both runs, with the same
// addresses and values, up to one: of all these, it is the one that came first in the first of the runs.
type Parting struct {
	Kernel   string            `json:"kernel"`
	WorkItem *finding.WorkItem `json:"work_item,omitempty"`
	// Number counts the accesses of the work-item to global and local memory, from 1; what an atomic operation finds
	// counts apart.
	Number   uint64          `json:"number"`
	Accesses [2]PartedAccess `json:"accesses"`
}

// PartedAccess is what the work-item does there in one of the runs.
type PartedAccess struct {
	// Access is "read", "write", "atomic operation", "result of an atomic operation", or "none" where the work-item has
	// ended.
	Access string        `json:"access"`
	Place  finding.Place `json:"place"`
	Name   string        `json:"name"` // of the memory
	Local  bool          `json:"local"`
	// Index is the element, where the access is to one, or else the byte.
	Index int64  `json:"index"`
	Value string `json:"value"` // what is found or written, or the operand
}

// maxLogged bounds the accesses of a run that are kept to compare another one with. Of launches with more, what comes
// later is not compared.
const maxLogged = 1 << 21

// itemKey is a work-item of a launch of the subject.
type itemKey struct {
	launch int
	item   uint64
}

// logged is an access of a run.
type logged struct {
	digest uint64
	order  uint64 // among all, from 1
}

// accessLog is the accesses of the first run by work-item, and how far the second one makes the same.
type accessLog struct {
	items map[itemKey][]logged
	count uint64 // accesses of the first run
	full  bool   // there were more

	second bool
	same   map[itemKey]int // accesses that the work-item has made alike; those that have parted are in parted
	parted map[itemKey]bool
	best   struct {
		found bool
		item  itemKey
		index int
		order uint64
	}
}

func newAccessLog() *accessLog {
	return &accessLog{items: map[itemKey][]logged{}, same: map[itemKey]int{}, parted: map[itemKey]bool{}}
}

// digestOf is the same for accesses that are alike.
func digestOf(a *emu.Access) uint64 {
	kind := uint64(0)
	for i, is := range [...]bool{a.Local, a.Reads, a.Atomic, a.Returned} {
		if is {
			kind |= 1 << i
		}
	}
	d := mix(kind)
	for _, v := range [...]uint64{uint64(a.Allocation), uint64(a.Offset), a.Bytes, a.Value} {
		d = mix(d ^ v)
	}
	return d
}

// note takes an access of the run.
func (l *accessLog) note(launch int, a *emu.Access) {
	at := itemKey{launch, a.Item}
	if !l.second {
		l.count++
		if l.count > maxLogged {
			l.full = true
			return
		}
		l.items[at] = append(l.items[at], logged{digestOf(a), l.count})
		return
	}
	if l.parted[at] {
		return
	}
	n, first := l.same[at], l.items[at]
	switch {
	case n < len(first) && first[n].digest == digestOf(a):
		l.same[at] = n + 1
	case n < len(first):
		l.part(at, n, first[n].order)
	case !l.full:
		l.part(at, n, l.count+1)
	default:
		l.parted[at] = true // beyond what is kept
	}
}

// part notes where a work-item parts.
func (l *accessLog) part(at itemKey, index int, order uint64) {
	l.parted[at] = true
	b := &l.best
	if !b.found || order < b.order || order == b.order && (at.launch < b.item.launch || at.launch == b.item.launch && at.item < b.item.item) {
		b.found, b.item, b.index, b.order = true, at, index, order
	}
}

// ended notes the work-items that have made fewer accesses in the second run.
func (l *accessLog) ended() {
	for at, first := range l.items {
		if n := l.same[at]; !l.parted[at] && n < len(first) {
			l.part(at, n, first[n].order)
		}
	}
}

// parting makes both runs again, up to where they part, and describes that. It is nil where no work-item makes another
// access.
func (e *Explorer) parting(ctx context.Context, runs [2]Run, log *accessLog) (*Parting, error) {
	b := &log.best
	if !b.found {
		return nil, nil
	}
	p := &Parting{Number: uint64(b.index) + 1}
	for i, run := range runs {
		p.Accesses[i].Access = "none"
		n := 0
		var before emu.Access // the last one of the work-item
		if _, err := e.rerun(ctx, run.Config, func(launch int, a emu.Access) {
			if (itemKey{launch, a.Item}) != b.item {
				return
			}
			if n == b.index {
				p.Kernel, p.WorkItem, p.Accesses[i] = a.Kernel(), a.WorkItem(), parted(&a, &before)
			}
			n++
			before = a
		}); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// parted describes an access of a work-item, and the one before it.
func parted(a, before *emu.Access) PartedAccess {
	p := PartedAccess{Access: "write", Place: a.Place()}
	of := a
	switch {
	case a.Returned:
		p.Access, of = "result of an atomic operation", before
	case a.Reads:
		p.Access = "read"
	case a.Atomic:
		p.Access = "atomic operation"
	}
	p.Local, p.Index = of.Local, of.Offset
	var o *finding.Object
	if o, p.Name = of.Object(); o == nil {
		o = &finding.Object{}
	}
	if o.ElementBytes > 0 {
		p.Index /= int64(o.ElementBytes)
	}
	if a.Bytes > 8 {
		p.Value = fmt.Sprintf("%d bytes", a.Bytes)
		return p
	}
	if typ := scalarOf(o.Element, o.ElementBytes, a.Bytes); typ != "" {
		p.Value = valueText(typ, binary.LittleEndian.AppendUint64(nil, a.Value)[:a.Bytes])
	} else {
		p.Value = fmt.Sprintf("%#x", a.Value)
	}
	return p
}

// scalarOf returns the type of an access of n bytes to an element of a type, or to a component of it; "" where that is
// not known.
func scalarOf(element string, size, n uint64) string {
	if size == n {
		return element
	}
	scalar := strings.TrimRight(element, "0123456789")
	count, err := strconv.ParseUint(element[len(scalar):], 10, 8)
	if count == 3 {
		count = 4 // as large as one of four
	}
	if err != nil || count*n != size {
		return ""
	}
	return scalar
}
