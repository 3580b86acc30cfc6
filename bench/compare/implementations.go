package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// The sets of vector instructions that the native engine knows.
const (
	avx512 = "AVX-512"
	avx2   = "AVX2"
)

// Names of implementations that targets are about.
const (
	interpreter  = "lockstep interp"
	nativeAVX512 = "lockstep " + avx512
	nativeAVX2   = "lockstep " + avx2
	pocl         = "PoCL"
	oclgrind     = "Oclgrind"
	handwritten  = "C " + avx512
)

// Implementation is what kernels ran on.
type Implementation struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Device  string `json:"device,omitempty"`
}

// lockstep says whether it is one of lockstep's engines.
func (i Implementation) lockstep() bool {
	return i.Name == interpreter || i.native()
}

// native says whether it is the native engine.
func (i Implementation) native() bool { return i.Name == nativeAVX512 || i.Name == nativeAVX2 }

// slow says whether it gets the small launches.
func (i Implementation) slow() bool { return i.Name == oclgrind }

// find starts a worker for each of lockstep's engines, the fastest first, and
// for everything else that the machine has.
func (c *comparison) find(ctx context.Context, grind string) error {
	if err := c.engines(ctx); err != nil {
		return err
	}
	libraries := []string{""}
	if grind == "" {
		grind = findOclgrind()
	}
	if grind != "" {
		libraries = append(libraries, grind)
	}
	others := false
	for _, library := range libraries {
		platforms, err := c.list(ctx, library)
		if err != nil {
			fmt.Fprintln(os.Stderr, "compare:", err)
			continue
		}
		for i, p := range platforms {
			known := func(other Implementation) bool { return other.Name == shortName(p.Name) }
			if p.Device == "" || slices.ContainsFunc(c.implementations, known) {
				continue
			}
			impl := Implementation{Name: shortName(p.Name), Version: p.Version, Device: p.Device}
			if err := c.add(ctx, impl, workerKind{library: library, index: i}); err != nil {
				return err
			}
			others = true
			if !c.leftOut(impl.Name) {
				c.platforms[impl.Name] = workerKind{library: library, index: i}
			}
		}
	}
	if !others {
		c.note("no OpenCL implementation found; on Debian, apt-get install oclgrind pocl-opencl-icd")
	}
	return c.yardstick(ctx)
}

// engines adds those of lockstep.
func (c *comparison) engines(ctx context.Context) error {
	for _, e := range []struct{ name, value string }{{nativeAVX512, ""}, {nativeAVX2, "avx2"}} {
		kind := workerKind{name: e.name, index: lockstepIndex, engine: "native"}
		if e.value != "" {
			kind.env = []string{"LOCKSTEP_CPU=" + e.value}
		}
		p, err := startWorker(ctx, kind, c.timeout)
		if err != nil {
			return err
		}
		a, err := p.ask(request{Op: opEngine})
		name := "lockstep " + a.Vectors
		known := func(other Implementation) bool { return other.Name == name }
		if err != nil {
			c.note(err.Error())
		}
		if err != nil || slices.ContainsFunc(c.implementations, known) || c.leftOut(name) {
			if err := p.close(); err != nil {
				return err
			}
			break
		}
		p.name = name
		c.implementations, c.processes = append(c.implementations, Implementation{Name: name}), append(c.processes, p)
	}
	return c.add(ctx, Implementation{Name: interpreter}, workerKind{index: lockstepIndex, engine: "interp"})
}

// shortName is the name that a platform goes by.
func shortName(platform string) string {
	if platform == "Portable Computing Language" {
		return pocl
	}
	return platform
}

// add starts the worker of an implementation, unless it is left out.
func (c *comparison) add(ctx context.Context, impl Implementation, kind workerKind) error {
	if c.leftOut(impl.Name) {
		return nil
	}
	kind.name = impl.Name
	p, err := startWorker(ctx, kind, c.timeout)
	if err != nil {
		return err
	}
	c.implementations = append(c.implementations, impl)
	c.processes = append(c.processes, p)
	return nil
}

// leftOut says whether an implementation is not wanted.
func (c *comparison) leftOut(name string) bool {
	return c.without != nil && c.without.MatchString(name)
}

// note says on standard error, and in the report, what is not measured and why.
func (c *comparison) note(text string) {
	fmt.Fprintln(os.Stderr, "compare:", text)
	c.notes = append(c.notes, text)
}

// list asks a worker of its own which platforms a library has.
func (c *comparison) list(ctx context.Context, library string) ([]platform, error) {
	name := filepath.Base(library)
	if library == "" {
		name = "the system's OpenCL library"
	}
	p, err := startWorker(ctx, workerKind{name: name, library: library}, c.timeout)
	if err != nil {
		return nil, err
	}
	a, err := p.ask(request{Op: opList})
	return a.Platforms, errors.Join(err, p.close())
}

// findOclgrind gives the library that belongs to the command oclgrind, or "".
func findOclgrind() string {
	command, err := exec.LookPath("oclgrind")
	if err != nil {
		return ""
	}
	if command, err = filepath.EvalSymlinks(command); err != nil {
		return ""
	}
	prefix := filepath.Dir(filepath.Dir(command))
	for _, name := range []string{"lib/oclgrind/liboclgrind-rt.so", "lib/liboclgrind-rt.so", "lib/liboclgrind-rt.dylib"} {
		file := filepath.Join(prefix, filepath.FromSlash(name))
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	return ""
}
