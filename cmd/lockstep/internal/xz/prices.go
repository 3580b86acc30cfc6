package xz

import "math"

// A price is what encoding takes, in 1/16 bits.
const (
	priceShift = 4 // probabilities have their prices in steps of 1<<priceShift
	impossible = math.MaxUint32 / 2
)

// bitPrices has the prices of the bit 0 by its probability.
var bitPrices = func() (list [1 << probBits >> priceShift]uint32) {
	for i := range list {
		p := (float64(i) + 0.5) * (1 << priceShift) / (1 << probBits)
		list[i] = uint32(math.Round(-16 * math.Log2(p)))
	}
	return list
}()

func price0(p prob) uint32 { return bitPrices[p>>priceShift] }
func price1(p prob) uint32 { return bitPrices[(1<<probBits-1-p)>>priceShift] }

func price(p prob, bit int) uint32 {
	if bit == 0 {
		return price0(p)
	}
	return price1(p)
}

func treePrice(probs []prob, v, n int) (sum uint32) {
	m := 1
	for n--; n >= 0; n-- {
		bit := v >> n & 1
		sum += price(probs[m], bit)
		m = m<<1 | bit
	}
	return sum
}

func reversePrice(probs []prob, v, n int) (sum uint32) {
	m := 1
	for range n {
		bit := v & 1
		v >>= 1
		sum += price(probs[m], bit)
		m = m<<1 | bit
	}
	return sum
}

const nearDistances = 128 // distances below have no bits of which nothing is known

// prices are the prices of lengths and distances, as they were at some time.
type prices struct {
	match, repMatch [maxPlaces][maxMatch + 1]uint32
	slot            [lengthSlots][slots]uint32
	near            [lengthSlots][nearDistances]uint32
	align           [1 << alignBits]uint32
}

func (p *prices) update(m *model, places int) {
	lengthPrices(&p.match, &m.match, places)
	lengthPrices(&p.repMatch, &m.repMatch, places)
	for l := range lengthSlots {
		for slot := range slots {
			p.slot[l][slot] = treePrice(m.slot[l][:], slot, 6)
			if slot >= lastModel {
				p.slot[l][slot] += uint32(slot>>1-1-alignBits) * 16
			}
		}
		for d := range uint32(nearDistances) {
			slot := slotOf(d)
			p.near[l][d] = p.slot[l][slot]
			if slot >= firstModel {
				n := slot>>1 - 1
				p.near[l][d] += reversePrice(m.special[slot][:], int(d)-(2|slot&1)<<n, n)
			}
		}
	}
	for i := range p.align {
		p.align[i] = reversePrice(m.align[:], i, alignBits)
	}
}

func lengthPrices(to *[maxPlaces][maxMatch + 1]uint32, l *lengths, places int) {
	var high [256]uint32
	for i := range high {
		high[i] = price1(l.choice) + price1(l.choice2) + treePrice(l.high[:], i, 8)
	}
	for place := range places {
		for i := range 8 {
			to[place][minMatch+i] = price0(l.choice) + treePrice(l.low[place][:], i, 3)
			to[place][minMatch+8+i] = price1(l.choice) + price0(l.choice2) + treePrice(l.mid[place][:], i, 3)
		}
		copy(to[place][minMatch+16:], high[:])
	}
}

// distance returns the price of a distance, counted from 0.
func (p *prices) distance(d, length uint32) uint32 {
	l := lengthSlot(length)
	if d < nearDistances {
		return p.near[l][d]
	}
	return p.slot[l][slotOf(d)] + p.align[d&(1<<alignBits-1)]
}

// literalPrice returns the price of the byte at a position, in a state whose latest distance is rep.
func (e *encoder) literalPrice(pos int, state uint8, rep uint32) uint32 {
	probs := e.literals(pos)
	b := int(e.data[pos])
	sum := price0(e.model.isMatch[state][e.place(pos)])
	if state < 7 {
		return sum + treePrice(probs[:0x100], b, 8)
	}
	other := int(e.data[pos-int(rep)-1])
	same, m := 0x100, 1
	for i := 7; i >= 0; i-- {
		bit, guess := b>>i&1, other>>i&1
		sum += price(probs[same+(guess<<8)&same+m], bit)
		m = m<<1 | bit
		if bit != guess {
			same = 0
		}
	}
	return sum
}

// repPrice returns the price of choosing one of the latest distances, without the length, which is 2 at least.
func (e *encoder) repPrice(i uint32, state uint8, place int) uint32 {
	m := &e.model
	if i == 0 {
		return price0(m.isRep0[state]) + price1(m.isLong[state][place])
	}
	sum := price1(m.isRep0[state])
	if i == 1 {
		return sum + price0(m.isRep1[state])
	}
	return sum + price1(m.isRep1[state]) + price(m.isRep2[state], int(i)-2)
}
