package scheduler

import (
	"fmt"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa/engine"
)

// Order is the order in which work-groups, and the waves of a work-group, take
// their turns. OpenCL allows every one of them.
type Order uint8

// The orders.
const (
	InOrder Order = iota // ascending linear ids
	Reverse              // descending linear ids
	Seeded               // any order, drawn from a seed
	numOrders
)

var orderNames = [numOrders]string{"in-order", "reverse", "seeded"}

// String returns the order's name on the command line.
func (o Order) String() string {
	if o < numOrders {
		return orderNames[o]
	}
	return fmt.Sprintf("order(%d)", uint8(o))
}

// ParseOrder returns the order of the given name.
func ParseOrder(s string) (Order, error) {
	for o, name := range orderNames {
		if s == name {
			return Order(o), nil
		}
	}
	return 0, fmt.Errorf("unknown schedule %q; there are in-order, reverse and seeded", s)
}

// MarshalText gives the order's name.
func (o Order) MarshalText() ([]byte, error) {
	if o >= numOrders {
		return nil, fmt.Errorf("unknown order %d", uint8(o))
	}
	return []byte(o.String()), nil
}

// UnmarshalText reads the order's name.
func (o *Order) UnmarshalText(text []byte) error {
	v, err := ParseOrder(string(text))
	if err == nil {
		*o = v
	}
	return err
}

// random is the generator SplitMix64: small, and the same everywhere.
type random uint64

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	return mix(uint64(*r))
}

// below returns a number in [0, n); n must not be 0. (The bias of the
// multiplication is below 2^-32 for what is drawn here.)
func (r *random) below(n uint64) uint64 {
	hi, _ := bits.Mul64(r.next(), n)
	return hi
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// permutation is a bijection of [0, n) that takes no memory, so that 2^40
// work-groups can be run in any order.
type permutation struct {
	order Order
	n     uint64
	half  uint   // bits of either half of the Feistel network
	mask  uint64 // of a half
	keys  [4]uint64
}

func newPermutation(o Order, seed, n uint64) permutation {
	p := permutation{order: o, n: n}
	if o == Seeded && n > 1 {
		p.half = uint(bits.Len64(n-1)+1) / 2
		p.mask = 1<<p.half - 1
		r := random(seed)
		for i := range p.keys {
			p.keys[i] = r.next()
		}
	}
	return p
}

// at returns the number at place i of the order; i must be less than n.
func (p *permutation) at(i uint64) uint64 {
	switch {
	case p.order == Reverse:
		return p.n - 1 - i
	case p.order != Seeded || p.n < 2:
		return i
	}
	// A Feistel network permutes the next larger power of four; walking along
	// its cycle until it comes back below n leaves a permutation of [0, n).
	// The domain is less than four times n, so that is a few steps.
	for {
		l, r := i>>p.half, i&p.mask
		for _, k := range p.keys {
			l, r = r, l^mix(r+k)&p.mask
		}
		i = l<<p.half | r
		if i < p.n {
			return i
		}
	}
}

// GroupAt returns the work-group at a position of a launch's schedule.
func GroupAt(l *engine.Launch, opt Options, pos uint64) Group {
	order := newPermutation(opt.Order, opt.Seed, l.Groups[0]*l.Groups[1]*l.Groups[2])
	w := worker{launch: &launch{Launch: l, opt: opt, order: order}, pos: pos}
	w.locate()
	return Group{Position: pos, ID: w.group.ID, Linear: w.group.Linear, Size: w.group.Size}
}
