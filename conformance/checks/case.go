package checks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Case is a kernel with its launch and the findings that belong to it.
type Case struct {
	Name   string // folder and file, without extension
	Source string
	// Options are those of the compiler, as -D N=4.
	Options string
	Buffers []Named // shared by launches
	Pipes   []Named
	// Steps are made one after the other. The launches of a step run together.
	Steps [][]Launch
	// Finds has the findings that must be made, each on one of its lines. None means that there
	// may be no finding.
	Finds []Find
	// Also has codes of findings that may be made besides: consequences of the fault that show under
	// some schedules only, as the uninitialised value that a racing read may see.
	Also []string
	// Some says that the fault depends on values that differ from schedule to schedule, so that it
	// is enough to find it under one of them.
	Some bool
	// Varies says that the contents of buffers may depend on the schedule, and so may which accesses
	// are made, and which of them take part in a fault.
	Varies bool
	// SubGroup is the only size of sub-groups that the case is about, or 0.
	SubGroup int
	// NoClang says why clang's modules are not tried, and NoClangO2 those with optimization; ""
	// where they are.
	NoClang, NoClangO2 string
}

// Named is a buffer or a pipe that launches share, with its SPEC.
type Named struct{ Name, Spec string }

// Launch is a run of one kernel.
type Launch struct {
	Kernel                string
	Global, Local, Offset []uint64
	Args                  []string
	Outs                  []int // arguments that the host reads afterwards
}

// Find is a finding that belongs to a case.
type Find struct {
	Code  string
	Lines []uint32
}

// Parse reads the lines of a source that start with //!:
//
//	//! run -global 64 -local 16 -arg zero:u32:64
//	//! also E-UNINIT
//	//! some
//	//! varies
//	//! subgroup 16
//	//! no clang: REASON
//	//! no clang -O2: REASON
//
// "run" takes the flags -global, -local, -offset, -arg, -out N=-, -kernel, -buffer, -pipe, -with, -then and -D of
// the command lockstep run, in their meaning there.
func Parse(name, source string) (*Case, error) {
	c := &Case{Name: name, Source: source}
	number := uint32(0)
	for line := range strings.Lines(source) {
		number++
		line = strings.TrimSpace(line)
		for _, code := range findCodes(line) {
			c.find(code, number)
		}
		text, ok := strings.CutPrefix(line, "//!")
		if !ok {
			continue
		}
		if err := c.directive(strings.TrimSpace(text)); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, number, err)
		}
	}
	if len(c.Steps) == 0 {
		return nil, fmt.Errorf("%s: there is no line \"//! run\"", name)
	}
	return c, c.nameKernels()
}

// find notes a line on which a finding belongs.
func (c *Case) find(code string, line uint32) {
	i := slices.IndexFunc(c.Finds, func(f Find) bool { return f.Code == code })
	if i < 0 {
		i = len(c.Finds)
		c.Finds = append(c.Finds, Find{Code: code})
	}
	c.Finds[i].Lines = append(c.Finds[i].Lines, line)
}

// directive reads what follows //! on a line.
func (c *Case) directive(text string) error {
	word, rest, _ := strings.Cut(text, " ")
	var err error
	switch word {
	case "run":
		return c.run(strings.Fields(rest))
	case "also":
		c.Also = append(c.Also, rest)
	case "some":
		c.Some = true
	case "varies":
		c.Varies = true
	case "subgroup":
		c.SubGroup, err = strconv.Atoi(rest)
	case "no":
		what, reason, _ := strings.Cut(rest, ": ")
		switch {
		case what == "clang" && reason != "":
			c.NoClang = reason
		case what == "clang -O2" && reason != "":
			c.NoClangO2 = reason
		default:
			return fmt.Errorf("\"no clang: REASON\" or \"no clang -O2: REASON\" is wanted")
		}
	default:
		return fmt.Errorf("unknown directive %q", word)
	}
	return err
}

// run reads the flags of a command line.
func (c *Case) run(words []string) error {
	if c.Steps != nil {
		return fmt.Errorf("a second \"run\"")
	}
	c.Steps = [][]Launch{{{}}}
	for len(words) > 0 {
		flag := words[0]
		words = words[1:]
		step := len(c.Steps) - 1
		switch flag {
		case "-with":
			c.Steps[step] = append(c.Steps[step], Launch{})
			continue
		case "-then":
			c.Steps = append(c.Steps, []Launch{{}})
			continue
		}
		if len(words) == 0 {
			return fmt.Errorf("%s needs a value", flag)
		}
		if err := c.flag(&c.Steps[step][len(c.Steps[step])-1], flag, words[0]); err != nil {
			return err
		}
		words = words[1:]
	}
	return nil
}

// flag applies a flag with a value to the case, or to the launch l of it.
func (c *Case) flag(l *Launch, flag, value string) error {
	name, spec, _ := strings.Cut(value, "=")
	var err error
	switch flag {
	case "-arg":
		l.Args = append(l.Args, value)
	case "-out":
		n, err := strconv.Atoi(name)
		if err != nil || spec != "-" {
			return fmt.Errorf("-out %s: N=- is wanted", value)
		}
		l.Outs = append(l.Outs, n)
	case "-kernel":
		l.Kernel = value
	case "-global":
		l.Global, err = dims(value)
	case "-local":
		l.Local, err = dims(value)
	case "-offset":
		l.Offset, err = dims(value)
	case "-buffer":
		c.Buffers = append(c.Buffers, Named{name, spec})
	case "-pipe":
		c.Pipes = append(c.Pipes, Named{name, spec})
	case "-D":
		c.Options += " -D " + value
	default:
		return fmt.Errorf("unknown flag %s", flag)
	}
	return err
}

// dims reads sizes, one for each dimension.
func dims(text string) ([]uint64, error) {
	var list []uint64
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseUint(word, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("size %q: %w", text, err)
		}
		list = append(list, n)
	}
	return list, nil
}

// nameKernels gives launches without -kernel the only kernel of the source.
func (c *Case) nameKernels() error {
	all := kernelNames(c.Source)
	for _, step := range c.Steps {
		for i := range step {
			if step[i].Kernel != "" {
				continue
			}
			if len(all) != 1 {
				return fmt.Errorf("%s: the source has %d kernels, so that each launch needs -kernel", c.Name, len(all))
			}
			step[i].Kernel = all[0]
		}
	}
	return nil
}
