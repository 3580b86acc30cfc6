package weak

import "slices"

// seen is what a view says of a place: the earliest messages that may be read, by any access but one that is not
// atomic, and by those too. Nil is the beginning.
type seen struct{ any, plain *message }

func (s seen) with(o seen) seen { return seen{after(s.any, o.any), after(s.plain, o.plain)} }

// firm is the view in which loads that are not atomic have their place, too: what is before a release stays before it,
// so that loads behind the acquire are coherent with it.
func (s seen) firm() seen { return seen{s.any, s.any} }

// idle says that the view of a place says nothing: there is nothing before what it has.
func (s seen) idle() bool { return s.any == nil || s.any.at <= 0 && s.any.of.halves[0] == nil }

// frozen is a view that does not change any more, and that many may share: what is on top of another one.
type frozen struct {
	below *frozen
	at    map[*place]seen
	// late are the loads that happen before and have not been performed.
	late []*late
	firm bool // all that it says is, here and below
}

// view is that of a work-item: own is on top of base.
type view struct {
	base *frozen
	own  map[*place]seen
	late []*late
}

// at returns what the view says of a place.
func (v *view) at(p *place) (s seen) {
	for q := p; q != nil; q = q.parent {
		one, ok := v.own[q]
		for f := v.base; f != nil; f = f.below {
			if b, there := f.at[q]; there {
				one, ok = one.with(b), true
			}
		}
		if ok {
			s = s.with(seen{one.any.in(p), one.plain.in(p)})
		}
	}
	return s
}

// raise moves the view of a place on.
func (v *view) raise(p *place, s seen) {
	if v.own == nil {
		v.own = map[*place]seen{}
	}
	v.own[p] = v.at(p).with(s)
}

// freeze returns the view as it is now. Of two layers the lower one is at least twice as large, so that there are few.
func (v *view) freeze() *frozen {
	v.perform()
	if v.base != nil && len(v.own) == 0 && slices.Equal(v.late, v.base.late) {
		return v.base
	}
	f := &frozen{below: v.base, at: v.own, late: slices.Clone(v.late)}
	for f.below != nil && len(f.below.at) < 2*len(f.at)+8 {
		both := make(map[*place]seen, len(f.at)+len(f.below.at))
		for _, layer := range [2]*frozen{f.below, f} {
			for p, s := range layer.at {
				if s = both[p].with(s); !s.idle() {
					both[p] = s
				}
			}
		}
		f.below, f.at = f.below.below, both
	}
	f.firm = f.below == nil || f.below.firm
	for _, s := range f.at {
		f.firm = f.firm && s.any == s.plain
	}
	v.base, v.own = f, nil
	return f
}

// join adds another view, as far as it is about the kinds of memory; firmly says that loads that are not atomic have
// their place.
func (v *view) join(f *frozen, of kinds, firmly bool) {
	var known *frozen
	if v.base != nil && (!firmly || v.base.firm) {
		known = v.base
	}
	if f != nil && of != (kinds{}) {
		v.joinAbove(known, f, of, firmly)
	}
}

// joinAbove adds what a view has above another one.
func (v *view) joinAbove(known, f *frozen, of kinds, firmly bool) {
	for layer := f; layer != nil && layer != known; layer = layer.below {
		for p, s := range layer.at {
			if firmly {
				s = s.firm()
			}
			if of.has(p.local) && !s.idle() {
				if have := v.at(p); have.with(s) != have {
					v.raise(p, s)
				}
			}
		}
	}
	for _, l := range f.late {
		if of.has(l.local) {
			v.await(l)
		}
	}
}

// rebase puts a view on top of another one, which has all that it says of the kinds of memory, and all of known.
func (v *view) rebase(known, joined *frozen, of kinds) {
	own := map[*place]seen{}
	for layer := v.base; layer != nil && layer != known; layer = layer.below {
		for p, s := range layer.at {
			if !of.has(p.local) && !s.idle() {
				own[p] = own[p].with(s)
			}
		}
	}
	v.base, v.own = joined, own
	for _, l := range joined.late {
		v.await(l)
	}
}

// await adds a load that happens before what comes next.
func (v *view) await(l *late) {
	if !slices.Contains(v.late, l) {
		v.late = append(v.late, l)
	}
}

// perform adds what late loads have read that have been performed meanwhile.
func (v *view) perform() {
	kept := v.late[:0]
	for _, l := range v.late {
		if !l.done {
			kept = append(kept, l)
			continue
		}
		for _, m := range l.read {
			v.raise(m.of, l.sees(m))
		}
	}
	clear(v.late[len(kept):])
	v.late = kept
}

// kinds is a set of the two kinds of memory.
type kinds [2]bool

const (
	inGlobal = iota
	inLocal
)

func kindOf(local bool) int {
	if local {
		return inLocal
	}
	return inGlobal
}

func (k kinds) and(o kinds) kinds { return kinds{k[0] && o[0], k[1] && o[1]} }

func (k kinds) has(local bool) bool { return k[kindOf(local)] }
