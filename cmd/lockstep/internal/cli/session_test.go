package cli

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/internal/words"
)

var update = flag.Bool("update", false, "rewrite the sessions in testdata with what the commands print now")

// root is the root of the repository, for examples and kernels.
const root = "../../../.."

// world is an Env whose files are testdata, the repository, and what commands
// wrote, which stays in memory.
type world struct {
	written map[string][]byte
	out     bool // there is a folder out
	ascii   bool // the locale has no other characters
}

type memoryFile struct {
	bytes.Buffer
	w    *world
	path string
}

// Close makes what was written a file.
func (f *memoryFile) Close() error {
	f.w.written[f.path] = f.Bytes()
	return nil
}

func (w *world) open(path string) (io.ReadCloser, error) {
	if data, ok := w.written[path]; ok {
		return io.NopCloser(bytes.NewReader(data)), nil
	}
	for _, dir := range []string{"testdata", root} {
		f, err := os.Open(filepath.Join(dir, filepath.FromSlash(path)))
		if err == nil {
			return f, nil
		}
	}
	return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
}

func (w *world) stat(path string) (fs.FileInfo, error) {
	if strings.HasPrefix(path, "no-such-folder") {
		return nil, fs.ErrNotExist
	}
	if path == "out" && w.out {
		return os.Stat(root)
	}
	for _, dir := range []string{"testdata", root} {
		if info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(path))); err == nil {
			return info, nil
		}
	}
	return nil, fs.ErrNotExist
}

func (w *world) create(path string) (io.WriteCloser, error) {
	if strings.HasPrefix(path, "no-such-folder/") {
		return nil, &fs.PathError{Op: "create", Path: path, Err: fs.ErrNotExist}
	}
	if info, err := w.stat(path); err == nil && info.IsDir() {
		return nil, &fs.PathError{Op: "create", Path: path, Err: errors.New("is a directory")}
	}
	return &memoryFile{w: w, path: path}, nil
}

func (w *world) append(path string) (io.WriteCloser, error) {
	f, err := w.create(path)
	if err == nil {
		f.(*memoryFile).Write(w.written[path])
	}
	return f, err
}

// run runs one command line with this standard input.
func (w *world) run(ctx context.Context, args []string, stdin []byte) (stdout, stderr string, status int) {
	var out, err bytes.Buffer
	env := &cmdline.Env{Stdin: bytes.NewReader(stdin), Stdout: &out, Stderr: &err, ASCII: w.ascii, Open: w.open, Create: w.create, Append: w.append, Stat: w.stat,
		Dir: func(path string) fs.FS { return os.DirFS(filepath.Join("testdata", path)) }}
	status = Main(ctx, args, env)
	return out.String(), err.String(), status
}

// parse takes a command line apart.
func parse(line string) ([]string, error) {
	list, _, err := words.Split(line)
	args := make([]string, len(list))
	for i, w := range list {
		args[i] = w.Text
	}
	return args, err
}

// command runs a line of a session and returns what it shows: standard output,
// then standard error with "! " before each line, then the exit status unless
// it is 0.
func (w *world) command(line string) (string, error) {
	args, err := parse(line)
	if err != nil || len(args) == 0 {
		return "", fmt.Errorf("%q: %v", line, err)
	}
	var stdin []byte
	if n := len(args); n > 2 && args[n-2] == "<" {
		f, err := w.open(args[n-1])
		if err != nil {
			return "", err
		}
		defer f.Close()
		if stdin, err = io.ReadAll(f); err != nil {
			return "", err
		}
		args = args[:n-2]
	}
	var stdout, stderr string
	status := 0
	switch args[0] {
	case "lockstep":
		stdout, stderr, status = w.run(context.Background(), args[1:], stdin)
	case "cat", "hex":
		data, ok := w.written[args[1]]
		if !ok {
			return "", fmt.Errorf("%s was not written", args[1])
		}
		stdout = string(data)
		if args[0] == "hex" {
			stdout = hex.Dump(data)
		}
	default:
		return "", fmt.Errorf("there is no command %q", args[0])
	}
	var b strings.Builder
	b.WriteString(stdout)
	if stdout != "" && !strings.HasSuffix(stdout, "\n") {
		b.WriteString("\n[no end of line]\n")
	}
	for text := range strings.Lines(stderr) {
		b.WriteString("! " + text)
	}
	if status != 0 {
		fmt.Fprintf(&b, "[exit %d]\n", status)
	}
	return b.String(), nil
}

// session runs a session again: its comments and commands stay, what the
// commands showed is replaced by what they show now.
func session(text string) (string, error) {
	w := &world{written: map[string][]byte{}}
	var b strings.Builder
	afterComment := true // no empty line is wanted
	for line := range strings.Lines(text) {
		comment, command := strings.HasPrefix(line, "# "), strings.HasPrefix(line, "$ ")
		if !comment && !command {
			continue
		}
		if !afterComment {
			b.WriteByte('\n')
		}
		afterComment = comment
		b.WriteString(line)
		if command {
			shown, err := w.command(strings.TrimSpace(line[2:]))
			if err != nil {
				return "", err
			}
			b.WriteString(shown)
		}
	}
	return b.String(), nil
}

// TestSessions compares what commands print with testdata/*.session, which are
// written as a terminal shows them.
func TestSessions(t *testing.T) {
	files, err := filepath.Glob("testdata/*.session")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sessions: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".session"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := strings.ReplaceAll(string(data), "\r\n", "\n")
			got, err := session(want)
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != want {
				t.Errorf("%s", difference(want, got))
			}
		})
	}
}

// difference shows where two texts part.
func difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	n := 0
	for n < min(len(w), len(g)) && w[n] == g[n] {
		n++
	}
	context := func(lines []string) string {
		return strings.Join(lines[max(0, n-3):min(len(lines), n+8)], "\n")
	}
	return fmt.Sprintf("line %d differs (-update rewrites)\n--- want\n%s\n--- got\n%s", n+1, context(w), context(g))
}
