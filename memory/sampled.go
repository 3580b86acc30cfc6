package memory

// Sampled appends where the elements begin that [Image.Sample] takes its result from: those inside of the image that have
// weight.
func (im *Image) Sampled(list []uint64, s Sampler, c Coord, lod float32) []uint64 {
	if im.Format.Class() != ClassFloat {
		s &^= 1<<4 | 1<<5
	}
	low, high := s.Levels(im, lod)
	m := mixer{im: im, s: s, c: c}
	add := func(n uint32) {
		l := im.Level(n)
		taps, dims := m.taps(&l)
		m.corners(&l, &taps, dims, func(at [3]int64, in bool, pick [3]int) {
			for d := range dims {
				if a := taps[d].a; s.linear() && (pick[d] == 1 && a == 0 || pick[d] == 0 && a == 1) {
					return
				}
			}
			if in {
				list = append(list, l.offset(im, at))
			}
		})
	}
	add(low)
	if high != 0 {
		add(low + 1)
	}
	return list
}

// SampledAt is Sampled for [Image.SampleAt].
func (im *Image) SampledAt(list []uint64, s Sampler, c [3]int64, lod float32) []uint64 {
	if l, at, in := im.addressed(s, c, lod); in {
		list = append(list, l.offset(im, at))
	}
	return list
}
