package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// freshen returns the README with what its commands print now: the text block
// behind a block of commands of lockstep's, and the Go block, which is the
// example program. ran is the number of commands.
func freshen(t *testing.T, readme, program string) (fresh string, ran int) {
	t.Helper()
	w := &world{written: map[string][]byte{}}
	var b strings.Builder
	shown := "" // what belongs into the next text block
	for i, part := range strings.SplitAfter(readme, "```") {
		if i%2 == 0 || !strings.HasSuffix(part, "```") {
			b.WriteString(part)
			continue
		}
		language, body, _ := strings.Cut(strings.TrimSuffix(part, "```"), "\n")
		switch {
		case language == "sh":
			shown = ""
			if !strings.HasPrefix(body, "go run ./cmd/lockstep ") {
				break
			}
			for line := range strings.Lines(body) {
				text, err := w.shell(strings.TrimSpace(line))
				if err != nil {
					t.Fatal(err)
				}
				shown += text
				ran++
			}
		case language == "text" && shown != "":
			body, shown = shown, ""
		case language == "go":
			body = program
		}
		b.WriteString(language + "\n" + body + "```")
	}
	return b.String(), ran
}

// shell runs a line of a block of commands and returns what it shows.
func (w *world) shell(line string) (string, error) {
	if name, ok := strings.CutPrefix(line, "cat "); ok {
		data, ok := w.written[name]
		if !ok {
			return "", fmt.Errorf("%s was not written", name)
		}
		return string(data), nil
	}
	args, err := words(strings.TrimPrefix(line, "go run ./cmd/lockstep "))
	if err != nil {
		return "", err
	}
	stdout, stderr, _ := w.run(context.Background(), args, nil)
	return stdout + stderr, nil
}

// TestReadme runs the commands of the README and of those of the examples, and
// compares what they print with what these say.
func TestReadme(t *testing.T) {
	program, err := os.ReadFile(filepath.Join(root, "examples", "saxpy", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	for name, least := range map[string]int{"README.md": 6, "examples/pipelined-matmul/README.md": 6, "examples/stencil/README.md": 3,
		"examples/streaming-fir/README.md": 4, "examples/systolic-matmul/README.md": 2, "examples/run-length/README.md": 2} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(root, filepath.FromSlash(name))
			readme, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want := strings.ReplaceAll(string(readme), "\r\n", "\n")
			got, ran := freshen(t, want, strings.ReplaceAll(string(program), "\r\n", "\n"))
			if ran < least {
				t.Errorf("there are %d commands to run, want at least %d", ran, least)
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
		})
	}
}
