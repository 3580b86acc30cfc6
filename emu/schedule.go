package emu

import (
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/dma"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// Order is the order in which work-groups, and the waves of a group, run.
type Order = scheduler.Order

// The orders. All are legal for OpenCL.
const (
	InOrder = scheduler.InOrder // ascending ids
	Reverse = scheduler.Reverse // descending ids
	Seeded  = scheduler.Seeded  // drawn from Schedule.Seed
)

// ParseOrder returns the order with the given name: "in-order", "reverse" or
// "seeded".
func ParseOrder(name string) (Order, error) { return scheduler.ParseOrder(name) }

// Completion says when the bytes of asynchronous copies move.
type Completion = dma.Completion

// The completions. A kernel that waits for what it uses does the same under
// each of them.
const (
	CompleteEarly  = dma.Early  // when the copy is issued
	CompleteLate   = dma.Late   // when something waits for it, or must
	CompleteSeeded = dma.Seeded // in between, drawn from Schedule.Seed
	CompletePaced  = dma.Paced  // DeviceOptions.DMABytesPerStep in each tick
)

// Schedule says who runs when, and when asynchronous copies complete; Seed is
// what is drawn from where one of these is seeded. The same schedule gives the
// same run, even of a kernel with data races, as long as Launch.Parallel does not
// force work-groups to run at the same time.
type Schedule struct {
	Order      Order
	Completion Completion
	Seed       uint64
}

// ParseSchedule returns the schedule with the given name: that of an order, of
// a completion, or both, as in "reverse+late". An order alone completes copies
// early, but "seeded" stands for both; a completion alone runs in order. Seed counts
// where something is seeded.
func ParseSchedule(name string, seed uint64) (Schedule, error) {
	first, second, both := strings.Cut(name, "+")
	order, orderErr := scheduler.ParseOrder(first)
	if both {
		completion, err := dma.ParseCompletion(second)
		if orderErr == nil && err == nil {
			return Schedule{Order: order, Completion: completion, Seed: seed}, nil
		}
	} else {
		s := Schedule{Order: order, Seed: seed}
		if order == Seeded {
			s.Completion = CompleteSeeded
		}
		if orderErr == nil {
			return s, nil
		}
		if completion, err := dma.ParseCompletion(name); err == nil {
			return Schedule{Completion: completion, Seed: seed}, nil
		}
	}
	return Schedule{}, fmt.Errorf("unknown schedule %q; there are in-order, reverse, seeded, early, late and paced, and an order with a completion, as in reverse+late", name)
}

// Name returns the shortest name that [ParseSchedule] takes for it.
func (s Schedule) Name() string {
	switch {
	case s.Completion == CompleteEarly && s.Order != Seeded, s.Completion == CompleteSeeded && s.Order == Seeded:
		return s.Order.String()
	case s.Order == InOrder && s.Completion != CompleteSeeded:
		return s.Completion.String()
	}
	return s.Order.String() + "+" + s.Completion.String()
}

// UsesSeed says whether the seed matters.
func (s Schedule) UsesSeed() bool { return s.Order == Seeded || s.Completion == CompleteSeeded }

// String returns the command line flags that choose the schedule; "" for the
// one that needs none.
func (s Schedule) String() string {
	switch {
	case s.Order == InOrder && s.Completion == CompleteEarly:
		return ""
	case s.UsesSeed():
		return fmt.Sprintf("-schedule %s -seed %d", s.Name(), s.Seed)
	}
	return "-schedule " + s.Name()
}
