package bench

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
)

// Set says why a workload is here.
type Set int

const (
	// Eight are the kernels whose geometric mean is the summary of a comparison.
	Eight Set = iota
	// More are the other kernels that implementations are compared with.
	More
	// Fields are kernels of many fields, as their programmers write them.
	Fields
	// Subgroups are kernels with operations of sub-groups, which other
	// implementations may lack. They are compared when they are asked for.
	Subgroups
)

// Workload is a kernel with the launches that it is timed with.
type Workload struct {
	// Kernel is the kernel with its source, modules and reference.
	Kernel *kernels.Kernel
	// Set is the group of workloads that it belongs to.
	Set Set
	// Field says where kernels of the set Fields are from.
	Field string
	// Default is the launch to compare implementations with: a compiler for
	// CPUs takes milliseconds for it. Small is the same for an interpreter that
	// does some ten million operations of a lane a second, and takes some
	// tenths of a second.
	Small, Default kernels.Launch
	// Large is the launch that lockstep alone is timed with.
	Large kernels.Launch
}

// Name is the kernel's name.
func (w *Workload) Name() string { return w.Kernel.Name }

// Watched says whether the workload is one that [Watched] chooses.
func (w *Workload) Watched() bool { return Watched(w.Name()) }

// Workloads lists the workloads in the order in which they are reported. The
// error says which kernel is missing.
func Workloads() ([]*Workload, error) {
	list := []struct {
		name                 string
		set                  Set
		small, normal, large kernels.Launch
	}{
		// The buffers of saxpy are far larger than a core's own caches, so that
		// it is memory that is timed.
		{"saxpy", Eight, Saxpy(1 << 18), Saxpy(1 << 24), Saxpy(1 << 24)},
		{"nbody", Eight, nbody(512), nbody(2048), nbody(4096)},
		{"matmul", Eight, Matmul(64), Matmul(512), Matmul(512)},
		{"mandelbrot", Eight, mandelbrot(128, 128), mandelbrot(512, 256), mandelbrot(1024, 256)},
		{"reduce_u32", Eight, reduce(1<<12, 1<<18), reduce(1<<16, 1<<23), reduce(1<<16, 1<<24)},
		{"histogram", Eight, histogram(1<<12, 1<<18), histogram(1<<16, 1<<22), histogram(1<<16, 1<<24)},
		{"blackscholes", Eight, blackscholes(1 << 16), blackscholes(1 << 19), blackscholes(1 << 20)},
		{"inthash", Eight, IntHash(1<<15, 16), IntHash(1<<18, 64), IntHash(1<<20, 64)},
		{"scan_inclusive", More, inclusive(1 << 14), inclusive(1 << 20), inclusive(1 << 22)},
		{"bitonic", More, bitonic(1 << 12), bitonic(1 << 18), bitonic(1 << 19)},
		{"transpose", More, transpose(256), transpose(2048), transpose(4096)},
		{"stencil2d", More, stencil(256), stencil(2048), stencil(4096)},
		{"spmv", More, spmv(1 << 15), spmv(1 << 18), spmv(1 << 18)},
		{"sha256", More, sha256(1 << 8), sha256(1 << 14), sha256(1 << 16)},
		{"fft", More, fft(16, 9), fft(1024, 9), fft(2048, 9)},
		{"sg_reduce", Subgroups, reduce(1<<12, 1<<18), reduce(1<<14, 1<<20), reduce(1<<16, 1<<24)},
		{"sg_reduce_shuffle", Subgroups, reduce(1<<12, 1<<18), reduce(1<<14, 1<<20), reduce(1<<16, 1<<24)},
		{"sg_scan", Subgroups, scan(1 << 12), scan(1 << 14), scan(1 << 22)},
		{"sg_matmul", Subgroups, rowMatmul(64), rowMatmul(128), rowMatmul(512)},
		{"sg_compact", Subgroups, compact(1 << 12), compact(1 << 14), compact(1 << 22)},
		{"sg_aggregate", Subgroups, aggregate(1 << 12), aggregate(1 << 14), aggregate(1 << 22)},
		{"sg_radix", Subgroups, radix(1 << 11), radix(1 << 13), radix(1 << 20)},
	}
	all := map[string]*kernels.Kernel{}
	for _, k := range kernels.All() {
		all[k.Name] = k
	}
	workloads := make([]*Workload, len(list))
	for i, e := range list {
		k := all[e.name]
		if k == nil {
			return nil, fmt.Errorf("package kernels has no kernel %q", e.name)
		}
		workloads[i] = &Workload{Kernel: k, Set: e.set, Small: e.small, Default: e.normal, Large: e.large}
	}
	fields, err := fieldWorkloads(all)
	return append(workloads, fields...), err
}

// group is the work-group size of the launches in one dimension.
const group = 256

// Saxpy is the launch of kernel saxpy over n elements.
func Saxpy(n int) kernels.Launch {
	return kernels.Launch{
		Global: []uint64{uint64(n)}, Local: []uint64{group},
		Args: []string{"f32:2.5", fmt.Sprintf("rand:f32:%d:1", n), fmt.Sprintf("rand:f32:%d:2", n)},
	}
}

// IntHash is the launch of kernel inthash over n elements, each hashed rounds
// times.
func IntHash(n, rounds int) kernels.Launch {
	return kernels.Launch{
		Global: []uint64{uint64(n)}, Local: []uint64{group},
		Args: []string{fmt.Sprintf("iota:u32:%d", n), fmt.Sprintf("zero:u32:%d", n), fmt.Sprintf("u32:%d", rounds)},
	}
}

// Empty is the launch of kernel empty with one work-group of one work-item.
func Empty() kernels.Launch {
	return kernels.Launch{Global: []uint64{1}, Local: []uint64{1}}
}

// MinScale and MaxScale are the smallest and the largest size of ScaleLaunch.
const (
	MinScale = 12
	MaxScale = 24
)

// ScaleLaunch is the launch of kernel inthash over 2^exponent work-items, by
// which it is seen whether the time grows with the work.
func ScaleLaunch(exponent int) kernels.Launch { return IntHash(1<<exponent, 64) }

// nbody is n bodies that attract each other.
func nbody(n int) kernels.Launch {
	return kernels.Launch{
		Global: []uint64{uint64(n)}, Local: []uint64{128},
		Args: []string{fmt.Sprintf("rand:f32:%d:1", 4*n), fmt.Sprintf("zero:f32:%d", 4*n),
			fmt.Sprintf("rand:f32:%d:2", 4*n), fmt.Sprintf("u32:%d", n), "f32:0.01", "f32:0.0001"},
	}
}

// Matmul is a product of n by n matrices in the kernel's tiles of 16 by 16.
func Matmul(n int) kernels.Launch {
	return kernels.Launch{
		Global: []uint64{uint64(n), uint64(n)}, Local: []uint64{16, 16},
		Args: []string{fmt.Sprintf("rand:f32:%d:1", n*n), fmt.Sprintf("rand:f32:%d:2", n*n),
			fmt.Sprintf("zero:f32:%d", n*n), fmt.Sprintf("u32:%d", n)},
	}
}

// rowMatmul is a product of n by n matrices, a work-group for a part of a row.
func rowMatmul(n int) kernels.Launch {
	l := Matmul(n)
	l.Local = []uint64{uint64(min(n, 128)), 1}
	return l
}

// scan sums up the elements before each of n, in parts of a work-group.
func scan(n int) kernels.Launch {
	return kernels.Launch{
		Global: []uint64{uint64(n)}, Local: []uint64{group},
		Args: []string{fmt.Sprintf("rand:u32:%d:1", n), fmt.Sprintf("zero:u32:%d", n), fmt.Sprintf("local:%d", 4*group)},
	}
}

// compact keeps about a third of n elements.
func compact(n int) kernels.Launch {
	return kernels.Launch{
		Global: []uint64{uint64(n)}, Local: []uint64{group},
		Args: []string{fmt.Sprintf("rand:u32:%d:1:0:999", n), fmt.Sprintf("zero:u32:%d", n), fmt.Sprintf("zero:u32:%d", n/group),
			fmt.Sprintf("local:%d", 4*group), "u32:333"},
	}
}

// aggregate takes slots for about a third of n elements.
func aggregate(n int) kernels.Launch {
	return kernels.Launch{
		Global: []uint64{uint64(n)}, Local: []uint64{group},
		Args: []string{fmt.Sprintf("rand:u32:%d:1:0:999", n), "zero:u32:1", fmt.Sprintf("zero:u32:%d", n), "u32:333"},
	}
}

// radix sorts n keys in parts of a work-group.
func radix(n int) kernels.Launch {
	return kernels.Launch{
		Global: []uint64{uint64(n)}, Local: []uint64{group},
		Args: []string{fmt.Sprintf("rand:u32:%d:1", n), fmt.Sprintf("local:%d", 4*group), fmt.Sprintf("local:%d", 16*group)},
	}
}

// mandelbrot is a picture of n by n points with at most limit steps each.
func mandelbrot(n, limit int) kernels.Launch {
	step := float32(2.5) / float32(n)
	return kernels.Launch{
		Global: []uint64{uint64(n), uint64(n)}, Local: []uint64{16, 16},
		Args: []string{fmt.Sprintf("zero:i32:%d", n*n), fmt.Sprintf("i32:%d", limit), "f32:-2.0", "f32:-1.25",
			fmt.Sprintf("f32:%g", step), fmt.Sprintf("f32:%g", step)},
	}
}

// reduce sums n elements with the given number of work-items.
func reduce(items, n int) kernels.Launch {
	return kernels.Launch{
		Global: []uint64{uint64(items)}, Local: []uint64{group},
		Args: []string{fmt.Sprintf("rand:u32:%d:1", n), fmt.Sprintf("zero:u32:%d", items/group),
			fmt.Sprintf("local:%d", 4*group), fmt.Sprintf("u32:%d", n)},
	}
}

// histogram counts n bytes with the given number of work-items.
func histogram(items, n int) kernels.Launch {
	return kernels.Launch{
		Global: []uint64{uint64(items)}, Local: []uint64{group},
		Args: []string{fmt.Sprintf("rand:u8:%d:4", n), fmt.Sprintf("u32:%d", n), "zero:u32:64"},
	}
}

// blackscholes is the prices of n options.
func blackscholes(n int) kernels.Launch {
	return kernels.Launch{
		Global: []uint64{uint64(n)}, Local: []uint64{group},
		Args: []string{fmt.Sprintf("rand:f32:%d:1:5:30", n), fmt.Sprintf("rand:f32:%d:2:1:100", n),
			fmt.Sprintf("rand:f32:%d:3:0.25:10", n), "f32:0.02", "f32:0.3",
			fmt.Sprintf("zero:f32:%d", n), fmt.Sprintf("zero:f32:%d", n)},
	}
}

// inclusive sums up the elements up to each of n, in parts of a work-group.
func inclusive(n int) kernels.Launch {
	l := scan(n)
	l.Args[2] = fmt.Sprintf("local:%d", 8*group)
	return l
}

// bitonic sorts 2*items keys in parts of twice a work-group.
func bitonic(items int) kernels.Launch {
	return kernels.Launch{
		Global: []uint64{uint64(items)}, Local: []uint64{group},
		Args: []string{fmt.Sprintf("rand:u32:%d:3", 2*items), fmt.Sprintf("local:%d", 8*group)},
	}
}

// transpose is that of an n by n matrix in the kernel's tiles of 16 by 16.
func transpose(n int) kernels.Launch {
	return kernels.Launch{
		Global: []uint64{uint64(n), uint64(n)}, Local: []uint64{16, 16},
		Args: []string{fmt.Sprintf("iota:u32:%d", n*n), fmt.Sprintf("zero:u32:%d", n*n),
			fmt.Sprintf("u32:%d", n), fmt.Sprintf("u32:%d", n)},
	}
}

// stencil is five points around each of n by n.
func stencil(n int) kernels.Launch {
	return kernels.Launch{
		Global: []uint64{uint64(n), uint64(n)}, Local: []uint64{16, 16},
		Args: []string{fmt.Sprintf("rand:f32:%d:4", n*n), fmt.Sprintf("zero:f32:%d", n*n), "f32:0.6", "f32:0.1"},
	}
}

// spmv is a product of a matrix of n rows and columns that has 0 to 12 entries
// a row.
func spmv(n int) kernels.Launch {
	pointers := []byte("buf:u32:")
	entries := 0
	for r := range n {
		pointers = fmt.Appendf(pointers, "%d,", entries)
		entries += r * r % 13 * 7 % 13
	}
	pointers = fmt.Append(pointers, entries)
	return kernels.Launch{
		Global: []uint64{uint64(n)}, Local: []uint64{group},
		Args: []string{string(pointers), fmt.Sprintf("rand:u32:%d:1:0:%d", entries, n-1),
			fmt.Sprintf("rand:f32:%d:2:-1:1", entries), fmt.Sprintf("rand:f32:%d:3", n), fmt.Sprintf("zero:f32:%d", n)},
	}
}

// sha256 hashes n messages of 64 bytes.
func sha256(n int) kernels.Launch {
	return kernels.Launch{
		Global: []uint64{uint64(n)}, Local: []uint64{64},
		Args: []string{fmt.Sprintf("rand:u8:%d:1", 64*n), "u32:64", fmt.Sprintf("zero:u8:%d", 32*n)},
	}
}

// fft is a number of transforms of 2^bits points, one a work-group.
func fft(transforms, bits int) kernels.Launch {
	n := 1 << bits
	return kernels.Launch{
		Global: []uint64{uint64(transforms * n / 2)}, Local: []uint64{uint64(n / 2)},
		Args: []string{fmt.Sprintf("rand:f32:%d:6:-1:1", 2*n*transforms), fmt.Sprintf("zero:f32:%d", 2*n*transforms),
			fmt.Sprintf("u32:%d", bits), fmt.Sprintf("local:%d", 8*n)},
	}
}
