package conformance

import (
	"regexp"
	"slices"
	"strings"
)

// Pipe is a pipe that the host makes.
type Pipe struct {
	// Name is what the case calls it; an argument "pipe:NAME" stands for it.
	Name        string
	PacketBytes uint32
	Capacity    uint32 // packets
}

// Step is a set of launches that run together, often of one. The pipes and variables
// of the program, and the pipes of the host, keep what they hold from step to step.
type Step struct {
	// Reset says that the program is reset before.
	Reset bool
	// Fill is what the host writes to pipes before, and Feed what it writes while the
	// launches run, as soon as there is room.
	Fill, Feed []Packets
	// Drain has the pipes that the host reads while the launches run.
	Drain    []string
	Launches []Launch
	// Packets is what the host reads, together with what is left in the pipes at the end.
	Packets []Packets
}

// Packets are packets of one of the host's pipes.
type Packets struct {
	Pipe string
	// What is a SPEC that gives their bytes, or "none".
	What string
}

// Launch is a run of one kernel.
type Launch struct {
	// Kernel is the name of the entry point.
	Kernel string
	// Global, Local and Offset are the launch sizes, one to three dimensions;
	// Local and Offset are nil when the case leaves them out.
	Global, Local, Offset []uint64
	// Args holds one SPEC of package argspec for each kernel parameter; "pipe:NAME"
	// is one of the case's pipes.
	Args []string
	// Expect lists what buffers must hold after the run.
	Expect []Expect
	// Varies lists the buffers whose contents may be another in each configuration,
	// because they depend on the order in which work-items run.
	Varies []int
}

// Expect states the contents of one buffer after the run.
type Expect struct {
	// Arg is the number of the argument, from 0.
	Arg int
	// What is a SPEC that gives the bytes, "sha256:HEX" of the bytes, or
	// "unchanged".
	What string
	// ULP is the allowed difference in units in the last place, for SPECs of
	// floating-point types. 0 demands the same bits.
	ULP uint64
	// SubGroups are the sub-group sizes at which this is expected; none means all.
	SubGroups []int
}

// at says whether the contents are those at a sub-group size.
func (e *Expect) at(size int) bool {
	return len(e.SubGroups) == 0 || slices.Contains(e.SubGroups, size)
}

// simple says that the case is one launch without pipes of the host.
func (c *Case) simple() bool {
	return len(c.Pipes) == 0 && len(c.Steps) == 1 && len(c.Steps[0].Launches) == 1
}

// pipePrefix begins an argument that is one of the case's pipes.
const pipePrefix = "pipe:"

// pipeForm is how pipes are called: numbers are for arguments.
var pipeForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// none stands for no packets.
const none = "none"

// pipe returns the pipe of that name, or nil.
func (c *Case) pipe(name string) *Pipe {
	i := slices.IndexFunc(c.Pipes, func(p Pipe) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return &c.Pipes[i]
}

func (c *Case) checkPipes() *problem {
	for i, p := range c.Pipes {
		switch {
		case !pipeForm.MatchString(p.Name):
			return bad("pipe", i, "%q is not the name of a pipe: a letter, then letters, digits, _ and -", p.Name)
		case c.pipe(p.Name) != &c.Pipes[i]:
			return bad("pipe", i, "there are two pipes called %s", p.Name)
		case p.PacketBytes == 0 || p.Capacity == 0:
			return bad("pipe", i, "packets have at least 1 byte, and a pipe holds at least one of them")
		case uint64(p.PacketBytes)*uint64(p.Capacity) > maxBuffer:
			return bad("pipe", i, "the packets take more than %d bytes", maxBuffer)
		}
	}
	return nil
}

// checkSteps checks the steps and their launches.
func (c *Case) checkSteps() *problem {
	if len(c.Steps) == 0 {
		return bad("kernel", 0, "the case names no kernel")
	}
	number := 0
	for i := range c.Steps {
		s := &c.Steps[i]
		if i == 0 && s.Reset {
			return bad("then", 0, "there is nothing to reset before the first launch").in(i)
		}
		if len(s.Launches) == 0 {
			return bad("kernel", 0, "no kernel is launched").in(number)
		}
		for j := range s.Launches {
			if p := c.checkLaunch(&s.Launches[j]); p != nil {
				return p.in(number)
			}
			number++
		}
		if p := c.checkPackets(s); p != nil {
			return p.in(i)
		}
	}
	return nil
}

// checkPackets checks what the host does with its pipes.
func (c *Case) checkPackets(s *Step) *problem {
	for _, l := range []struct {
		key  string
		list []Packets
	}{{"fill", s.Fill}, {"feed", s.Feed}, {packetsKey, s.Packets}} {
		for i, p := range l.list {
			switch {
			case c.pipe(p.Pipe) == nil:
				return bad(l.key, i, "the case has no pipe %q", p.Pipe)
			case slices.ContainsFunc(l.list[:i], func(q Packets) bool { return p.Pipe == q.Pipe }):
				return bad(l.key, i, "pipe %s is given twice", p.Pipe)
			case !plain(p.What) || p.What == "":
				return bad(l.key, i, "the packets are missing or not one line")
			}
		}
	}
	for i, name := range s.Drain {
		switch {
		case c.pipe(name) == nil:
			return bad("drain", i, "the case has no pipe %q", name)
		case slices.Contains(s.Drain[:i], name):
			return bad("drain", i, "pipe %s is given twice", name)
		}
	}
	return nil
}

func (c *Case) checkLaunch(l *Launch) *problem {
	switch {
	case l.Kernel == "":
		return bad("kernel", 0, "the case names no kernel")
	case !plain(l.Kernel):
		return bad("kernel", 0, notPlain)
	case len(l.Global) == 0:
		return bad("global", 0, "the case has no global size")
	}
	for _, f := range [...]struct {
		key  string
		dims []uint64
	}{{"global", l.Global}, {"local", l.Local}, {"offset", l.Offset}} {
		if len(f.dims) > 3 || (f.dims != nil && len(f.dims) != len(l.Global)) {
			return bad(f.key, 0, "%s has %d dimensions, global has %d", f.key, len(f.dims), len(l.Global))
		}
		if f.key != "offset" && slices.Contains(f.dims, 0) {
			return bad(f.key, 0, "a size of 0")
		}
	}
	for i, a := range l.Args {
		if !plain(a) || a == "" {
			return bad("arg", i, "the argument is missing or not one line")
		}
		if name, ok := strings.CutPrefix(a, pipePrefix); ok && c.pipe(name) == nil {
			return bad("arg", i, "the case has no pipe %q", name)
		}
	}
	return l.checkExpected()
}

// expectation is an argument of a launch at a sub-group size, 0 for all of them.
type expectation struct{ launch, arg, size int }

func (l *Launch) checkExpected() *problem {
	args := map[int]bool{}
	expected := map[expectation]bool{}
	for i, e := range l.Expect {
		switch {
		case e.Arg < 0 || e.Arg >= len(l.Args):
			return bad("expect", i, "there is no argument %d: the case has %d, counted from 0", e.Arg, len(l.Args))
		case expected[expectation{0, e.Arg, 0}] || (len(e.SubGroups) == 0 && args[e.Arg]):
			return bad("expect", i, "argument %d is expected twice", e.Arg)
		case !plain(e.What) || e.What == "" || withinForm.MatchString(e.What) || atForm.MatchString(e.What):
			return bad("expect", i, "what is expected is missing or not one line")
		case strings.HasPrefix(e.What, shaPrefix) && !shaForm.MatchString(e.What[len(shaPrefix):]):
			return bad("expect", i, "sha256: wants 64 lower-case hexadecimal digits")
		case e.ULP != 0 && (strings.HasPrefix(e.What, shaPrefix) || e.What == unchanged):
			return bad("expect", i, "a tolerance needs the values themselves")
		}
		args[e.Arg] = true
		if len(e.SubGroups) == 0 {
			expected[expectation{0, e.Arg, 0}] = true
		}
		for _, n := range e.SubGroups {
			if !subgroupSize(n) {
				return bad("expect", i, "%d is not a sub-group size: a power of two from 1 to 128", n)
			}
			if x := (expectation{0, e.Arg, n}); expected[x] {
				return bad("expect", i, "argument %d is expected twice at sub-groups of %d", e.Arg, n)
			} else {
				expected[x] = true
			}
		}
	}
	for i, n := range l.Varies {
		switch {
		case n < 0 || n >= len(l.Args):
			return bad("varies", 0, "there is no argument %d: the case has %d, counted from 0", n, len(l.Args))
		case args[n]:
			return bad("varies", 0, "argument %d is expected to have certain contents", n)
		case slices.Contains(l.Varies[:i], n):
			return bad("varies", 0, "%d is given twice", n)
		}
	}
	return nil
}
