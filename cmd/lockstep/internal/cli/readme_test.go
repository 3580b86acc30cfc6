package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// freshen returns the README with what its commands print now: the text block
// behind a block with a command of lockstep's, and the Go block, which is the
// example program. ran is the number of commands.
func freshen(t *testing.T, readme, program string) (fresh string, ran int) {
	t.Helper()
	w := &world{written: map[string][]byte{}}
	var b strings.Builder
	var shown *string // what belongs into the next text block
	parts := strings.SplitAfter(readme, "```")
	for i, part := range parts {
		if i%2 == 0 || !strings.HasSuffix(part, "```") {
			b.WriteString(part)
			continue
		}
		language, body, _ := strings.Cut(strings.TrimSuffix(part, "```"), "\n")
		switch {
		case language == "sh":
			shown = nil
			if line, ok := strings.CutPrefix(strings.TrimSpace(body), "go run ./cmd/lockstep "); ok && !strings.Contains(line, "\n") {
				args, err := words(line)
				if err != nil {
					t.Fatal(err)
				}
				stdout, stderr, _ := w.run(context.Background(), args, nil)
				text := stdout + stderr
				shown = &text
				ran++
			}
		case language == "text" && shown != nil:
			body, shown = *shown, nil
		case language == "go":
			body = program
		}
		b.WriteString(language + "\n" + body + "```")
	}
	return b.String(), ran
}

// TestReadme runs the commands of the README and compares what they print with
// what it says.
func TestReadme(t *testing.T) {
	path := filepath.Join(root, "README.md")
	readme, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(filepath.Join(root, "examples", "saxpy", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(string(readme), "\r\n", "\n")
	got, ran := freshen(t, want, strings.ReplaceAll(string(program), "\r\n", "\n"))
	if ran < 4 {
		t.Errorf("the README has %d commands to run", ran)
	}
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
}
