package clc_test

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/builtin"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

// TestBuiltinVersions compiles kernels that call built-in functions to every version of SPIR-V: the modules
// are valid, and functions that need a later version are refused with that reason. With -builtins, spirv-val
// judges the modules, too, which takes a minute.
func TestBuiltinVersions(t *testing.T) {
	ty := types.NewTable(types.Config{AddressBits: 64})
	opts := lang.Default()
	tab := builtin.NewTable(ty, &opts)
	early := regexp.MustCompile(`error: this needs SPIR-V 1\.[1-3] \(capability \w+\), and a module of version 1\.0 is asked for$`)
	var all, first strings.Builder
	refused := map[string]bool{}
	seen := map[string]bool{}
	for _, name := range builtin.Names() {
		for _, s := range tab.Overloads(name) {
			shape := shapeOf(s)
			if seen[shape] {
				continue
			}
			k, ok := write(ty, s, len(seen))
			if !ok {
				continue
			}
			seen[shape] = true
			all.WriteString(k.text)
			_, err := clc.Compile(context.Background(), clc.Source{Name: "k.cl", Text: extensions + k.text},
				clc.Options{SPIRV: spirv.Version10})
			switch {
			case err == nil:
				first.WriteString(k.text)
			case early.MatchString(err.Error()):
				refused[s.Name] = true
			default:
				t.Errorf("%v: %v", s, err)
			}
		}
	}
	for _, name := range []string{"sub_group_shuffle", "sub_group_ballot", "sub_group_non_uniform_broadcast"} {
		if !refused[name] {
			t.Errorf("%s is not refused at SPIR-V 1.0", name)
		}
	}
	for _, name := range []string{"sub_group_broadcast", "popcount", "cos", "atomic_fetch_add", "work_group_reduce_add"} {
		if refused[name] {
			t.Errorf("%s is refused at SPIR-V 1.0", name)
		}
	}
	for minor := range spirv.Version(7) {
		text := all.String()
		if minor < 3 {
			text = first.String()
		}
		res, err := clc.Compile(context.Background(), clc.Source{Name: "k.cl", Text: extensions + text},
			clc.Options{SPIRV: spirv.Version10 + minor<<8})
		if err != nil {
			t.Fatal(err)
		}
		if errs := validate.Validate(res.Module, validate.Options{Strict: true}); len(errs) > 0 {
			t.Errorf("SPIR-V 1.%d: %v", minor, errs.Err())
		}
		if _, err := exec.LookPath("spirv-val"); err == nil && *allBuiltins {
			c := exec.Command("spirv-val", "--target-env", fmt.Sprintf("spv1.%d", minor))
			c.Stdin = bytes.NewReader(res.Module.Encode())
			if text, err := c.CombinedOutput(); err != nil {
				t.Errorf("SPIR-V 1.%d: spirv-val: %s", minor, text)
			}
		}
	}
}

// TestSPIRVVersion asks for versions.
func TestSPIRVVersion(t *testing.T) {
	for option, want := range map[string]string{
		"-spirv-version=1.0": "1.0", "-spirv-version=1.6": "1.6", "-w": "1.4",
		"-spirv-version=1.7": "option -spirv-version=1.7: versions are 1.0 to 1.6", "-spirv-version=2.0": "option -spirv-version=2.0: versions are 1.0 to 1.6",
		"-spirv-version=": "option -spirv-version=: versions are 1.0 to 1.6",
	} {
		var o clc.Options
		if err := o.Add([]string{option}); err != nil {
			if err.Error() != want {
				t.Errorf("%s: %v", option, err)
			}
			continue
		}
		res, err := clc.Compile(t.Context(), clc.Source{Name: "k.cl", Text: "kernel void k(global int *p) { *p = 1; }"}, o)
		if err != nil || res.Module.Version.String() != want {
			t.Errorf("%s: %v", option, err)
		}
	}
	_, err := clc.Compile(t.Context(), clc.Source{Name: "k.cl", Text: "int f(int x) { return x; }\n" +
		"kernel void k(global int *p) {\n  *p = f(1) +\n    sub_group_shuffle(*p, 1);\n}\n"}, clc.Options{SPIRV: 0x10200})
	if want := "k.cl:4:5: error: this needs SPIR-V 1.3 (capability GroupNonUniformShuffle), and a module of version 1.2 is asked for"; err == nil ||
		err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
