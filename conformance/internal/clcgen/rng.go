package clcgen

// rng is a generator of pseudo-random numbers, the same on all machines and for all versions of Go.
type rng struct{ state uint64 }

func (r *rng) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// n returns a number below limit.
func (r *rng) n(limit int) int { return int(r.next() >> 33 % uint64(limit)) }

// one reports true once in limit times.
func (r *rng) one(limit int) bool { return r.n(limit) == 0 }

// pick returns one of a list.
func pick[T any](r *rng, list []T) T { return list[r.n(len(list))] }
