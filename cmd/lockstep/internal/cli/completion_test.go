package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
)

// candidates runs the hidden command for a line, whose last word is completed.
func candidates(t *testing.T, words ...string) []string {
	t.Helper()
	words[len(words)-1] = "=" + words[len(words)-1]
	w := &world{written: map[string][]byte{}}
	out, errs, status := w.run(context.Background(), append([]string{"__complete"}, words...), nil)
	if status != cmdline.ExitDone || errs != "" {
		t.Fatalf("%q: exit status %d, %s", words, status, errs)
	}
	var list []string
	for line := range strings.Lines(out) {
		word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		list = append(list, word)
	}
	return list
}

func TestComplete(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"r", "run"},
		{"co", "compile conformance completion"},
		{"frobnicate ", ""},
		{"run ", ":files"},
		{"run -ker", "-kernel"},
		{"run --ker", "--kernel"},
		{"run -sch", "-schedule"},
		{"run -schedule re", "reverse"},
		{"run -schedule=re", "-schedule=reverse"},
		{"run -color ", "auto always never"},
		{"run -check ", ":files"},
		{"run -arg z", "zero:f32:"},
		{"ex", "exec explore"},
		{"explore -sh", "-shard"},
		{"explore -resume x", ":files"},
		{"explore explore.cl -kernel rev", "reverse"},
		{"explore -subgroup 1", "1 16 128"},
		{"run -trace x", ":files"},
		{"run -sarif x", ":files"},
		{"run -report x", ":files"},
		{"run -picture t", "timeline="},
		{"grade 3", "3 3.1 3.2 3.3"},
		{"grade -start 12.", "12.1 12.2 12.3"},
		{"grade 3.1 ", ":files"},
		{"validate -sar", "-sarif"},
		{"run -timeout ", ""},
		{"run examples/saxpy/saxpy.cl -kernel ", "saxpy"},
		{"run kernels.spv -kernel re", "reverse"},
		{"run -check kernels.spv -global 8 -kernel=re", "-kernel=reverse"},
		{"run nowhere.spv -kernel ", ""},
		{"run examples/tutorial/01-work-items.cl -kernel ", "squares"},
		{"cc cl/wrong.cl -kernel ", ":files"},
		{"run cl/scale.cl -I cl/inc -kernel ", "scale"},
		{"run cl/scale.cl -kernel ", ""},
		{"run k.cl -cl-std", "-cl-std="},
		{"run k.cl -cl-std=CL1", "-cl-std=CL1.0 -cl-std=CL1.1 -cl-std=CL1.2"},
		{"cc -cl-f", "-cl-finite-math-only -cl-fast-relaxed-math -cl-fp32-correctly-rounded-divide-sqrt"},
		{"cc -Wshadow", "-Wshadow"},
		{"cc -Wno-unused-va", "-Wno-unused-value -Wno-unused-variable"},
		{"cc -front-end ", "lockstep clang"},
		{"help builtins clam", "clamp"},
		{"help builtins work-i", "work-item"},
		{"help warnings shad", "shadow"},
		{"help builtins clamp", "clamp"},
		{"run elf.o -kernel ", ""},
		{"help schedu", "schedules"},
		{"help E-OO", "E-OOB"},
		{"completion ", "bash fish powershell zsh"},
		{"validate -l", "-load"},
		{"version ", ":files"},
	} {
		if got := strings.Join(candidates(t, strings.Split(c.line, " ")...), " "); got != c.want {
			t.Errorf("%q: %q, want %q", c.line, got, c.want)
		}
	}
	if got := candidates(t, ""); len(got) != len(Commands()) {
		t.Errorf("commands %q", got)
	}
	w := &world{written: map[string][]byte{}}
	if _, _, status := w.run(context.Background(), []string{"__complete"}, nil); status != cmdline.ExitUsage {
		t.Errorf("without words: exit status %d", status)
	}
}

// TestShells completes command lines in the shells that are installed.
func TestShells(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	var found []string
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if _, err := exec.LookPath(shell); err == nil {
			found = append(found, shell)
		}
	}
	if len(found) == 0 {
		t.Skip("no shell with completion is installed")
	}
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "lockstep"), "github.com/lockstep-gpu/lockstep/cmd/lockstep")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	module, err := filepath.Abs(filepath.Join("testdata", "kernels.spv"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "some file.spv"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		line string
		want []string
	}{
		{"lockstep val", []string{"validate"}},
		{"lockstep run -sche", []string{"-schedule"}},
		{"lockstep run " + module + " -kernel rev", []string{"reverse"}},
		{"lockstep run -schedule re", []string{"reverse"}},
		{"lockstep run -arg zero:f", []string{"zero:f32:"}},
		{"lockstep help E-BLOCKP", []string{"E-BLOCKPARTIAL", "E-BLOCKPITCH"}},
		{"lockstep run som", []string{"some file.spv"}},
	}
	for _, shell := range found {
		t.Run(shell, func(t *testing.T) {
			for _, c := range cases {
				cmd := exec.Command(shell)
				switch shell {
				case "bash":
					cmd.Args = []string{"bash", "--norc", "-c", `source <(lockstep completion bash)
COMP_LINE=$1 COMP_POINT=${#1}
_lockstep
printf '%s\n' "${COMPREPLY[@]}"`, "bash", c.line}
				case "zsh":
					// The functions of the completion system say what they are given.
					cmd.Args = []string{"zsh", "-f", "-c", `_describe() { local -a all; all=("${(@P)2}"); print -rl -- "${all[@]}" }
_files() { print -rl -- *(N) }
source <(lockstep completion zsh)
words=("${(@s: :)1}") CURRENT=${#words}
_lockstep`, "zsh", c.line}
				case "fish":
					cmd.Args = []string{"fish", "--no-config", "-c", "lockstep completion fish | source; complete -C $argv[1]", c.line}
				}
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "HOME="+dir)
				var out, errs bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &errs
				if err := cmd.Run(); err != nil {
					t.Errorf("%q: %v\n%s", c.line, err, errs.String())
					continue
				}
				got := answers(shell, out.String())
				// What a shell shows of a word with a colon is what follows the colon.
				want := c.want
				if i := strings.LastIndexAny(c.line, " :"); shell == "bash" && c.line[i] == ':' {
					want = []string{strings.TrimPrefix(c.want[0], c.line[strings.LastIndex(c.line, " ")+1:i+1])}
				}
				if shell == "zsh" {
					// Here the function under test does not choose among candidates.
					got = slices.DeleteFunc(got, func(s string) bool { return !slices.Contains(want, s) })
				}
				if !slices.Equal(got, want) {
					t.Errorf("%q: %q, want %q\n%s%s", c.line, got, want, out.String(), errs.String())
				}
			}
		})
	}
}

// answers are the candidates that a shell prints.
func answers(shell, out string) []string {
	var list []string
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		switch shell {
		case "fish":
			line, _, _ = strings.Cut(line, "\t")
		case "zsh":
			line = strings.ReplaceAll(line, `\:`, "\x00")
			line, _, _ = strings.Cut(line, ":")
			line = strings.ReplaceAll(line, "\x00", ":")
		}
		if line != "" {
			list = append(list, line)
		}
	}
	slices.Sort(list)
	return list
}
