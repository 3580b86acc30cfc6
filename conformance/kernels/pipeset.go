package kernels

import (
	"fmt"
	"slices"
	"strings"
)

// Set is kernels of one source that run at the same time, connected by pipes, with a
// reference for what they leave in memory.
//
// Other OpenCL implementations run one kernel after the other, or have no pipes at all, so
// that nothing but the references judges sets.
type Set struct {
	// Name names the set; unique among Sets.
	Name string
	// Module is the name of the source and of its modules, without extensions.
	Module string
	// About says in one sentence what the kernels compute.
	About string
	// Pipes are those that the host makes.
	Pipes []Pipe
	// Launches are the kernels.
	Launches []SetLaunch
	// Clauses are those of the specifications that the set's cases prove.
	Clauses []string

	reference func(s *Set, args [][][]byte) error
}

// Pipe is a pipe that the host makes.
type Pipe struct {
	Name        string
	PacketBytes uint32
	Capacity    uint32 // packets
}

// SetLaunch is a kernel of a set.
type SetLaunch struct {
	// Entry is the name of the entry point in the module.
	Entry string
	// Launch has the sizes and arguments; "pipe:NAME" is one of the set's pipes.
	Launch Launch
	// Outputs are the indices of the arguments that are buffers which the
	// kernel writes, in increasing order.
	Outputs []int
}

// Alone says why other OpenCL implementations cannot run sets.
const Alone = "pipes between kernels that run at the same time"

// Reference turns args, the contents of every argument of every launch before the set
// runs (little-endian bytes, nil for local memory and pipes), into their contents after it, in
// place. It fails when the arguments do not fit the launches.
func (s *Set) Reference(args [][][]byte) (err error) {
	// As for Kernel.Reference.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("reference of set %s: the arguments do not fit the launches: %v", s.Name, r)
		}
	}()
	if err := s.reference(s, args); err != nil {
		return fmt.Errorf("reference of set %s: %w", s.Name, err)
	}
	return nil
}

// Source is the text of the set's source file.
func (s *Set) Source() string { return (&Kernel{Module: s.Module}).Source() }

// Binaries are the set's modules, as those of a kernel.
func (s *Set) Binaries() ([]Binary, error) {
	return (&Kernel{Name: s.Name, Module: s.Module}).Binaries()
}

// Sets lists every set, ordered by name.
func Sets() []*Set {
	all := pipeSets()
	slices.SortFunc(all, func(a, b *Set) int { return strings.Compare(a.Name, b.Name) })
	return all
}
