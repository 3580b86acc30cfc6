package bench

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
)

// Workload is a kernel with the launches that it is timed with.
type Workload struct {
	// Kernel is the kernel with its source, modules and reference.
	Kernel *kernels.Kernel
	// Small and Default are the launches to compare implementations with. An
	// interpreter that does some ten million operations of a lane a second
	// takes a tenth of a second for Small and a few seconds for Default.
	Small, Default kernels.Launch
	// Large is the launch that lockstep alone is timed with.
	Large kernels.Launch
}

// Name is the kernel's name.
func (w *Workload) Name() string { return w.Kernel.Name }

// Workloads lists the workloads in the order in which they are reported. The
// error says which kernel is missing.
func Workloads() ([]*Workload, error) {
	list := []struct {
		name                 string
		small, normal, large kernels.Launch
	}{
		{"saxpy", Saxpy(1 << 18), Saxpy(1 << 20), Saxpy(1 << 22)},
		{"nbody", nbody(256), nbody(1024), nbody(4096)},
		{"matmul", Matmul(64), Matmul(128), Matmul(512)},
		{"mandelbrot", mandelbrot(128, 128), mandelbrot(256, 256), mandelbrot(1024, 256)},
		{"reduce_u32", reduce(1<<12, 1<<18), reduce(1<<14, 1<<20), reduce(1<<16, 1<<24)},
		{"sg_reduce", reduce(1<<12, 1<<18), reduce(1<<14, 1<<20), reduce(1<<16, 1<<24)},
		{"sg_reduce_shuffle", reduce(1<<12, 1<<18), reduce(1<<14, 1<<20), reduce(1<<16, 1<<24)},
		{"sg_scan", scan(1 << 12), scan(1 << 14), scan(1 << 22)},
		{"sg_matmul", rowMatmul(64), rowMatmul(128), rowMatmul(512)},
		{"sg_compact", compact(1 << 12), compact(1 << 14), compact(1 << 22)},
		{"sg_aggregate", aggregate(1 << 12), aggregate(1 << 14), aggregate(1 << 22)},
		{"sg_radix", radix(1 << 11), radix(1 << 13), radix(1 << 20)},
		{"histogram", histogram(1<<12, 1<<18), histogram(1<<14, 1<<20), histogram(1<<16, 1<<24)},
		{"inthash", IntHash(1<<14, 16), IntHash(1<<16, 16), IntHash(1<<20, 64)},
		{"blackscholes", blackscholes(1 << 14), blackscholes(1 << 17), blackscholes(1 << 20)},
	}
	workloads := make([]*Workload, len(list))
	for i, e := range list {
		k := kernels.Find(e.name)
		if k == nil {
			return nil, fmt.Errorf("package kernels has no kernel %q", e.name)
		}
		workloads[i] = &Workload{Kernel: k, Small: e.small, Default: e.normal, Large: e.large}
	}
	return workloads, nil
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
