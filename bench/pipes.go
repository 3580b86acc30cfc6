package bench

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"runtime"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

//go:embed pipes.spvasm
var pipes string

// PipeWay is a way of moving packets through a pipe.
type PipeWay struct {
	Name string // what the kernels of pipes.cl that do it have in front of put and take
	// Items is the size of the work-group at either end.
	Items uint64
}

// PipeWays are the ways that are measured: operations that wait, ones that are
// tried until they succeed, and reservations of a whole work-group.
var PipeWays = []PipeWay{{"", 128}, {"try_", 128}, {"group_", 512}}

// String returns what reports call the way.
func (w PipeWay) String() string {
	switch w.Name {
	case "":
		return "blocking"
	case "try_":
		return "non-blocking"
	}
	return "work-group reservations"
}

// Stream is a kernel that writes packets of 4 bytes to a pipe of the program,
// which holds 1024, and one that reads them.
type Stream struct {
	dev  *emu.Device
	set  emu.Set
	sums *emu.Buffer
	want uint32
}

// OpenStream makes the stream of n packets, a multiple of w.Items, at a size of
// sub-groups; 0 is the device's own.
func OpenStream(w PipeWay, n uint32, subgroup int) (s *Stream, err error) {
	if uint64(n)%w.Items != 0 {
		return nil, fmt.Errorf("%d packets by work-groups of %d", n, w.Items)
	}
	module, err := asm.Assemble(pipes, asm.Options{})
	if err != nil {
		return nil, err
	}
	s = &Stream{}
	if s.dev, err = emu.NewDevice(emu.DeviceOptions{SubgroupSize: subgroup}); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	program, err := s.dev.NewProgram(module, emu.ProgramOptions{})
	if err != nil {
		return nil, err
	}
	if s.sums, err = s.dev.NewBuffer(4*w.Items, emu.BufferOptions{Name: "sums"}); err != nil {
		return nil, err
	}
	args := []emu.Arg{emu.Value(n), s.sums}
	for i, end := range []string{"put", "take"} {
		k, err := program.Kernel(w.Name + end)
		if err != nil {
			return nil, err
		}
		s.set.Launches = append(s.set.Launches, emu.Launch{Kernel: k, Args: args[:i+1],
			Range: emu.NDRange{Global: []uint64{w.Items}, Local: []uint64{w.Items}}})
	}
	s.want = uint32(uint64(n) * (uint64(n) - 1) / 2)
	return s, nil
}

// Run moves all packets.
func (s *Stream) Run() error {
	_, err := s.set.Run(context.Background())
	return err
}

// Check says whether what the last run read were the packets.
func (s *Stream) Check() error {
	sums, err := emu.Read[uint32](s.sums)
	if err != nil {
		return err
	}
	sum := uint32(0)
	for _, v := range sums {
		sum += v
	}
	if sum != s.want {
		return fmt.Errorf("the packets' sum is %d, not %d", sum, s.want)
	}
	return nil
}

// Close frees what the stream holds.
func (s *Stream) Close() error { return s.dev.Close() }

// Chain is launches of one kernel that hand packets of 4 bytes on, each to the
// next, through pipes of the host.
type Chain struct {
	dev     *emu.Device
	set     emu.Set
	first   *emu.Pipe
	last    *emu.Pipe
	packets uint32
}

// OpenChain makes a chain of so many launches whose pipes hold one packet each;
// the first and the last pipe hold all packets.
func OpenChain(launches int, packets uint32) (c *Chain, err error) {
	module, err := asm.Assemble(pipes, asm.Options{})
	if err != nil {
		return nil, err
	}
	c = &Chain{packets: packets}
	if c.dev, err = emu.NewDevice(emu.DeviceOptions{}); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	program, err := c.dev.NewProgram(module, emu.ProgramOptions{})
	if err != nil {
		return nil, err
	}
	relay, err := program.Kernel("relay")
	if err != nil {
		return nil, err
	}
	c.set.Launches = make([]emu.Launch, launches)
	for i := range launches + 1 {
		capacity := uint32(1)
		if i == 0 || i == launches {
			capacity = packets
		}
		p, err := c.dev.NewPipe(emu.PipeOptions{Name: fmt.Sprint("link ", i), PacketBytes: 4, Capacity: capacity})
		if err != nil {
			return nil, err
		}
		if i == 0 {
			c.first = p
		} else {
			l := &c.set.Launches[i-1]
			*l = emu.Launch{Kernel: relay, Range: emu.Range(1), Args: []emu.Arg{emu.Value(packets), c.last, p}}
		}
		c.last = p
	}
	return c, nil
}

// Run sends the packets through the chain, and checks what comes out.
func (c *Chain) Run() error {
	b := make([]byte, 4*c.packets)
	if _, err := c.first.Write(b); err != nil {
		return err
	}
	if _, err := c.set.Run(context.Background()); err != nil {
		return err
	}
	n, err := c.last.Read(b)
	if err != nil {
		return err
	}
	want := uint32(len(c.set.Launches))
	for i := 0; i < len(b); i += 4 {
		if got := uint32(b[i]) | uint32(b[i+1])<<8 | uint32(b[i+2])<<16 | uint32(b[i+3])<<24; n != len(b) || got != want {
			return fmt.Errorf("packet %d of %d bytes is %d behind %d launches", i/4, n, got, want)
		}
	}
	return nil
}

// Close frees what the chain holds.
func (c *Chain) Close() error { return c.dev.Close() }

// ChainMemory returns how many bytes are allocated in all, from the host's
// memory, to make a chain of so many launches and to send packets through it.
func ChainMemory(launches int, packets uint32) (uint64, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c, err := OpenChain(launches, packets)
	if err != nil {
		return 0, err
	}
	err = c.Run()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, errors.Join(err, c.Close())
}
