package playground

import (
	"bytes"
	"context"
	"io"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cli"
)

// TestCourse runs each command line of the course by the requests of a page, and as a command in the root of the
// repository. Standard output, standard error, the exit status and all files are the same bytes.
func TestCourse(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", "..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	lessons, err := Lessons()
	if err != nil {
		t.Fatal(err)
	}
	s := New()
	count := 0
	for i := range lessons {
		for _, e := range lessons[i].Examples {
			if e.Args == nil {
				t.Errorf("%s: %s is no command line of lockstep", e.ID, e.Line)
				continue
			}
			if testing.Short() && count%4 != 0 {
				count++
				continue
			}
			count++
			got := call(t, s, &Request{Op: OpCommand, Args: e.Args, Milliseconds: 60_000})
			if got.Error != "" {
				t.Errorf("%s: %s", e.ID, got.Error)
				continue
			}
			want := onDisk(t, root, e.Args)
			if c := got.Command; c.Stdout != want.Stdout || c.Stderr != want.Stderr || c.Exit != want.Exit || !maps.Equal(c.Files, want.Files) {
				t.Errorf("%s: %s\ngot  %+v\nwant %+v", e.ID, e.Line, *c, want)
			}
			if e.Args[0] != "run" {
				continue
			}
			// The page runs it once, for its text and for pictures.
			ran := call(t, s, &Request{Op: OpRun, Args: e.Args, Milliseconds: 60_000})
			if ran.Error != "" {
				t.Errorf("%s: %s", e.ID, ran.Error)
			} else if c := ran.Run; c.Stdout != want.Stdout || c.Stderr != want.Stderr || c.Exit != want.Exit || !maps.Equal(c.Files, want.Files) {
				t.Errorf("%s: %s\nrun  %+v\nwant %+v", e.ID, e.Line, c.CommandResult, want)
			}
		}
	}
	if count < 80 {
		t.Errorf("the course has %d command lines only", count)
	}
}

// onDisk runs a command on the files of the repository, and keeps what it writes in memory.
func onDisk(t *testing.T, root string, args []string) CommandResult {
	t.Helper()
	var stdout, stderr bytes.Buffer
	files := map[string]*bytes.Buffer{}
	env := cli.System()
	env.Stdin, env.Stdout, env.Stderr = bytes.NewReader(nil), &stdout, &stderr
	env.StdoutTerminal, env.StderrTerminal, env.ASCII, env.Columns = false, false, false, 0
	at := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	env.Open = func(name string) (io.ReadCloser, error) { return os.Open(at(name)) }
	env.Stat = func(name string) (os.FileInfo, error) {
		if name == outFolder {
			return fileInfo{name: name, folder: true}, nil
		}
		return os.Stat(at(name))
	}
	env.Create = func(name string) (io.WriteCloser, error) {
		files[name] = new(bytes.Buffer)
		return writeCloser{files[name]}, nil
	}
	result := CommandResult{Exit: cli.Main(context.Background(), args, env)}
	result.Stdout, result.Stderr = stdout.String(), stderr.String()
	for name, b := range files {
		if result.Files == nil {
			result.Files = map[string]string{}
		}
		result.Files[name] = asText(b.Bytes())
	}
	return result
}

// writeCloser is a buffer as a file.
type writeCloser struct{ *bytes.Buffer }

func (writeCloser) Close() error { return nil }
