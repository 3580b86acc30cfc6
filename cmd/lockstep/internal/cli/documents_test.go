package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// notRun are the commands of documents that the test does not run, by their first words: they take long, need programs
// that may not be here, or change the system. What they do is tested elsewhere.
var notRun = []string{
	"go build ", "go test ", "go vet ", "go get ", "git ", "node --test ", ".ci/run", "LOCKSTEP=", "LOCKSTEP_STRESS=", "LOCKSTEP_COMPARE=", "cd bench/compare", "go run ./conformance/accuracy",
	"apt-get install ", "(cd cmd/opencl ", "lockstep exec ",
}

// document runs the commands of a document.
type document struct {
	t     *testing.T
	world *world
	bin   string // where example programs are built; "" leaves them out
	out   string // the folder that stands for out/
	ran   int
	// leftOut says that an example program did not run. Its files are missing.
	leftOut bool
}

// freshen returns the document with what its commands print now: the text block behind a block of commands, and the
// Go block, which is the example program.
func (d *document) freshen(text, program string) string {
	var b strings.Builder
	parts := strings.SplitAfter(text, "```")
	shown, run := "", false // what belongs into the next text block
	for i, part := range parts {
		if i%2 == 0 || !strings.HasSuffix(part, "```") {
			b.WriteString(part)
			continue
		}
		language, body, _ := strings.Cut(strings.TrimSuffix(part, "```"), "\n")
		switch language {
		case "sh":
			explained := i+2 < len(parts) && strings.HasPrefix(parts[i+2], "text\n") && strings.TrimSpace(parts[i+1]) == "```"
			shown, run = d.block(body, explained)
		case "text":
			if run {
				body, run = shown, false
			}
		case "go":
			body = program
		}
		b.WriteString(language + "\n" + body + "```")
	}
	return b.String()
}

// block runs a block of commands and returns what they show, and whether all of them ran. Commands whose output the
// document does not show must succeed.
func (d *document) block(body string, explained bool) (shown string, all bool) {
	all = true
	for line := range strings.Lines(strings.ReplaceAll(body, "\\\n", " ")) {
		command, _, _ := strings.Cut(strings.TrimSpace(line), "  #")
		if command == "" || slices.ContainsFunc(notRun, func(prefix string) bool { return strings.HasPrefix(command+" ", prefix) }) {
			all = all && command == ""
			continue
		}
		text, status, err := d.command(command)
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			all = false
			continue
		case err != nil:
			d.t.Fatalf("%s: %v", command, err)
		case status != 0 && !explained:
			d.t.Errorf("%s: exit status %d, and the document does not show why:\n%s", command, status, text)
		}
		shown += text
		d.ran++
	}
	return shown, all
}

// command runs a command. The error is errors.ErrUnsupported for an example program when these are left out, and for
// commands that may read what it writes.
func (d *document) command(line string) (shown string, status int, err error) {
	list, err := parse(line)
	if err != nil {
		return "", 0, err
	}
	switch {
	case list[0] == "cat" && len(list) == 2:
		data, ok := d.world.written[list[1]]
		if !ok {
			return "", 0, fmt.Errorf("%s was not written", list[1])
		}
		return string(data), 0, nil
	case line == "go install ./cmd/lockstep":
		return "", 0, nil // what stands behind lockstep runs without it
	case line == "mkdir -p out":
		d.world.out = true
		return "", 0, nil
	case list[0] == "lockstep":
		return d.lockstep(list[1:])
	case strings.HasPrefix(line, "go run ./cmd/lockstep "):
		return d.lockstep(list[3:])
	case strings.HasPrefix(line, "go run ./examples/"):
		return d.example(list[2], list[3:])
	}
	return "", 0, errors.New("this test knows no such command: teach it, or add it to notRun")
}

// lockstep runs a command of lockstep, as the tests of sessions do.
func (d *document) lockstep(args []string) (string, int, error) {
	if d.leftOut && slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, "out/") }) {
		return "", 0, errors.ErrUnsupported
	}
	stdout, stderr, status := d.world.run(context.Background(), args, nil)
	return stdout + stderr, status, nil
}

// example builds and runs an example program. Files that it writes to out/ are there for later commands.
func (d *document) example(pkg string, args []string) (string, int, error) {
	if d.bin == "" {
		d.leftOut = true
		return "", 0, errors.ErrUnsupported
	}
	program := filepath.Join(d.bin, filepath.Base(pkg)+".exe")
	if _, err := os.Stat(program); err != nil {
		build := exec.Command("go", "build", "-o", program, pkg)
		build.Dir = root
		if text, err := build.CombinedOutput(); err != nil {
			return "", 0, fmt.Errorf("%w: %s", err, text)
		}
	}
	for i, a := range args {
		if name, ok := strings.CutPrefix(a, "out/"); ok {
			args[i] = filepath.Join(d.out, name)
		}
	}
	run := exec.Command(program, args...)
	run.Dir = root
	text, err := run.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return "", 0, err
	}
	files, err := os.ReadDir(d.out)
	if err != nil {
		return "", 0, err
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(d.out, f.Name()))
		if err != nil {
			return "", 0, err
		}
		d.world.written["out/"+f.Name()] = data
	}
	return strings.ReplaceAll(string(text), d.out+string(filepath.Separator), "out/"), run.ProcessState.ExitCode(), nil
}

// pictures compares the pictures that a document shows with those of the same names that its commands have written.
func (d *document) pictures(dir, text string) {
	d.t.Helper()
	for _, path := range slices.Sorted(maps.Keys(d.world.written)) {
		name := strings.TrimPrefix(path, "out/")
		if filepath.Ext(name) != ".svg" || !strings.Contains(text, "]("+name+")") {
			continue
		}
		file := filepath.Join(dir, name)
		if *update {
			if err := os.WriteFile(file, d.world.written[path], 0o666); err != nil {
				d.t.Fatal(err)
			}
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			d.t.Error(err)
			continue
		}
		if shown := strings.ReplaceAll(string(data), "\r\n", "\n"); shown != string(d.world.written[path]) {
			d.t.Errorf("%s: %s", file, difference(shown, string(d.world.written[path])))
		}
	}
}

// documents returns the Markdown files of the repository.
func documents(t *testing.T) []string {
	var list []string
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "testdata" || e.Name() == "node_modules" || e.Name() == ".git" || e.Name() == "out"):
			return fs.SkipDir
		case filepath.Ext(path) == ".md":
			name, err := filepath.Rel(root, path)
			list = append(list, filepath.ToSlash(name))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestDocuments runs every command of every document, and compares what it prints with what the document says.
func TestDocuments(t *testing.T) {
	program, err := os.ReadFile(filepath.Join(root, "examples", "saxpy", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	bin := ""
	if _, err := exec.LookPath("go"); err == nil && !testing.Short() {
		bin = t.TempDir()
	}
	// How many commands run at least: a document that loses its commands is noticed.
	least := map[string]int{"README.md": 10, "examples/tutorial/README.md": 15}
	for _, name := range documents(t) {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(root, filepath.FromSlash(name))
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want := strings.ReplaceAll(string(text), "\r\n", "\n")
			d := &document{t: t, world: &world{written: map[string][]byte{}, out: true}, bin: bin, out: t.TempDir()}
			got := d.freshen(want, strings.ReplaceAll(string(program), "\r\n", "\n"))
			fewest := least[name]
			if strings.HasPrefix(name, "docs/course/") && name != "docs/course/README.md" {
				fewest = 4
			}
			if d.ran < fewest {
				t.Errorf("%d commands ran, want at least %d", d.ran, fewest)
			}
			for _, path := range slices.Sorted(maps.Keys(d.world.written)) {
				if !strings.HasPrefix(path, "out/") {
					t.Errorf("a command writes %s, which git would track: write to out/", path)
				}
			}
			d.pictures(filepath.Dir(path), want)
			if got == want {
				return
			}
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("%s", difference(want, got))
		})
	}
}
