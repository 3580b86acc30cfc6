package dma

// random is a stream of pseudo-random numbers (SplitMix64).
type random uint64

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	return mix(uint64(*r))
}

// below returns a number less than n, or 0 for 0.
func (r *random) below(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	return r.next() % n
}

// mix spreads the bits of x: the finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// coprime returns a step that visits all of n places before it comes back, so
// that start + i*step mod n is an order of them that takes no memory.
func (r *random) coprime(n uint64) uint64 {
	if n < 3 {
		return 1
	}
	for step := 1 + r.below(n-1); ; step = step%(n-1) + 1 {
		a, b := n, step
		for b != 0 {
			a, b = b, a%b
		}
		if a == 1 {
			return step
		}
	}
}
