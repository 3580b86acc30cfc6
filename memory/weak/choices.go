package weak

// Oldest reads the oldest value that the model allows, as if no store were seen before it has to be.
type Oldest struct{}

// Pick is for Choices.
func (Oldest) Pick(what What, n int) int {
	if what == ReadFrom {
		return n - 1
	}
	return 0
}

// Stamp is for Choices.
func (Oldest) Stamp() int { return 0 }

// Ordered is for Choices.
func (Oldest) Ordered([]int) bool { return true }

// Newest reads the last value, as memory that is sequentially consistent does.
type Newest struct{}

// Pick is for Choices.
func (Newest) Pick(What, int) int { return 0 }

// Stamp is for Choices.
func (Newest) Stamp() int { return 0 }

// Ordered is for Choices.
func (Newest) Ordered([]int) bool { return true }

// Seeded draws all choices from a seed: the generator is SplitMix64, which is the same everywhere.
type Seeded uint64

// Pick is for Choices.
func (s *Seeded) Pick(_ What, n int) int {
	if n == 1 {
		return 0
	}
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(n))
}

// Stamp is for Choices.
func (*Seeded) Stamp() int { return 0 }

// Ordered is for Choices.
func (*Seeded) Ordered([]int) bool { return true }
