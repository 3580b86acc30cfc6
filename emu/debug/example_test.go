package debug_test

import (
	"context"
	"fmt"
	"log"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/debug"
)

// A session stops where a condition holds, looks at a variable, and goes back to where it got its value.
func Example() {
	ctx := context.Background()
	dev, err := emu.NewDevice(emu.DeviceOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	prog, _, err := dev.BuildProgram(`kernel void squares(global int *x)
{
	int i = get_global_id(0);
	int square = i * i;
	x[i] = square;
}`, "-g")
	if err != nil {
		log.Fatal(err)
	}
	kernel, err := prog.Kernel("squares")
	if err != nil {
		log.Fatal(err)
	}
	x, err := emu.NewBufferOf(dev, make([]int32, 64))
	if err != nil {
		log.Fatal(err)
	}
	s, err := debug.New(ctx, &emu.Launch{Kernel: kernel, Range: emu.Range(64), Args: []emu.Arg{x}}, debug.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	b, err := s.BreakLine("", 5)
	if err != nil {
		log.Fatal(err)
	}
	if err := s.SetCondition(b, "square > 1000"); err != nil {
		log.Fatal(err)
	}
	show := func() {
		item, _ := s.Current()
		v, err := s.Evaluate("square")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("work-item %d at line %d: square is %s\n", item.Global[0], s.Frames()[0].Place.Line, s.Text(v, 8))
	}
	if _, err := s.Continue(ctx); err != nil {
		log.Fatal(err)
	}
	show()
	if _, err := s.ReverseStep(ctx, debug.StepOver, debug.Lines, debug.Lane); err != nil {
		log.Fatal(err)
	}
	show()
	// Output:
	// work-item 32 at line 5: square is 1024
	// work-item 32 at line 4: square is 0
}
