package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/internal/hostrun"
)

var launchedBy = regexp.MustCompile(`; launched by (.*)`)

// sites runs a program with flags of lockstep exec and returns the places of its launches. Distances and offsets are X.
func sites(t *testing.T, program string, flags ...string) []string {
	t.Helper()
	_, stderr, _ := lockstep(t, slices.Concat([]string{"exec"}, flags, []string{"--", program})...)
	var list []string
	for _, m := range launchedBy.FindAllStringSubmatch(stderr, -1) {
		list = append(list, regexp.MustCompile(`\+0x[0-9a-f]+`).ReplaceAllString(m[1], "+X"))
	}
	if len(list) == 0 {
		t.Error(stderr)
	}
	return list
}

func cc(t *testing.T, compiler string, args ...string) {
	t.Helper()
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", compiler, strings.Join(args, " "), err, out)
	}
}

// TestCallSites: findings name the line of the host's call with debug information, and the function or the file without.
func TestCallSites(t *testing.T) {
	need(t)
	if _, err := os.Stat("/proc/self/maps"); err != nil {
		t.Skip("no /proc/self/maps")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "site")
	full := []string{
		"clEnqueueNDRangeKernel at testdata/site.c:16 in run_step", "clEnqueueNDRangeKernel at testdata/site.c:23 in inlined",
		"clEnqueueTask at testdata/site.c:54 in main", "clCommandNDRangeKernelKHR at testdata/site.c:66 in main",
	}
	names := []string{
		"clEnqueueNDRangeKernel in run_step+X (site)", "clEnqueueNDRangeKernel in main+X (site)", "clEnqueueTask in main+X (site)",
		"clCommandNDRangeKernelKHR in main+X (site)",
	}
	for _, c := range []struct {
		name  string
		flags []string
		want  []string
	}{
		{"no optimization", []string{"-g", "-O0"}, full},
		{"optimized", []string{"-g", "-O2"}, full},
		{"DWARF 4", []string{"-gdwarf-4", "-O2"}, full},
		{"no PIE", []string{"-g", "-O1", "-no-pie"}, full},
		{"compressed", []string{"-g", "-gz", "-O1"}, full},
		{"no debug information", []string{"-O2"}, names},
		{"no symbols", []string{"-O2", "-s"}, []string{
			"clEnqueueNDRangeKernel in site+X", "clEnqueueNDRangeKernel in site+X", "clEnqueueTask in site+X", "clCommandNDRangeKernelKHR in site+X"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cc(t, "cc", append(c.flags, "-w", "-o", program, "testdata/site.c", built.library)...)
			for _, flags := range [][]string{nil, {"-check"}} {
				if got := sites(t, program, flags...); !slices.Equal(got, c.want) {
					t.Errorf("%q: launches are by\n%s\nwant\n%s", flags, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
				}
			}
		})
	}
	t.Run("library", func(t *testing.T) {
		// Through the loader, and with the debug information in a file of its own.
		if _, err := exec.LookPath("objcopy"); err != nil {
			missing(t, "no objcopy")
		}
		library := filepath.Join(dir, "libstep.so")
		cc(t, "cc", "-g", "-O2", "-fPIC", "-shared", "-DLIBRARY", "-o", library, "testdata/site.c", "-lOpenCL")
		cc(t, "objcopy", "--only-keep-debug", library, library+".debug")
		cc(t, "strip", library)
		cc(t, "cc", "-O1", "-w", "-DPROGRAM", "-o", program, "testdata/site.c", library, "-lOpenCL", "-Wl,-rpath,"+dir)
		if got, want := sites(t, program)[0], "clEnqueueNDRangeKernel in run_step+X (libstep.so)"; got != want {
			t.Errorf("without its debug file: %s", got)
		}
		cc(t, "objcopy", "--add-gnu-debuglink="+library+".debug", library)
		if got := sites(t, program)[0]; got != full[0] {
			t.Errorf("with its debug file: %s", got)
		}
	})
}

// TestCallSitesOfWrappers: launches through C++'s header are those of the program's function that calls it.
func TestCallSitesOfWrappers(t *testing.T) {
	need(t, "c++")
	program := filepath.Join(t.TempDir(), "site")
	for _, c := range []struct{ flags, want string }{
		{"-g -O0", "clEnqueueNDRangeKernel at testdata/site.cpp:12 in app::Solver::step"},
		{"-g -O2", "clEnqueueNDRangeKernel at testdata/site.cpp:12 in app::Solver::step"},
		{"-O0", "clEnqueueNDRangeKernel in _ZN3app6Solver4stepEm+X (site)"},
		{"-O2", "clEnqueueNDRangeKernel in _ZN3app6Solver4stepEm+X (site)"},
	} {
		args := append(strings.Fields(c.flags), "-w", "-o", program, "testdata/site.cpp", "-lOpenCL")
		if out, err := exec.Command("c++", args...).CombinedOutput(); err != nil {
			if strings.Contains(string(out), "opencl.hpp") {
				missing(t, "no opencl.hpp")
			}
			t.Fatalf("%v\n%s", err, out)
		}
		if got := sites(t, program); !slices.Equal(got, []string{c.want, c.want}) {
			t.Errorf("%s: launches are by %q, want %q", c.flags, got, c.want)
		}
	}
}

// TestCallSitesJSON: documents and records have the place of the call.
func TestCallSitesJSON(t *testing.T) {
	need(t)
	if _, err := os.Stat("/proc/self/maps"); err != nil {
		t.Skip("no /proc/self/maps")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "site")
	cc(t, "cc", "-g", "-w", "-o", program, "testdata/site.c", built.library)
	_, stderr, _ := lockstep(t, "exec", "-json", "-record", filepath.Join(dir, "r"), "--", program)
	var d hostrun.Document
	if err := json.NewDecoder(strings.NewReader(stderr)).Decode(&d); err != nil || d.Host == nil {
		t.Fatal(err, stderr)
	}
	source, err := filepath.Abs("testdata/site.c")
	if err != nil {
		t.Fatal(err)
	}
	offset := d.Host.Offset
	if want := (hostrun.Call{API: "clEnqueueNDRangeKernel", Function: "run_step", File: source, Line: 16, Module: program, Offset: offset}); *d.Host != want || offset == 0 {
		t.Errorf("host is %+v", d.Host)
	}
	text, err := os.ReadFile(filepath.Join(dir, "r", "1"))
	if want := "# launched by clEnqueueNDRangeKernel at testdata/site.c:16 in run_step\n"; err != nil || !strings.Contains(string(text), want) {
		t.Errorf("%v, no %q in:\n%s", err, want, text)
	}
}
