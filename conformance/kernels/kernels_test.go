package kernels_test

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// parseArgs reads the SPECs of a launch; data holds the contents of each argument.
func parseArgs(t *testing.T, l kernels.Launch) (args []*argspec.Arg, data [][]byte) {
	t.Helper()
	for i, spec := range l.Args {
		a, err := argspec.Parse(spec, nil)
		if err != nil {
			t.Fatalf("argument %d: %v", i, err)
		}
		args = append(args, a)
		data = append(data, slices.Clone(a.Data))
	}
	return args, data
}

// parseSet reads the SPECs of all launches of a set; args is nil for a pipe.
func parseSet(t *testing.T, s *kernels.Set) (args [][]*argspec.Arg, data [][][]byte) {
	t.Helper()
	for _, l := range s.Launches {
		args, data = append(args, make([]*argspec.Arg, len(l.Launch.Args))), append(data, make([][]byte, len(l.Launch.Args)))
		for i, spec := range l.Launch.Args {
			if name, ok := strings.CutPrefix(spec, "pipe:"); ok {
				if !slices.ContainsFunc(s.Pipes, func(p kernels.Pipe) bool { return p.Name == name }) {
					t.Fatalf("%s: no pipe %s", s.Name, name)
				}
				continue
			}
			a, err := argspec.Parse(spec, nil)
			if err != nil {
				t.Fatalf("%s: %s: argument %d: %v", s.Name, l.Entry, i, err)
			}
			args[len(args)-1][i], data[len(args)-1][i] = a, slices.Clone(a.Data)
		}
	}
	return args, data
}

// TestSets checks the sets as the tests below do kernels: references, names, modules.
func TestSets(t *testing.T) {
	names := map[string]bool{}
	for _, s := range kernels.Sets() {
		if names[s.Name] || kernels.Find(s.Name) != nil {
			t.Errorf("two are called %s", s.Name)
		}
		names[s.Name] = true
		args, data := parseSet(t, s)
		if err := s.Reference(data); err != nil {
			t.Fatal(err)
		}
		for i, l := range s.Launches {
			for j, a := range args[i] {
				output := slices.Contains(l.Outputs, j)
				if changed := a != nil && !bytes.Equal(data[i][j], a.Data); changed != output {
					t.Errorf("%s, launch %d, argument %d: changed %v, listed as an output %v", s.Name, i, j, changed, output)
				}
			}
		}
		if err := s.Reference(nil); err == nil || !strings.Contains(err.Error(), s.Name) {
			t.Errorf("%s: without arguments: %v", s.Name, err)
		}
		binaries, err := s.Binaries()
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range binaries {
			for _, l := range s.Launches {
				if params, ok := entryOf(t, b.Code, l.Entry); !ok || params != len(l.Launch.Args) {
					t.Errorf("%s: entry point %s: found %v with %d parameters, want %d", b.File, l.Entry, ok, params, len(l.Launch.Args))
				}
			}
		}
		if len(binaries) != 2 || s.Source() == "" || s.About == "" {
			t.Errorf("%s: %d modules, a source of %d bytes", s.Name, len(binaries), len(s.Source()))
		}
	}
	if len(names) < 6 {
		t.Errorf("%d sets", len(names))
	}
}

// TestReferences runs every reference: it must change the outputs, all of them
// and nothing else, and do the same again.
func TestReferences(t *testing.T) {
	for _, k := range kernels.All() {
		t.Run(k.Name, func(t *testing.T) {
			args, data := parseArgs(t, k.Launch)
			if err := k.Reference(k.Launch, data); err != nil {
				t.Fatal(err)
			}
			_, again := parseArgs(t, k.Launch)
			if err := k.Reference(k.Launch, again); err != nil {
				t.Fatal(err)
			}
			for i, a := range args {
				if !bytes.Equal(data[i], again[i]) {
					t.Errorf("argument %d: two runs differ", i)
				}
				output := slices.Contains(k.Outputs, i)
				if changed := !bytes.Equal(data[i], a.Data); changed != output {
					t.Errorf("argument %d: changed %v, listed as an output %v", i, changed, output)
				}
				if output && a.Kind != argspec.Buffer {
					t.Errorf("argument %d is an output and a %v", i, a.Kind)
				}
			}
		})
	}
}

// TestReferenceRefuses shows that arguments which are too short end in an error.
func TestReferenceRefuses(t *testing.T) {
	k := kernels.Find("saxpy")
	err := k.Reference(k.Launch, [][]byte{{0, 0, 128, 63}, make([]byte, 8), make([]byte, 8)})
	if err == nil || !strings.Contains(err.Error(), "saxpy") {
		t.Errorf("error %v, want one that names the kernel", err)
	}
}

// TestLaunches checks sizes, names and the larger launches.
func TestLaunches(t *testing.T) {
	names := map[string]bool{}
	for _, k := range kernels.All() {
		if names[k.Name] {
			t.Errorf("two kernels are called %s", k.Name)
		}
		names[k.Name] = true
		if k.About == "" || !slices.IsSorted(k.Outputs) {
			t.Errorf("%s: no description, or outputs out of order", k.Name)
		}
		for _, l := range append([]kernels.Launch{k.Launch}, k.Bench...) {
			if len(l.Global) == 0 || len(l.Global) > 3 || len(l.Local) != len(l.Global) ||
				l.Offset != nil && len(l.Offset) != len(l.Global) || len(l.Args) != len(k.Launch.Args) {
				t.Errorf("%s: launch %+v is not consistent", k.Name, l)
			}
			if testing.Short() && l.Global[0] > 1<<12 {
				continue // large buffers
			}
			for i, spec := range l.Args {
				if _, err := argspec.Parse(spec, nil); err != nil {
					t.Errorf("%s: argument %d: %v", k.Name, i, err)
				}
			}
		}
		if k.Source() == "" {
			t.Errorf("%s: no source %s.cl", k.Name, k.Module)
		}
	}
	if len(names) < 24 {
		t.Errorf("%d kernels, want at least 24", len(names))
	}
	if kernels.Find("no such kernel") != nil {
		t.Error("Find found a kernel that does not exist")
	}
}

// entryOf finds an entry point by name and counts its parameters.
func entryOf(t *testing.T, code []byte, name string) (params int, ok bool) {
	t.Helper()
	m, err := spirv.Decode(code)
	if err != nil {
		t.Fatal(err)
	}
	info, err := spirv.Reflect(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range info.EntryPoints {
		if e.Name == name {
			return len(e.Args), true
		}
	}
	return 0, false
}

// TestBinaries checks that every module is SPIR-V of the stated addressing, has
// the entry point with the right number of parameters, and holds no path of the
// machine that made it.
func TestBinaries(t *testing.T) {
	absolute := regexp.MustCompile(`(^|[^A-Za-z0-9_./<])/[A-Za-z]+/`)
	for _, k := range kernels.All() {
		binaries, err := k.Binaries()
		if err != nil {
			t.Error(err)
			continue
		}
		if len(binaries) != 2 && len(binaries) != 4 {
			t.Errorf("%s: %d modules, want O0 and O2 for one or two addressings", k.Name, len(binaries))
		}
		for _, b := range binaries {
			if binary.LittleEndian.Uint32(b.Code) != 0x07230203 {
				t.Errorf("%s is not SPIR-V", b.File)
			}
			if params, ok := entryOf(t, b.Code, k.Entry); !ok || params != len(k.Launch.Args) {
				t.Errorf("%s: entry point %s: found %v with %d parameters, want %d", b.File, k.Entry, ok, params, len(k.Launch.Args))
			}
			if path := absolute.Find(b.Code); path != nil {
				t.Errorf("%s holds a path: %q", b.File, path)
			}
		}
	}
	if _, err := kernels.Find("saxpy").Binary("O9"); err == nil {
		t.Error("a variant that does not exist gave no error")
	}
}

// TestSourcesUsed shows that no source or module is left over, and that sources
// and modules belong together.
func TestSourcesUsed(t *testing.T) {
	used := map[string]bool{}
	for _, k := range kernels.All() {
		used["src/"+k.Module+".cl"] = true
		binaries, err := k.Binaries()
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range binaries {
			used["spv/"+b.File] = true
		}
		wide := strings.Contains(k.Source(), "\n// addressing: 32\n")
		if wide != (len(binaries) == 4) {
			t.Errorf("%s: the source asks for 32-bit addressing: %v, modules: %d", k.Module, wide, len(binaries))
		}
	}
	for _, s := range kernels.Sets() {
		used["src/"+s.Module+".cl"] = true
		binaries, err := s.Binaries()
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range binaries {
			used["spv/"+b.File] = true
		}
	}
	for _, dir := range []string{"src", "spv"} {
		files, err := fs.ReadDir(os.DirFS("."), dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if name := dir + "/" + f.Name(); !used[name] {
				t.Errorf("%s belongs to no kernel", name)
			}
		}
	}
}
