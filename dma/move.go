package dma

// copyAll moves all bytes of a shape. dst and src start at the first line and
// reach to the end of the last.
func (s *shape) copyAll(dst, src []byte) {
	switch {
	case s.lines == 1 && s.planes == 1:
		copy(dst, src)
	case s.total != mul(mul(s.line, s.lines), s.planes):
		s.copyRange(dst, src, 0, s.total)
	default:
		for p := range s.planes {
			s.copyLines(dst[p*s.dst.plane:], src[p*s.src.plane:], s.lines)
		}
	}
}

// copyLines moves n lines of a plane.
func (s *shape) copyLines(dst, src []byte, n uint64) {
	line, ds, ss := s.line, s.dst.line, s.src.line
	var d, r uint64
	for range n {
		copy(dst[d:d+line], src[r:r+line])
		d += ds
		r += ss
	}
}

// copyRange moves the bytes from and up to places in the order of the copy:
// line after line, plane after plane.
func (s *shape) copyRange(dst, src []byte, from, to uint64) {
	for from < to {
		n, skip := from/s.line, from%s.line
		p, l := n/s.lines, n%s.lines
		d, r := p*s.dst.plane+l*s.dst.line, p*s.src.plane+l*s.src.line
		if whole := min((to-from)/s.line, s.lines-l); skip == 0 && whole > 1 {
			s.copyLines(dst[d:], src[r:], whole)
			from += whole * s.line
			continue
		}
		k := min(s.line-skip, to-from)
		copy(dst[d+skip:d+skip+k], src[r+skip:r+skip+k])
		from += k
	}
}
