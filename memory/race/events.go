package race

// room says whether there is room for another event.
func (d *Detector) room() bool {
	if len(d.events) > d.mostEvents && !d.dropEvents() {
		d.missed.Events = true
		return false
	}
	return true
}

// dropEvents drops the events that no access in memory has any more. It says whether there is room for another one.
//
// Where work-items synchronize again and again, each instruction makes an event at each of their clocks, while memory
// names the latest accesses only. A detector that drops the others keeps no more events than cells.
func (d *Detector) dropEvents() bool {
	live := make([]uint32, len(d.events)) // the new numbers
	d.eachStamp(func(s *stamp) { live[s.event()] = 1 })
	for _, c := range d.copies.all {
		if c.outstanding() {
			live[c.event] = 1
		}
	}
	events := d.events[:1]
	clear(d.numbers)
	for i, n := range live[1:] {
		if n == 0 {
			continue
		}
		live[i+1] = uint32(len(events))
		d.numbers[d.events[i+1]] = uint32(len(events))
		events = append(events, d.events[i+1])
	}
	d.events = events
	d.eachStamp(func(s *stamp) { *s = *s&^maxEvents | stamp(live[s.event()]) })
	d.copies.drop(live)
	for _, g := range d.groups {
		clear(g.recent)
	}
	// Where most of them are live, the next time comes later.
	d.mostEvents = min(max(d.mostEvents, 2*len(events)), d.maxEvents)
	return len(events) <= d.mostEvents
}

// eachStamp calls f for each stamp in memory, but for LDS of which the next access forgets all.
func (d *Detector) eachStamp(f func(*stamp)) {
	for _, objects := range []map[*byte]*object{d.byData, d.images} {
		for _, o := range objects {
			if o != nil {
				d.stampsOf(o, 0, f)
			}
		}
	}
	for _, g := range d.groups {
		for _, o := range g.lds {
			if o != nil {
				d.stampsOf(o, g.epoch, f)
			}
		}
	}
}

// stampsOf calls f for each stamp of the pages of an allocation that are of an epoch.
func (d *Detector) stampsOf(o *object, epoch uint64, f func(*stamp)) {
	one := func(s *stamp) {
		if !s.isList() {
			if *s != 0 {
				f(s)
			}
			return
		}
		list := d.lists.all[*s&^listBit]
		for i := range list {
			f(&list[i].stamp)
		}
	}
	for i := range o.pages {
		p := &o.pages[i]
		if p.epoch != epoch {
			continue
		}
		if !p.inCells {
			for _, rows := range [][]row{p.writes, p.reads} {
				for j := range rows {
					f(&rows[j].from)
				}
			}
			continue
		}
		for _, cells := range [][]cell{p.cells, p.more} {
			for j := range cells {
				one(&cells[j].write)
				one(&cells[j].read)
			}
		}
	}
}
