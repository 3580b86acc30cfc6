package race

import "math/bits"

// known is an immutable map from keys to clocks: what a work-item knows of others. It is a big-endian
// Patricia tree (Okasaki and Gill, Fast Mergeable Integer Maps, ML Workshop 1998), so that two maps that
// have most of their parts in common are joined in the time of what differs. The nil tree is empty.
type known struct {
	key         uint64 // of a leaf; the bits above mask that all keys have, of a branch
	mask        uint64 // the bit that tells left from right; 0 for a leaf
	clock       uint32 // of a leaf
	left, right *known
}

// A key is that of a work-item, or that of all work-items of a group.
func itemKey(item uint64) uint64   { return item << 1 }
func groupKey(first uint64) uint64 { return first<<1 | 1 }

// at returns the clock of a key; 0 when there is none.
func (k *known) at(key uint64) uint32 {
	for k != nil {
		switch {
		case k.mask == 0:
			if k.key == key {
				return k.clock
			}
			return 0
		case !k.holds(key):
			return 0
		case key&k.mask == 0:
			k = k.left
		default:
			k = k.right
		}
	}
	return 0
}

// holds says whether a branch can have a key.
func (k *known) holds(key uint64) bool { return prefix(key, k.mask) == k.key }

// prefix returns the bits of a key above a mask.
func prefix(key, mask uint64) uint64 { return key &^ (mask | (mask - 1)) }

// branch returns the tree of two whose keys differ.
func branch(a, b *known) *known {
	mask := uint64(1) << (63 - bits.LeadingZeros64(a.key^b.key))
	n := &known{key: prefix(a.key, mask), mask: mask, left: a, right: b}
	if a.key&mask != 0 {
		n.left, n.right = b, a
	}
	return n
}

// with returns the tree in which a key has at least that clock.
func (k *known) with(key uint64, clock uint32) *known {
	if clock == 0 {
		return k
	}
	return join(k, &known{key: key, clock: clock})
}

// join returns the tree with the later clock of each key. Where one of the two has all of it, it is that one.
func join(a, b *known) *known {
	switch {
	case a == b || b == nil:
		return a
	case a == nil:
		return b
	case a.mask == 0 && b.mask == 0:
		switch {
		case a.key != b.key:
			return branch(a, b)
		case a.clock >= b.clock:
			return a
		}
		return b
	case a.mask == b.mask && a.key == b.key:
		return a.part(join(a.left, b.left), join(a.right, b.right), b)
	case a.mask > b.mask && a.holds(b.key):
		if b.key&a.mask == 0 {
			return a.part(join(a.left, b), a.right, nil)
		}
		return a.part(a.left, join(a.right, b), nil)
	case b.mask > a.mask && b.holds(a.key):
		if a.key&b.mask == 0 {
			return b.part(join(a, b.left), b.right, nil)
		}
		return b.part(b.left, join(a, b.right), nil)
	}
	return branch(a, b)
}

// part returns the branch with other parts: itself, or the other one of the same keys, when these are its own.
func (k *known) part(left, right, other *known) *known {
	switch {
	case left == k.left && right == k.right:
		return k
	case other != nil && left == other.left && right == other.right:
		return other
	}
	return &known{key: k.key, mask: k.mask, left: left, right: right}
}
