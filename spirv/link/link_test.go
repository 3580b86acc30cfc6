package link

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// inputs assembles the modules of a case; they are called a.spv, b.spv and so on.
func (c *linkCase) inputs(t testing.TB) []Input {
	t.Helper()
	var list []Input
	for i, text := range c.modules {
		if !c.alone {
			text = header + text
		}
		list = append(list, Input{fmt.Sprintf("%c.spv", 'a'+i), assembled(t, text)})
		if i == 0 && c.version != 0 {
			list[0].Module.Version = c.version
		}
	}
	return list
}

func assembled(t testing.TB, text string) *spirv.Module {
	t.Helper()
	data, err := asm.Assemble(text, asm.Options{Version: spirv.Version10})
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	m, err := spirv.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestCases(t *testing.T) {
	for _, c := range linkCases {
		t.Run(c.name, func(t *testing.T) {
			inputs := c.inputs(t)
			var before [][]byte
			for _, in := range inputs {
				before = append(before, in.Module.Encode())
			}
			m, err := Link(inputs, c.opt)
			var got string
			if err != nil {
				got = err.Error() + "\n"
				var errs Errors
				if m != nil || !errors.As(err, &errs) || len(errs) == 0 {
					t.Errorf("module %v with error %#v", m, err)
				}
				for _, e := range errs {
					if e.Kind == nil {
						t.Errorf("%v has no kind", e)
					}
				}
			} else {
				got = asm.Disassemble(m, asm.DisassembleOptions{})
				checkResult(t, m, c.invalid)
			}
			for i, in := range inputs {
				if !bytes.Equal(before[i], in.Module.Encode()) {
					t.Errorf("module %d was changed", i)
				}
			}
			path := filepath.Join("testdata", c.name+".txt")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
			if again, err := Link(c.inputs(t), c.opt); (err == nil) != (m != nil) || m != nil && !bytes.Equal(again.Encode(), m.Encode()) {
				t.Error("another result at the second time")
			}
		})
	}
}

// checkResult holds that a result can be decoded, and obeys the rules unless its
// inputs do not.
func checkResult(t testing.TB, m *spirv.Module, invalid bool) {
	t.Helper()
	decoded, err := spirv.Decode(m.Encode())
	if err != nil {
		t.Fatal(err)
	}
	for i := range decoded.Insts {
		if decoded.Insts[i].Offset != m.Insts[i].Offset {
			t.Fatalf("instruction %d is at word %d and says %d", i, decoded.Insts[i].Offset, m.Insts[i].Offset)
		}
	}
	if invalid {
		return
	}
	if err := validate.Validate(decoded, validate.Options{Strict: true}).Err(); err != nil {
		t.Errorf("the result breaks rules: %v\n%s", err, asm.Disassemble(decoded, asm.DisassembleOptions{}))
	}
}

// TestKinds holds what callers tell errors apart by.
func TestKinds(t *testing.T) {
	want := map[string]error{
		"unresolved": ErrUnresolved, "duplicate-export": ErrDuplicate, "duplicate-entry-point": ErrDuplicate, "function-type": ErrMismatch,
		"memory-model": ErrModel, "no-end": ErrMalformed, "variable-circle": ErrMalformed,
	}
	for _, c := range linkCases {
		kind := want[c.name]
		if kind == nil {
			continue
		}
		delete(want, c.name)
		_, err := Link(c.inputs(t), c.opt)
		var e *Error
		if !errors.Is(err, kind) || !errors.As(err, &e) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if len(want) > 0 {
		t.Errorf("no cases for %v", want)
	}
	for _, inputs := range [][]Input{nil, {{Name: "a"}}} {
		if _, err := Link(inputs, Options{}); !errors.Is(err, ErrMalformed) {
			t.Errorf("%v: %v", inputs, err)
		}
	}
}

// TestNames: modules of one name have their number too, so that an error tells them apart.
func TestNames(t *testing.T) {
	twice := linkCase{modules: []string{`OpEntryPoint Kernel %k "k"
%void = OpTypeVoid
%t = OpTypeFunction %void
%k = OpFunction %void None %t
%l = OpLabel
OpReturn
OpFunctionEnd
`}}
	m := twice.inputs(t)[0].Module
	_, err := Link([]Input{{"program.cl", m}, {"", m}, {"other.cl", m}, {"program.cl", m}}, Options{})
	if err == nil {
		t.Fatal("a kernel that is there four times is linked")
	}
	for _, name := range []string{"program.cl (module 1)", "module 2", "other.cl:", "program.cl (module 4)"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("the error does not name %q:\n%v", name, err)
		}
	}
}
