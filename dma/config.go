package dma

import (
	"fmt"
	"slices"

	"github.com/lockstep-gpu/lockstep/memory"
)

// Completion says when the bytes of copies move.
type Completion uint8

// The completions.
const (
	// Early moves all bytes as soon as a copy is issued.
	Early Completion = iota
	// Late moves a copy's bytes when something waits for it, when the
	// work-group ends, or, the oldest, when the queue is full.
	Late
	// Seeded moves bytes at random times in between, drawn from Config.Seed:
	// copies overtake each other, and the lines of one land in any order.
	Seeded
	// Paced moves Config.BytesPerStep bytes a tick and engine, copies in the
	// order in which they were issued.
	Paced
)

var completionNames = [...]string{Early: "early", Late: "late", Seeded: "seeded", Paced: "paced"}

// String returns the completion's name, which [ParseCompletion] takes.
func (c Completion) String() string {
	if int(c) < len(completionNames) {
		return completionNames[c]
	}
	return fmt.Sprintf("completion %d", uint8(c))
}

// ParseCompletion returns the completion with a name. The error lists them.
func ParseCompletion(name string) (Completion, error) {
	if i := slices.Index(completionNames[:], name); i >= 0 {
		return Completion(i), nil
	}
	return 0, fmt.Errorf("no completion %q: want early, late, seeded or paced", name)
}

// MarshalText returns the name; the error is for a number that has none.
func (c Completion) MarshalText() ([]byte, error) {
	if int(c) >= len(completionNames) {
		return nil, fmt.Errorf("%s has no name", c)
	}
	return []byte(c.String()), nil
}

// UnmarshalText is [ParseCompletion].
func (c *Completion) UnmarshalText(text []byte) (err error) {
	*c, err = ParseCompletion(string(text))
	return err
}

// What a Config has where it says 0, and at most.
const (
	DefaultEngines      = 2
	DefaultQueueDepth   = 16 // transfers behind each engine's current one
	DefaultBytesPerStep = 64 // per tick and engine

	MaxEngines      = 64
	MaxQueueDepth   = 1024
	MaxBytesPerStep = 1 << 30
)

// Config describes the engines and how they are run. Values outside of 1 to the
// maximum count as the nearest, 0 as the default.
type Config struct {
	Engines      int // that move bytes at the same time
	QueueDepth   int // transfers that can wait for each engine
	BytesPerStep int // that an engine moves in a tick

	Completion Completion
	Seed       uint64 // for Seeded
	// Check makes findings of what a kernel does wrong with copies. It needs
	// Sink; without one it is off.
	Check  bool
	Sink   Sink
	Tracer Tracer // may be nil
	// Origins, where it is not nil, has undefined bits move along with the bytes.
	Origins Origins
}

// Origins knows where undefined bits come from.
type Origins interface {
	// Stored returns where bits come from once the copy at pc has stored them.
	Stored(pc int, from memory.OriginID) memory.OriginID
}

// normal returns the configuration with defaults and limits applied.
func (c Config) normal() Config {
	fix := func(v *int, def, most int) {
		if *v == 0 {
			*v = def
		}
		*v = min(max(*v, 1), most)
	}
	fix(&c.Engines, DefaultEngines, MaxEngines)
	fix(&c.QueueDepth, DefaultQueueDepth, MaxQueueDepth)
	fix(&c.BytesPerStep, DefaultBytesPerStep, MaxBytesPerStep)
	c.Check = c.Check && c.Sink != nil
	return c
}
