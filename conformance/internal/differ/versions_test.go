package differ_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

var withVal = flag.Bool("spirv-val", false, "have spirv-val judge the modules of all versions, too, which takes a minute")

// needed is what a source says that needs a later version than it is compiled to.
var needed = regexp.MustCompile(`error: this needs SPIR-V (1\.\d) \(capability \w+\)`)

// TestVersions compiles every source of the repository to every version of SPIR-V, with debug information and
// without. The modules are valid at level Strict, or the source needs a later version and is refused with
// that reason.
func TestVersions(t *testing.T) {
	refused := map[string]bool{}
	for _, path := range sources(t) {
		for minor := range spirv.Version(7) {
			for _, debug := range []bool{false, true} {
				if debug && minor > 0 && minor < 6 && !*withVal {
					continue // debug information does not depend on the version
				}
				v := spirv.Version10 + minor<<8
				name := fmt.Sprintf("%s at %v, debug %v", strings.TrimPrefix(path, root+"/"), v, debug)
				m, err := compileTo(path, clc.Options{SPIRV: v, Debug: debug})
				if err != nil {
					if n := needed.FindStringSubmatch(err.Error()); n == nil || n[1] <= v.String() {
						t.Errorf("%s: %v", name, err)
					}
					refused[fmt.Sprintf("%v %s", v, filepath.Base(path))] = true
					continue
				}
				if m.Version != v {
					t.Errorf("%s: version %v", name, m.Version)
				}
				if errs := validate.Validate(m, validate.Options{Strict: true}); len(errs) > 0 {
					t.Errorf("%s: %v", name, errs.Err())
				}
				if text := judgeVersion(t, m, minor); text != "" {
					t.Errorf("%s: spirv-val: %s", name, text)
				}
			}
		}
	}
	for _, want := range []string{"1.0 subgroups.cl", "1.2 subgroups.cl", "1.2 groupcosts.cl"} {
		if !refused[want] {
			t.Errorf("%s is not refused", want)
		}
	}
	if refused["1.3 subgroups.cl"] {
		t.Error("subgroups.cl does not compile to 1.3")
	}
}

func compileTo(path string, o clc.Options) (*spirv.Module, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	o.Open = func(name string) (string, bool) {
		text, err := os.ReadFile(name)
		return string(text), err == nil
	}
	res, err := clc.Compile(context.Background(), clc.Source{Name: path, Text: string(text)}, o)
	if err != nil {
		return nil, err
	}
	return res.Module, nil
}

// excused are complaints of spirv-val (2023.1) about debug information that the specification of
// OpenCL.DebugInfo.100 does not share. clang's modules get them as well.
var excused = []string{
	// "Base Type is the <id> of the debugging instruction that describes the pointee type" (4.8), which may
	// be any.
	"DebugTypePointer: expected operand Base Type must be a result id of DebugTypeBasic",
	"DebugTypeQualifier: expected operand Base Type must be a result id of DebugTypeBasic",
	// Component Count is any number (4.8); OpenCL has vectors of 8 and 16.
	"DebugTypeVector: Component Count must be positive integer less than or equal to 4",
	// It reads the lower half of a count of 64 bits alone, which is 0 for 2^32.
	"DebugTypeArray %21 %ulong_4294967296",
	// A member names the structure that it belongs to, and the structure its members (4.8).
	"DebugTypeMember",
}

// judgeVersion has spirv-val judge a module, if it is asked for. It returns its complaint, if any.
func judgeVersion(t *testing.T, m *spirv.Module, minor spirv.Version) string {
	if !*withVal {
		return ""
	}
	for _, env := range map[spirv.Version][]string{0: {"spv1.0", "opencl2.1"}, 2: {"spv1.2", "opencl2.2"}}[minor] {
		if text := runVal(t, m, env); text != "" {
			return env + ": " + text
		}
	}
	return runVal(t, m, fmt.Sprintf("spv1.%d", minor))
}

func runVal(t *testing.T, m *spirv.Module, env string) string {
	c := exec.Command("spirv-val", "--target-env", env)
	c.Stdin = bytes.NewReader(m.Encode())
	text, err := c.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if err == nil {
		return ""
	}
	for _, e := range excused {
		if strings.Contains(string(text), e) {
			return ""
		}
	}
	return string(text)
}
