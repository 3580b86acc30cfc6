package weak

import "slices"

// seen is what a view says of a place: the earliest messages that may be read, by any access but one that is not
// atomic, and by those too. Nil is the beginning.
type seen struct{ any, plain *message }

func (s seen) with(o seen) seen { return seen{after(s.any, o.any), after(s.plain, o.plain)} }

// frozen is a view that does not change any more, and that many may share.
type frozen struct {
	at map[*place]seen
	// late are the loads that happen before and have not been performed.
	late   []*late
	strict *frozen // what firm returns
}

// firm returns the view in which all loads that are not atomic have their place: what is before a release stays
// before it, so that loads behind the acquire are coherent with it.
func (f *frozen) firm() *frozen {
	if f.strict == nil {
		f.strict = &frozen{at: make(map[*place]seen, len(f.at)), late: f.late}
		for p, s := range f.at {
			f.strict.at[p] = seen{s.any, s.any}
		}
		f.strict.strict = f.strict
	}
	return f.strict
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
		if v.base != nil {
			if b, there := v.base.at[q]; there {
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

// freeze returns the view as it is now.
func (v *view) freeze() *frozen {
	v.perform()
	if v.base == nil || len(v.own) > 0 || !slices.Equal(v.late, v.base.late) {
		f := &frozen{at: v.own}
		if v.base != nil && len(v.base.at) > 0 {
			f.at = make(map[*place]seen, len(v.base.at)+len(v.own))
			for p, s := range v.base.at {
				f.at[p] = s
			}
			for p := range v.own {
				f.at[p] = v.at(p)
			}
		}
		f.late = append(f.late, v.late...)
		v.base, v.own = f, nil
	}
	return v.base
}

// join adds another view, as far as it is about the kinds of memory.
func (v *view) join(f *frozen, of kinds) {
	if f == nil || f == v.base {
		return
	}
	for p, s := range f.at {
		if of.has(p.local) {
			if have := v.at(p); have.with(s) != have {
				v.raise(p, s)
			}
		}
	}
	for _, l := range f.late {
		if of.has(l.local) {
			v.await(l)
		}
	}
}

// await adds a load that happens before what comes next.
func (v *view) await(l *late) {
	for _, have := range v.late {
		if have == l {
			return
		}
	}
	v.late = append(v.late, l)
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

func (k kinds) has(local bool) bool { return k[kindOf(local)] }
