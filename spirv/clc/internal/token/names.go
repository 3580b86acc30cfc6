package token

// Names is the table of all names of a translation unit: open addressing over a power of two of slots.
type Names struct {
	slots []slot
	count int
	slab  []Name
	made  func(*Name, uint32)
}

type slot struct {
	hash uint32
	name *Name
}

// NewNames returns a table without names.
func NewNames() *Names { return &Names{slots: make([]slot, 512)} }

// The hash of a spelling, so that a lexer can compute it while it looks for the end of an identifier: begin with
// HashSeed, and for each byte c, h = (h ^ uint32(c)) * HashPrime.
const (
	HashSeed  uint32 = 2166136261
	HashPrime uint32 = 16777619
)

// HashOf returns the hash of a spelling.
func HashOf(text string) uint32 {
	h := HashSeed
	for i := 0; i < len(text); i++ {
		h = (h ^ uint32(text[i])) * HashPrime
	}
	return h
}

// mix spreads a hash over the bits that choose a slot.
func mix(h uint32) uint32 { return h ^ h>>15 }

// WhenMade sets what is done with each name when it is made, and does it with the names that there are. The second
// argument is the hash of the spelling.
func (n *Names) WhenMade(f func(*Name, uint32)) {
	n.made = f
	for _, s := range n.slots {
		if s.name != nil {
			f(s.name, s.hash)
		}
	}
}

// Lookup returns the name of a spelling, and makes it if it is new. The spelling is not retained if it is known.
func (n *Names) Lookup(text string) *Name { return n.LookupHash(text, HashOf(text)) }

// LookupHash is Lookup with the hash of the spelling.
func (n *Names) LookupHash(text string, hash uint32) *Name {
	mask := uint32(len(n.slots) - 1)
	for i := mix(hash) & mask; ; i = (i + 1) & mask {
		s := &n.slots[i]
		if s.name == nil {
			break
		}
		if s.hash == hash && s.name.Text == text {
			return s.name
		}
	}
	return n.make(text, hash)
}

// make adds a name that is not in the table.
func (n *Names) make(text string, hash uint32) *Name {
	if 2*n.count >= len(n.slots) {
		n.grow()
	}
	if len(n.slab) == 0 {
		n.slab = make([]Name, min(64+n.count, 1024))
	}
	x := &n.slab[0]
	n.slab = n.slab[1:]
	x.Text, x.Keyword = text, Ident
	n.insert(slot{hash, x})
	n.count++
	if n.made != nil {
		n.made(x, hash)
	}
	return x
}

// insert puts a name into a free slot.
func (n *Names) insert(s slot) {
	mask := uint32(len(n.slots) - 1)
	i := mix(s.hash) & mask
	for n.slots[i].name != nil {
		i = (i + 1) & mask
	}
	n.slots[i] = s
}

// grow doubles the table.
func (n *Names) grow() {
	old := n.slots
	n.slots = make([]slot, 2*len(old))
	for _, s := range old {
		if s.name != nil {
			n.insert(s)
		}
	}
}

// Find returns the name of a spelling, nil if it has not occurred.
func (n *Names) Find(text string) *Name {
	hash, mask := HashOf(text), uint32(len(n.slots)-1)
	for i := mix(hash) & mask; n.slots[i].name != nil; i = (i + 1) & mask {
		if s := &n.slots[i]; s.hash == hash && s.name.Text == text {
			return s.name
		}
	}
	return nil
}

// Each calls f with every name, in no order that means anything but always in the same one.
func (n *Names) Each(f func(*Name)) {
	for _, s := range n.slots {
		if s.name != nil {
			f(s.name)
		}
	}
}
