package clc_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/bench"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// TestOptions reads options as clBuildProgram takes them.
func TestOptions(t *testing.T) {
	var o clc.Options
	words, err := clc.SplitOptions(`-D N=64 -DTEXT="a b" -U M -Iinc -I 'my headers' -cl-std=CL1.2 -cl-mad-enable -Wall -W -w -g -O2 -cl-ext=-cl_khr_fp64,+cl_khr_fp16 -create-library`)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Add(words); err != nil {
		t.Fatal(err)
	}
	switch {
	case !slices.Equal(o.Definitions, []string{"N=64", "TEXT=a b", "-M"}), !slices.Equal(o.Include, []string{"inc", "my headers"}),
		o.Version != clc.CL12, !o.MadEnable, !slices.Equal(o.Warnings, []string{"all", ""}), !o.NoWarnings, !o.Debug,
		!o.Without["cl_khr_fp64"], o.Without["cl_khr_fp16"]:
		t.Errorf("%+v", o)
	}
	for text, want := range map[string]string{
		"-D":                   "option -D: its value is missing",
		"-cl-std=CL9":          "option -cl-std=CL9: versions are CL1.0, CL1.1, CL1.2, CL2.0 and CL3.0",
		"-cl-mad-enabel":       "option -cl-mad-enabel: unknown to the compiler of OpenCL C; did you mean -cl-mad-enable?",
		"-frobnicate":          "option -frobnicate: unknown to the compiler of OpenCL C",
		"-cl-ext=cl_khr_fp64":  "option -cl-ext=cl_khr_fp64: extensions have + or - before their names",
		"k.cl":                 "option k.cl: unknown to the compiler of OpenCL C",
		`-D "N=1`:              `option -D "N=1: a quotation mark is not closed`,
		"-cl-std=CL2.0 -cl-st": "option -cl-st: unknown to the compiler of OpenCL C; did you mean -cl-std?",
	} {
		var o clc.Options
		words, err := clc.SplitOptions(text)
		if err == nil {
			err = o.Add(words)
		}
		var wrong *clc.OptionError
		if !errors.As(err, &wrong) || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestOptionsAreKnown has that every option of the list is one.
func TestOptionsAreKnown(t *testing.T) {
	for _, o := range clc.AllOptions() {
		for _, word := range strings.Fields(o.Name) {
			word = strings.NewReplacer("[=TEXT]", "=1", "NAME", "unused").Replace(word)
			if !strings.HasPrefix(word, "-") {
				continue
			}
			is, takesValue := clc.IsOption(word)
			if takesValue {
				continue
			}
			if err := new(clc.Options).Add([]string{word}); !is || err != nil {
				t.Errorf("%s: %v, %v", word, is, err)
			}
		}
		if o.Help == "" {
			t.Errorf("%s is not explained", o.Name)
		}
	}
}

// TestWithout has programs for devices that lack an extension.
func TestWithout(t *testing.T) {
	for _, c := range []struct{ without, text, want string }{
		{"cl_khr_fp64", "kernel void f(global double *x) {}", "the type 'double' needs cl_khr_fp64"},
		{"cl_khr_fp64", "kernel void f(global double2 *x) {}", "unknown type name 'double2'"},
		{"cl_khr_fp64", "#ifdef cl_khr_fp64\n#error there\n#endif\n#ifdef __opencl_c_fp64\n#error too\n#endif\n", ""},
		{"cl_khr_fp64", "kernel void f(global float *x) { x[0] = 1.0 / x[1]; }", ""},
		{"cl_khr_fp16", "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nkernel void f(global half *x) { half y = *x; }", "'half'"},
		{"", "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nkernel void f(global half *x, global double *z) { half y = *x; *z = y; }", ""},
	} {
		_, err := clc.Compile(t.Context(), clc.Source{Name: "k.cl", Text: c.text}, clc.Options{Without: map[string]bool{c.without: true}})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("without %s: %s: %v", c.without, c.text, err)
		}
	}
}

// TestUnknownWarning has that a misspelt warning is a warning itself.
func TestUnknownWarning(t *testing.T) {
	src := clc.Source{Name: "k.cl", Text: "kernel void f(void) {}\n"}
	res, err := clc.Compile(t.Context(), src, clc.Options{Warnings: []string{"shdow", "frobnicate"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := res.Log.Text(false), "warning: unknown warning option '-Wshdow'; did you mean '-Wshadow'? [-Wunknown-warning-option]\n"+
		"warning: unknown warning option '-Wfrobnicate' [-Wunknown-warning-option]\n2 warnings generated.\n"; got != want {
		t.Errorf("%s", got)
	}
	if _, err := clc.Compile(t.Context(), src, clc.Options{Warnings: []string{"error", "shdow"}}); err == nil {
		t.Error("-Werror accepts it")
	}
}

// TestFunctions holds the list of built-in functions to what help texts need.
func TestFunctions(t *testing.T) {
	for _, f := range clc.Functions() {
		if f.Group == "" || f.Title == "" || f.Help == "" || f.Section == "" && f.Extension == "" {
			t.Errorf("%+v", f)
		}
		name := f.Names()[0]
		any := f.Refused != "" || f.Pattern != ""
		for _, v := range []clc.Version{clc.CL10, clc.CL12, clc.CL20, clc.CL30} {
			any = any || len(clc.Overloads(name, v)) > 0
		}
		if !any {
			t.Errorf("%s has no overloads", name)
		}
		if len(clc.FunctionsOf(name)) == 0 {
			t.Errorf("%s is not found by its name", name)
		}
	}
	if got := clc.Overloads("mul24", clc.CL10); len(got) != 12 || got[0] != "int mul24(int, int)" {
		t.Errorf("mul24: %q", got)
	}
	if got := clc.Overloads("get_global_linear_id", clc.CL12); got != nil {
		t.Errorf("get_global_linear_id is in OpenCL C 1.2: %q", got)
	}
	if got := clc.NearestFunction("get_gloabl_id"); got != "get_global_id" {
		t.Errorf("nearest to get_gloabl_id: %q", got)
	}
	if got := clc.FunctionsOf("nothing"); got != nil {
		t.Errorf("nothing: %v", got)
	}
}

// TestCodeBytes compares the bytes that Code writes with those of the module.
func TestCodeBytes(t *testing.T) {
	text, err := bench.OrdinarySource(6000)
	if err != nil {
		t.Fatal(err)
	}
	src := clc.Source{Name: "k.cl", Text: text}
	res, err := clc.Compile(t.Context(), src, clc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	code, err := clc.CompileCode(t.Context(), src, clc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	n, err := code.WriteTo(&b)
	want := res.Module.Encode()
	if err != nil || n != int64(len(want)) || code.Size() != len(want) || !bytes.Equal(b.Bytes(), want) {
		t.Errorf("%d bytes, error %v; the module has %d, Size says %d", n, err, len(want), code.Size())
	}
	if _, err := code.WriteTo(full{}); err != errFull {
		t.Errorf("a writer that fails: %v", err)
	}
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
