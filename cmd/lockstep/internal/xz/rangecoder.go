package xz

// prob is the probability that a bit is 0, of 1<<probBits.
type prob uint16

const (
	probBits  = 11
	probBegin = 1 << (probBits - 1)
	probShift = 5 // how fast a probability follows the bits
	topValue  = 1 << 24
)

// begun sets probabilities to one half.
func begun(list []prob) {
	for i := range list {
		list[i] = probBegin
	}
}

// rangeCoder is the range encoder.
type rangeCoder struct {
	out     []byte
	low     uint64
	width   uint32
	cache   byte
	pending int // bytes behind, and with, cache that a carry may change
}

func (r *rangeCoder) reset() { *r = rangeCoder{out: r.out[:0], width: 0xFFFFFFFF, pending: 1} }

// size returns how many bytes the code has up to now.
func (r *rangeCoder) size() int { return len(r.out) + r.pending + 4 }

func (r *rangeCoder) shift() {
	if uint32(r.low) < 0xFF000000 || r.low>>32 != 0 {
		carry := byte(r.low >> 32)
		for b := r.cache; r.pending > 0; r.pending-- {
			r.out = append(r.out, b+carry)
			b = 0xFF
		}
		r.cache = byte(r.low >> 24)
	}
	r.pending++
	r.low = uint64(uint32(r.low) << 8)
}

func (r *rangeCoder) flush() {
	for range 5 {
		r.shift()
	}
}

func (r *rangeCoder) bit(p *prob, bit int) {
	bound := (r.width >> probBits) * uint32(*p)
	if bit == 0 {
		r.width = bound
		*p += (1<<probBits - *p) >> probShift
	} else {
		r.low += uint64(bound)
		r.width -= bound
		*p -= *p >> probShift
	}
	for r.width < topValue {
		r.width <<= 8
		r.shift()
	}
}

// direct encodes the lowest n bits of v, of which nothing is known.
func (r *rangeCoder) direct(v uint32, n int) {
	for n--; n >= 0; n-- {
		r.width >>= 1
		if v>>n&1 != 0 {
			r.low += uint64(r.width)
		}
		for r.width < topValue {
			r.width <<= 8
			r.shift()
		}
	}
}

// tree encodes the lowest n bits of v, the highest first.
func (r *rangeCoder) tree(probs []prob, v, n int) {
	m := 1
	for n--; n >= 0; n-- {
		bit := v >> n & 1
		r.bit(&probs[m], bit)
		m = m<<1 | bit
	}
}

// reverse encodes the lowest n bits of v, the lowest first.
func (r *rangeCoder) reverse(probs []prob, v, n int) {
	m := 1
	for range n {
		bit := v & 1
		v >>= 1
		r.bit(&probs[m], bit)
		m = m<<1 | bit
	}
}
