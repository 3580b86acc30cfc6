// Radix-sort sorts numbers with the kernels beside it:
//
//	go run ./examples/radix-sort -n 100000
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"slices"

	"github.com/lockstep-gpu/lockstep/emu"
)

//go:embed radix.cl
var source string

// The kernels' work-group size and the digits of a pass.
const (
	group  = 128
	bits   = 4
	digits = 1 << bits
)

func main() {
	log.SetFlags(0)
	n := flag.Int("n", 10000, "sort `N` numbers")
	subgroup := flag.Int("subgroup", 32, "sub-groups of `N` lanes, which changes the time and not the result")
	flag.Parse()
	if *n < 1 {
		log.Fatal("there is nothing to sort")
	}
	r := rand.New(rand.NewPCG(1, 2))
	keys := make([]uint32, *n)
	for i := range keys {
		keys[i] = r.Uint32()
	}
	ops, err := sort(keys, *subgroup)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d numbers from %d to %d, sorted: %t; %d operations of a lane for each\n",
		*n, keys[0], keys[*n-1], slices.IsSorted(keys), ops/uint64(*n))
}

// sort sorts keys in place on a device and returns how many operations of a lane it took.
func sort(keys []uint32, subgroup int) (ops uint64, err error) {
	dev, err := emu.NewDevice(emu.DeviceOptions{SubgroupSize: subgroup})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	program, _, err := dev.BuildProgram(source, "")
	if err != nil {
		return 0, err
	}
	var kernels [3]*emu.Kernel
	for i, name := range []string{"count", "scan", "move"} {
		if kernels[i], err = program.Kernel(name); err != nil {
			return 0, err
		}
	}
	groups := (len(keys) + group - 1) / group
	from, err := emu.NewBufferOf(dev, keys)
	if err != nil {
		return 0, err
	}
	to, err := emu.NewBufferOf(dev, keys)
	if err != nil {
		return 0, err
	}
	counts, err := emu.NewBufferOf(dev, make([]uint32, digits*groups))
	if err != nil {
		return 0, err
	}
	all := emu.NDRange{Global: []uint64{uint64(groups * group)}, Local: []uint64{group}}
	one := emu.NDRange{Global: []uint64{group}, Local: []uint64{group}}
	n := emu.Value(uint32(len(keys)))
	for shift := uint32(0); shift < 32; shift += bits {
		at := emu.Value(shift)
		for _, step := range []struct {
			kernel *emu.Kernel
			items  emu.NDRange
			args   []emu.Arg
		}{
			{kernels[0], all, []emu.Arg{from, n, at, counts}},
			{kernels[1], one, []emu.Arg{counts, emu.Value(uint32(digits * groups))}},
			// With sub-groups of one lane there are as many as work-items.
			{kernels[2], all, []emu.Arg{from, to, n, at, counts, emu.LocalBytes(4 * digits * group)}},
		} {
			result, err := step.kernel.Run(context.Background(), step.items, step.args...)
			if err != nil {
				return 0, err
			}
			ops += result.Counters.LaneOps
		}
		from, to = to, from
	}
	sorted, err := emu.Read[uint32](from)
	if err != nil {
		return 0, err
	}
	copy(keys, sorted)
	return ops, nil
}
