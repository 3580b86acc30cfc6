package link

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// The tests of this file compare with spirv-link and spirv-val of SPIRV-Tools. They are
// skipped where the tools are not installed; with LOCKSTEP_SPIRV_TOOLS=require in the
// environment they fail instead.

// tool returns the path of a program of SPIRV-Tools.
func tool(t *testing.T, name string) string {
	t.Helper()
	require := os.Getenv("LOCKSTEP_SPIRV_TOOLS") == "require"
	if testing.Short() && !require {
		t.Skip("runs other programs")
	}
	path, err := exec.LookPath(name)
	if err != nil {
		if require {
			t.Fatal(err)
		}
		t.Skip(name + " is not installed")
	}
	return path
}

// valid has spirv-val judge a module.
func valid(t *testing.T, val string, m *spirv.Module) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.spv")
	if err := os.WriteFile(path, m.Encode(), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(val, path).CombinedOutput(); err != nil {
		t.Errorf("spirv-val: %v: %s\n%s", err, out, asm.Disassemble(m, asm.DisassembleOptions{}))
	}
}

// spirvLink runs spirv-link; nil is for modules that it refuses.
func spirvLink(t *testing.T, path string, inputs []Input, opt Options) (*spirv.Module, string) {
	t.Helper()
	dir := t.TempDir()
	out := filepath.Join(dir, "out.spv")
	args := []string{"-o", out}
	if opt.Library {
		args = append(args, "--create-library")
	}
	if opt.Library || opt.Partial {
		args = append(args, "--allow-partial-linkage")
	}
	for i, in := range inputs {
		file := filepath.Join(dir, string(rune('a'+i)))
		if err := os.WriteFile(file, in.Module.Encode(), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	if text, err := exec.Command(path, args...).CombinedOutput(); err != nil {
		return nil, string(text)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	m, err := spirv.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return m, ""
}

var (
	numbered = regexp.MustCompile(`%\d+\b`)
	suffixed = regexp.MustCompile(`(%\w+?)_\d+\b`)
)

// lines are the instructions of a module, sorted, without the numbers of ids, names and
// what tells of its making. A link of the module alone makes one of what is the same. spirv-link
// takes the capability Linkage from modules without entry points, too, which then
// are not valid: it does not count there.
func lines(t *testing.T, m *spirv.Module) []string {
	t.Helper()
	m, err := Link([]Input{{Module: m}}, Options{Library: true})
	if err != nil {
		t.Fatal(err)
	}
	text := asm.Disassemble(m, asm.DisassembleOptions{NoHeader: true, NoIndent: true})
	var list []string
	entries := strings.Contains(text, "OpEntryPoint ")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "OpCapability Linkage" && !entries {
			continue
		}
		if op := strings.Fields(line)[0]; op == "OpName" || op == "OpMemberName" || op == "OpModuleProcessed" || op == "OpSource" {
			continue
		}
		list = append(list, suffixed.ReplaceAllString(numbered.ReplaceAllString(line, "%N"), "$1"))
	}
	slices.Sort(list)
	return list
}

// TestToolsLink holds that spirv-link accepts and refuses the same modules, and makes
// the same of them; where it does not, the case says why, and that has to be true.
func TestToolsLink(t *testing.T) {
	path := tool(t, "spirv-link")
	val := tool(t, "spirv-val")
	for _, c := range linkCases {
		t.Run(c.name, func(t *testing.T) {
			m, err := Link(c.inputs(t), c.opt)
			if err == nil && !c.invalid {
				valid(t, val, m)
			}
			other, refused := spirvLink(t, path, c.inputs(t), c.opt)
			diff := ""
			switch {
			case (m == nil) != (other == nil):
				diff = "error here: " + errorText(err) + "\nerror of spirv-link: " + refused
			case m != nil:
				diff = cmp.Diff(lines(t, other), lines(t, m))
			}
			if (diff == "") != (c.differs == "") {
				t.Errorf("the case says %q; (-spirv-link +lockstep)\n%s", c.differs, diff)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return "none"
	}
	return err.Error()
}

// TestToolsReal has spirv-val judge links of modules that a compiler made, apart from
// the debug information, in which it does not know what the compiler writes. With
// optimization the compiler orders blocks in a way that it does not take.
func TestToolsReal(t *testing.T) {
	val := tool(t, "spirv-val")
	for _, opt := range []Options{{}, {Library: true}} {
		for _, names := range [][]string{{"kernel.O0", "library.O0"}, {"library.O0", "kernel.O0"}} {
			var inputs []Input
			for _, name := range names {
				data, err := os.ReadFile("../../emu/testdata/link/" + name + ".spv")
				if err != nil {
					t.Fatal(err)
				}
				m, err := spirv.Decode(data)
				if err != nil {
					t.Fatal(err)
				}
				p := spirv.NewParser(m)
				m.Insts = slices.DeleteFunc(m.Insts, func(in spirv.Inst) bool {
					if in.Op() != spirv.OpExtInst {
						return false
					}
					set, ok := p.Set(spirv.ID(in.Operand(0)))
					return ok && strings.Contains(set.Name, "DebugInfo")
				})
				inputs = append(inputs, Input{name, m})
			}
			m, err := Link(inputs, opt)
			if err != nil {
				t.Fatal(err)
			}
			valid(t, val, m)
		}
	}
}
