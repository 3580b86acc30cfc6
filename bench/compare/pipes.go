package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/bench"
)

// pipesTable is the title above the figures about pipes.
const pipesTable = "pipes"

// byChannel, in the place of a way of package bench, sends the packets through
// a Go channel.
const byChannel = "channel"

// pipeTargets are the packets a second that each way is to move at least, in millions.
var pipeTargets = map[string]float64{"": 10, "try_": 10, "group_": 50}

// pipeRequest asks for a way of moving packets: a name of bench.PipeWays, or byChannel.
type pipeRequest struct {
	Way     string
	Packets uint32
}

// pipeSession moves packets.
type pipeSession struct {
	stream *bench.Stream // nil for a channel
	n      uint32
}

// openPipe makes the session for a way of moving n packets.
func openPipe(way string, n uint32) (session, error) {
	if way == byChannel {
		return pipeSession{n: n}, nil
	}
	for _, w := range bench.PipeWays {
		if w.Name == way {
			s, err := bench.OpenStream(w, n, 0)
			return pipeSession{s, n}, err
		}
	}
	return nil, fmt.Errorf("no way of moving packets is called %q", way)
}

func (s pipeSession) build() time.Duration { return 0 }
func (s pipeSession) reset() error         { return nil }

// outputs has no bytes; a run that moved other packets is an error.
func (s pipeSession) outputs() ([][]byte, error) {
	if s.stream == nil {
		return nil, nil
	}
	return nil, s.stream.Check()
}

func (s pipeSession) close() error {
	if s.stream == nil {
		return nil
	}
	return s.stream.Close()
}

func (s pipeSession) run() (time.Duration, error) {
	begin := time.Now()
	if s.stream != nil {
		err := s.stream.Run()
		return time.Since(begin), err
	}
	packets, sum := make(chan uint32, 1024), make(chan uint32)
	go func() {
		total := uint32(0)
		for v := range packets {
			total += v
		}
		sum <- total
	}()
	for k := range s.n {
		packets <- k
	}
	close(packets)
	if got, want := <-sum, uint32(uint64(s.n)*(uint64(s.n)-1)/2); got != want {
		return 0, fmt.Errorf("the channel's sum is %d, not %d", got, want)
	}
	return time.Since(begin), nil
}

// pipes measures how fast packets of 4 bytes move from kernel to kernel, and
// what a chain of launches takes of memory.
func (c *comparison) pipes() ([]Figure, error) {
	n := uint32(1 << 22)
	if c.sizes == "small" {
		n = 1 << 14
	}
	p := c.processes[0]
	var ways []string
	for _, w := range bench.PipeWays {
		ways = append(ways, w.Name)
	}
	ways = append(ways, byChannel)
	sessions, times := make([]int, len(ways)), make([][]time.Duration, len(ways))
	for i, way := range ways {
		var err error
		if sessions[i], _, err = p.open(request{Pipe: &pipeRequest{Way: way, Packets: n}}); err != nil {
			return nil, err
		}
		if _, err := p.ask(request{Op: opFirst, Session: sessions[i]}); err != nil {
			return nil, err
		}
	}
	for range c.runs {
		for i := range ways {
			a, err := p.measure(sessions[i], c.budget)
			if err != nil {
				return nil, err
			}
			times[i] = append(times[i], median(a.Times))
		}
	}
	channel := times[len(times)-1]
	var figures []Figure
	for i, w := range bench.PipeWays {
		target := pipeTargets[w.Name]
		f := Figure{Table: pipesTable, Name: "packets of 4 bytes by " + w.String(), Unit: "million a second",
			Value: float64(n) / 1e6 / median(times[i]).Seconds(), Target: fmt.Sprintf("at least %g", target),
			Detail: fmt.Sprintf("two kernels of %d work-items, %d packets through a pipe of the program that holds 1024; %s times the speed of a Go channel that holds as many",
				w.Items, n, number(median(ratios(channel, times[i]))))}
		f.Verdict = verdict(f.Value >= target)
		figures = append(figures, f)
	}
	f, err := chain()
	if err != nil {
		return nil, err
	}
	return append(figures, f), closeSessions(p, sessions)
}

// chainTolerance is how far twice the launches may be from twice the memory.
const chainTolerance = 0.1

// chain measures the memory of growing chains.
func chain() (Figure, error) {
	f := Figure{Table: pipesTable, Name: "twice the launches in a chain, most memory", Unit: "times",
		Target: fmt.Sprintf("at most %g", 2*(1+chainTolerance))}
	var sizes []string
	last := uint64(0)
	for launches := 250; launches <= 2000; launches *= 2 {
		bytes, err := bench.ChainMemory(launches, 16)
		if err != nil {
			return f, err
		}
		if last > 0 {
			f.Value = max(f.Value, float64(bytes)/float64(last))
		}
		last = bytes
		sizes = append(sizes, fmt.Sprintf("%d: %.2f MiB", launches, float64(bytes)/(1<<20)))
	}
	f.Detail = "all that is allocated to make and run it, by launches: " + strings.Join(sizes, ", ")
	f.Verdict = verdict(f.Value <= 2*(1+chainTolerance))
	return f, nil
}
