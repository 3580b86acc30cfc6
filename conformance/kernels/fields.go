package kernels

import (
	"fmt"
	"slices"
	"strconv"
)

// fieldKernels come from fields that have little in common, each written as its programmers do.
func fieldKernels() []*Kernel {
	return slices.Concat(videoKernels(), signalKernels(), denseKernels(), sparseKernels(), neuralKernels(),
		graphKernels(),
		sortingKernels(), genomeKernels(), packingKernels(), cipherKernels(), physicsKernels(), financeKernels(),
		rayKernels(),
		machineKernels())
}

// sized completes a kernel with launches of four sizes: for tests, for slow implementations, for comparisons
// and a large one.
func sized(k *Kernel, launch func(size int) Launch, sizes [4]int) *Kernel {
	k.Entry = k.Name
	k.Launch = launch(sizes[0])
	k.sizes = func() []Launch { return []Launch{launch(sizes[1]), launch(sizes[2]), launch(sizes[3])} }
	return k
}

// line, plane and box are launches in one, two and three dimensions.
func line(n, local int, args ...string) Launch {
	return Launch{Global: []uint64{uint64(n)}, Local: []uint64{uint64(local)}, Args: args}
}

func plane(w, h, lw, lh int, args ...string) Launch {
	return Launch{Global: []uint64{uint64(w), uint64(h)}, Local: []uint64{uint64(lw), uint64(lh)}, Args: args}
}

func box(size, local [3]int, args ...string) Launch {
	l := Launch{Args: args}
	for d := range 3 {
		l.Global, l.Local = append(l.Global, uint64(size[d])), append(l.Local, uint64(local[d]))
	}
	return l
}

// zeros and noise are SPECs of n elements.
func zeros(typ string, n int) string { return fmt.Sprintf("zero:%s:%d", typ, n) }

func noise(typ string, n, seed int) string { return fmt.Sprintf("rand:%s:%d:%d", typ, n, seed) }

// within is noise from low to high.
func within(typ string, n, seed int, low, high any) string {
	return fmt.Sprintf("rand:%s:%d:%d:%v:%v", typ, n, seed, low, high)
}

// number is a SPEC of a value.
func number(typ string, v any) string { return fmt.Sprintf("%s:%v", typ, v) }

// elements is a SPEC of a buffer with these elements.
func elements[T uint8 | int32 | uint32 | float32](typ string, list []T) string {
	b := []byte("buf:" + typ + ":")
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		if f, ok := any(v).(float32); ok {
			b = strconv.AppendFloat(b, float64(f), 'g', -1, 32)
			continue
		}
		b = strconv.AppendInt(b, int64(v), 10)
	}
	return string(b)
}

// scrambled is a number below n that i chooses.
func scrambled(i, n int) int {
	x := uint32(i) * 0x9e3779b1
	x ^= x >> 15
	x *= 0x85ebca6b
	x ^= x >> 13
	return int(x % uint32(n))
}

// dot3 is the sum of the products in order.
func dot3(a, b [3]float32) float32 {
	return float32(a[0]*b[0]) + float32(a[1]*b[1]) + float32(a[2]*b[2])
}
