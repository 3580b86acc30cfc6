package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/docs/course"
)

// TestGradedCommands runs the command behind "see it" of each golden verdict of docs/course/grade: it shows
// what is wrong.
func TestGradedCommands(t *testing.T) {
	dir := filepath.Join(root, "docs", "course", "grade", "testdata")
	files, err := filepath.Glob(filepath.Join(dir, "[0-9]*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no verdicts: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		verdict, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		w := &world{written: map[string][]byte{"my.cl": gradedSource(t, dir, name)}}
		head, text, _ := strings.Cut(strings.ReplaceAll(string(verdict), "\r\n", "\n"), "\n")
		shown := 0
		for line := range strings.Lines(text) {
			command, ok := strings.CutPrefix(line, "  see it:   lockstep ")
			if !ok {
				continue
			}
			shown++
			args, err := parse(strings.TrimSpace(command))
			if err != nil {
				t.Fatal(err)
			}
			stdout, stderr, status := w.run(context.Background(), args, nil)
			_, found, _ := strings.Cut(text, "[E-")
			code, _, _ := strings.Cut(found, "]")
			switch {
			case found != "" && (status != cmdline.ExitFinding || !strings.Contains(stderr, "[E-"+code+"]")):
				t.Errorf("%s: %s: exit status %d, want E-%s:\n%s%s", name, command, status, code, stdout, stderr)
			case found == "" && status == cmdline.ExitUsage:
				t.Errorf("%s: %s:\n%s", name, command, stderr)
			}
		}
		if shown == 0 {
			t.Errorf("%s: no command shows it: %s", name, head)
		}
	}
}

// gradedSource is the kernel that a golden verdict is about.
func gradedSource(t *testing.T, dir, name string) []byte {
	t.Helper()
	id, start := strings.CutSuffix(name, "-start")
	if !start {
		source, err := os.ReadFile(filepath.Join(dir, name+".cl"))
		if err != nil {
			t.Fatal(err)
		}
		return source
	}
	_, e, err := course.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	source, err := e.Start()
	if err != nil {
		t.Fatal(err)
	}
	return []byte(source)
}
