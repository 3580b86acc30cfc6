// Package subgroups holds the test of the kernels beside it.
package subgroups

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

//go:embed subgroups.cl
var source string

// launch runs a kernel on a device of its own. The slices among args become buffers, and
// have afterwards what the kernel left there.
func launch(t *testing.T, subgroup int, kernel string, items emu.NDRange, args ...any) {
	t.Helper()
	dev, err := emu.NewDevice(emu.DeviceOptions{SubgroupSize: subgroup})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	program, _, err := dev.BuildProgram(source, "")
	if err != nil {
		t.Fatal(err)
	}
	k, err := program.Kernel(kernel)
	if err != nil {
		t.Fatal(err)
	}
	list := make([]emu.Arg, len(args))
	var after []func() error
	for i, a := range args {
		switch a := a.(type) {
		case emu.Arg:
			list[i] = a
		case []uint32:
			list[i], after = buffer(t, dev, a, after)
		case []float32:
			list[i], after = buffer(t, dev, a, after)
		default:
			t.Fatalf("argument %d is a %T", i, a)
		}
	}
	if _, err := k.Run(context.Background(), items, list...); err != nil {
		t.Fatal(err)
	}
	for _, read := range after {
		if err := read(); err != nil {
			t.Fatal(err)
		}
	}
}

// buffer makes a buffer of v, and adds to after what reads it back.
func buffer[T uint32 | float32](t *testing.T, dev *emu.Device, v []T, after []func() error) (emu.Arg, []func() error) {
	t.Helper()
	b, err := emu.NewBufferOf(dev, v)
	if err != nil {
		t.Fatal(err)
	}
	return b, append(after, func() error {
		got, err := emu.Read[T](b)
		copy(v, got)
		return err
	})
}

func equal[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s has %d elements, want %d", what, len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s: element %d is %v, want %v", what, i, got[i], want[i])
			return
		}
	}
}

// TestKernels sets the kernels against plain loops, at every size of sub-groups. The
// work-groups have 50 work-items, so that most sizes leave a partial one.
func TestKernels(t *testing.T) {
	const n, group = 100, 50
	in := make([]uint32, n)
	for i := range in {
		in[i] = uint32(i * i % 7)
	}
	sums, prefix := make([]uint32, n/group), make([]uint32, n)
	for i, x := range in {
		sums[i/group] += x
		prefix[i] = sums[i/group]
	}
	left := slices.DeleteFunc(slices.Clone(in), func(x uint32) bool { return x == 0 })
	items := emu.NDRange{Global: []uint64{n}, Local: []uint64{group}}
	for _, size := range []int{1, 4, 8, 16, 32, 64, 128} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			out := make([]uint32, n/group)
			launch(t, size, "sum", items, in, out)
			equal(t, "the sum", out, sums)

			out = make([]uint32, n)
			launch(t, size, "prefix", items, in, out, emu.LocalBytes(4*group))
			equal(t, "the prefix sum", out, prefix)

			out, count := make([]uint32, n), make([]uint32, 1)
			launch(t, size, "compact", emu.NDRange{Global: []uint64{n}, Local: []uint64{n}}, in, out, count, emu.LocalBytes(4*n))
			equal(t, "what is left", out[:count[0]], left)

			next, tickets := []uint32{5}, make([]uint32, n)
			launch(t, size, "tickets", items, in, next, tickets)
			equal(t, "the next ticket", next, []uint32{5 + uint32(len(left))})
			slices.Sort(tickets)
			for i, x := range tickets[n-len(left):] {
				if x != uint32(5+i) {
					t.Fatalf("the tickets are %v: number %d is missing", tickets, 5+i)
				}
			}
		})
	}
}

// TestMatmul sums in the order of the columns, as a plain loop does, at every size.
func TestMatmul(t *testing.T) {
	const n = 24
	a, b, want := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
	for i := range a {
		a[i], b[i] = 1/float32(i+1), float32(i%13)/7
	}
	for i := range want {
		for k := range n {
			want[i] += float32(a[i/n*n+k] * b[k*n+i%n])
		}
	}
	for _, size := range []int{1, 4, 8, 16, 32, 64, 128} {
		c := make([]float32, n*n)
		launch(t, size, "matmul", emu.NDRange{Global: []uint64{n, n}, Local: []uint64{n / 2, 1}}, a, b, c, emu.Value(uint32(n)))
		equal(t, fmt.Sprintf("the product with sub-groups of %d", size), c, want)
	}
}
