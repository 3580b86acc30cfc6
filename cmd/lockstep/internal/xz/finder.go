package xz

import "encoding/binary"

// Lengths of a match.
const (
	minMatch = 2
	maxMatch = 273
)

// depth is how many earlier places the finder compares, and nice the length of a match with which it, and the parser,
// are content.
const (
	depth = 40
	nice  = 64
)

// match is an earlier place with the same bytes: distance counts from 0.
type match struct{ length, distance uint32 }

// finder finds earlier places with the same bytes, by binary trees: for each hash of four bytes there is a search tree
// of the places that begin so, sorted by what follows, the latest at its root.
type finder struct {
	data               []byte
	next               int // place that is entered next
	hash2, hash3, root []int32
	shift              int
	child              []int32 // two of each place
	found              []match
}

func newFinder(data []byte) *finder {
	bits := 16
	for bits < 22 && 1<<bits < len(data) {
		bits++
	}
	f := &finder{
		data: data, shift: 32 - bits, hash2: make([]int32, 1<<16), hash3: make([]int32, 1<<16), root: make([]int32, 1<<bits),
		child: make([]int32, 2*len(data)),
	}
	for _, list := range [][]int32{f.hash2, f.hash3, f.root} {
		for i := range list {
			list[i] = -1
		}
	}
	return f
}

// common returns how many bytes are the same at two places, from a number that is known, up to limit.
func common(data []byte, a, b, known, limit int) int {
	for known+8 <= limit {
		x := binary.LittleEndian.Uint64(data[a+known:]) ^ binary.LittleEndian.Uint64(data[b+known:])
		if x != 0 {
			for x&0xFF == 0 {
				x >>= 8
				known++
			}
			return known
		}
		known += 8
	}
	for known < limit && data[a+known] == data[b+known] {
		known++
	}
	return known
}

// matches enters the next place, and returns matches there, of increasing length and distance. The list is the finder's.
func (f *finder) matches() []match {
	at := f.next
	f.next++
	f.found = f.found[:0]
	limit := min(len(f.data)-at, maxMatch)
	if limit < 4 {
		return f.found
	}
	word := binary.LittleEndian.Uint32(f.data[at:])
	h2, h3 := word&0xFFFF, (word&0xFFFFFF)*0x9E3779B1>>16
	best := 1
	for _, slot := range []*int32{&f.hash2[h2], &f.hash3[h3]} {
		if old := int(*slot); old >= 0 {
			if n := common(f.data, old, at, 0, limit); n > best {
				best = n
				f.found = append(f.found, match{uint32(n), uint32(at - old - 1)})
			}
		}
		*slot = int32(at)
	}
	root := &f.root[word*0x9E3779B1>>f.shift]
	old := int(*root)
	*root = int32(at)
	f.descend(at, old, min(limit, nice), best)
	// A match that is cut off may be longer.
	if n := len(f.found); n > 0 {
		last := &f.found[n-1]
		last.length = uint32(common(f.data, at-int(last.distance)-1, at, int(last.length), limit))
	}
	return f.found
}

// descend makes at the root of the tree whose root is old, and appends matches longer than best.
func (f *finder) descend(at, old, limit, best int) {
	left, right := &f.child[2*at], &f.child[2*at+1]
	leftKnown, rightKnown := 0, 0
	for try := 0; ; try++ {
		if old < 0 || try == depth {
			*left, *right = -1, -1
			return
		}
		n := common(f.data, old, at, min(leftKnown, rightKnown), limit)
		if n > best {
			best = n
			f.found = append(f.found, match{uint32(n), uint32(at - old - 1)})
		}
		switch {
		case n == limit: // the place at takes the other one's place
			*left, *right = f.child[2*old], f.child[2*old+1]
			return
		case f.data[old+n] < f.data[at+n]:
			*left = int32(old)
			left, leftKnown = &f.child[2*old+1], n
			old = int(*left)
		default:
			*right = int32(old)
			right, rightKnown = &f.child[2*old], n
			old = int(*right)
		}
	}
}
