package xz

// Sizes of the tables of LZMA.
const (
	states      = 12
	maxPlaces   = 1 << 4 // places of a position, at most
	lengthSlots = 4      // slots of distances depend on lengths up to this many
	slots       = 64
	alignBits   = 4
	firstModel  = 4  // slots from here on have more bits
	lastModel   = 14 // and from here on bits of which nothing is known
)

// lengths are the probabilities of the lengths of matches.
type lengths struct {
	choice, choice2 prob
	low, mid        [maxPlaces][8]prob
	high            [256]prob
}

func (l *lengths) begin() {
	l.choice, l.choice2 = probBegin, probBegin
	for i := range l.low {
		begun(l.low[i][:])
		begun(l.mid[i][:])
	}
	begun(l.high[:])
}

// model is all probabilities.
type model struct {
	literal  [][0x300]prob
	isMatch  [states][maxPlaces]prob
	isRep    [states]prob
	isRep0   [states]prob // 0: the latest distance
	isRep1   [states]prob
	isRep2   [states]prob
	isLong   [states][maxPlaces]prob // 0: one byte from the latest distance
	slot     [lengthSlots][slots]prob
	special  [lastModel][64]prob // by slot
	align    [1 << alignBits]prob
	match    lengths
	repMatch lengths
}

func (m *model) begin(literals int) {
	m.literal = make([][0x300]prob, literals)
	for i := range m.literal {
		begun(m.literal[i][:])
	}
	for s := range states {
		begun(m.isMatch[s][:])
		begun(m.isLong[s][:])
	}
	for _, list := range [][]prob{m.isRep[:], m.isRep0[:], m.isRep1[:], m.isRep2[:], m.align[:]} {
		begun(list)
	}
	for i := range m.slot {
		begun(m.slot[i][:])
	}
	for i := range m.special {
		begun(m.special[i][:])
	}
	m.match.begin()
	m.repMatch.begin()
}

// symbol is what LZMA encodes: a byte (of length 1), a repetition of one of the latest distances, or a match.
type symbol struct {
	length uint32
	// back is literal, 0 to 3 for one of the latest distances, or 4 and the distance counted from 0.
	back uint32
}

const literal = 1<<32 - 1

// encoder encodes a block.
type encoder struct {
	data       []byte
	lc, lp, pb int
	pos        int
	state      uint8
	reps       [4]uint32 // the latest distances, counted from 0
	model      model
	rc         rangeCoder
	finder     *finder
	parser     parser
}

func newEncoder(b Block) *encoder {
	e := &encoder{data: b.Data, lc: b.LC, lp: b.LP, pb: b.PB, finder: newFinder(b.Data)}
	e.model.begin(1 << (b.LC + b.LP))
	e.rc.reset()
	return e
}

// Which state follows.
func afterLiteral(s uint8) uint8 {
	switch {
	case s < 4:
		return 0
	case s < 10:
		return s - 3
	}
	return s - 6
}

func afterMatch(s uint8) uint8 { return pick(s, 7, 10) }
func afterRep(s uint8) uint8   { return pick(s, 8, 11) }
func afterShort(s uint8) uint8 { return pick(s, 9, 11) }

// pick chooses by whether the symbol before was a literal.
func pick(s, literal, other uint8) uint8 {
	if s < 7 {
		return literal
	}
	return other
}

// place is the part of a position on which probabilities depend.
func (e *encoder) place(pos int) int { return pos & (1<<e.pb - 1) }

// literals returns the probabilities of a byte at a position.
func (e *encoder) literals(pos int) *[0x300]prob {
	before := 0
	if pos > 0 {
		before = int(e.data[pos-1])
	}
	return &e.model.literal[(pos&(1<<e.lp-1))<<e.lc|before>>(8-e.lc)]
}

// encode encodes a symbol, and takes it into account.
func (e *encoder) encode(s symbol) {
	m, place := &e.model, e.place(e.pos)
	switch {
	case s.back == literal:
		e.rc.bit(&m.isMatch[e.state][place], 0)
		e.encodeLiteral()
		e.state = afterLiteral(e.state)
	case s.back >= 4:
		e.rc.bit(&m.isMatch[e.state][place], 1)
		e.rc.bit(&m.isRep[e.state], 0)
		e.encodeLength(&m.match, s.length, place)
		e.encodeDistance(s.back-4, s.length)
		e.state = afterMatch(e.state)
		e.reps = [4]uint32{s.back - 4, e.reps[0], e.reps[1], e.reps[2]}
		e.parser.age++
	default:
		e.rc.bit(&m.isMatch[e.state][place], 1)
		e.rc.bit(&m.isRep[e.state], 1)
		e.encodeRep(s, place)
	}
	e.pos += int(s.length)
}

func (e *encoder) encodeLiteral() {
	probs := e.literals(e.pos)
	b := int(e.data[e.pos])
	if e.state < 7 {
		e.rc.tree(probs[:0x100], b, 8)
		return
	}
	// Behind a match the byte that the match would have had next predicts this one, up to the first bit that differs.
	other := int(e.data[e.pos-int(e.reps[0])-1])
	same, m := 0x100, 1
	for i := 7; i >= 0; i-- {
		bit, guess := b>>i&1, other>>i&1
		e.rc.bit(&probs[same+(guess<<8)&same+m], bit)
		m = m<<1 | bit
		if bit != guess {
			same = 0
		}
	}
}

// encodeRep encodes which of the latest distances repeats, and how long.
func (e *encoder) encodeRep(s symbol, place int) {
	m := &e.model
	if s.back == 0 {
		e.rc.bit(&m.isRep0[e.state], 0)
		if s.length == 1 {
			e.rc.bit(&m.isLong[e.state][place], 0)
			e.state = afterShort(e.state)
			return
		}
		e.rc.bit(&m.isLong[e.state][place], 1)
	} else {
		e.rc.bit(&m.isRep0[e.state], 1)
		e.rc.bit(&m.isRep1[e.state], min(1, int(s.back)-1))
		if s.back > 1 {
			e.rc.bit(&m.isRep2[e.state], int(s.back)-2)
		}
	}
	e.reps = moved(e.reps, s.back)
	e.encodeLength(&m.repMatch, s.length, place)
	e.state = afterRep(e.state)
	e.parser.age++
}

// moved returns the latest distances with one of them first.
func moved(reps [4]uint32, i uint32) [4]uint32 {
	first := reps[i]
	copy(reps[1:i+1], reps[:i])
	reps[0] = first
	return reps
}

func (e *encoder) encodeLength(l *lengths, length uint32, place int) {
	n := int(length) - minMatch
	switch {
	case n < 8:
		e.rc.bit(&l.choice, 0)
		e.rc.tree(l.low[place][:], n, 3)
	case n < 16:
		e.rc.bit(&l.choice, 1)
		e.rc.bit(&l.choice2, 0)
		e.rc.tree(l.mid[place][:], n-8, 3)
	default:
		e.rc.bit(&l.choice, 1)
		e.rc.bit(&l.choice2, 1)
		e.rc.tree(l.high[:], n-16, 8)
	}
}

func (e *encoder) encodeDistance(distance, length uint32) {
	slot := slotOf(distance)
	e.rc.tree(e.model.slot[lengthSlot(length)][:], slot, 6)
	if slot < firstModel {
		return
	}
	n := slot>>1 - 1
	rest := distance - uint32(2|slot&1)<<n
	if slot < lastModel {
		e.rc.reverse(e.model.special[slot][:], int(rest), n)
		return
	}
	e.rc.direct(rest>>alignBits, n-alignBits)
	e.rc.reverse(e.model.align[:], int(rest&(1<<alignBits-1)), alignBits)
}

// lengthSlot returns which probabilities a slot of a distance has.
func lengthSlot(length uint32) int { return min(int(length)-minMatch, lengthSlots-1) }
