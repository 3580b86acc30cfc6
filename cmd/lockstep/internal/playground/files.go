package playground

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/docs/course"
)

// Limits of what commands print and write, in bytes.
const (
	maxOutput = 8 << 20
	maxFiles  = 64 << 20
)

// courseFolder is where the files of the course are.
const courseFolder = "docs/course"

// outFolder is a folder that commands find, empty, for what they write.
const outFolder = "out"

// binaryPrefix begins the value of a file that is not text.
const binaryPrefix = "base64:"

// errFull is the error for what does not fit.
var errFull = errors.New("the playground has no more room for files")

// disk is files in memory, over those of the course.
type disk struct {
	files   map[string][]byte // by cleaned path
	written map[string]bool
	room    int
}

// newDisk returns the files of a request.
func newDisk(files map[string]string) (*disk, error) {
	d := &disk{files: map[string][]byte{}, written: map[string]bool{}, room: maxFiles}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		data := []byte(files[name])
		if text, ok := strings.CutPrefix(files[name], binaryPrefix); ok {
			var err error
			if data, err = base64.StdEncoding.DecodeString(text); err != nil {
				return nil, fmt.Errorf("file %s: %w", name, err)
			}
		}
		if d.room -= len(data); d.room < 0 {
			return nil, errFull
		}
		d.files[path.Clean(name)] = data
	}
	return d, nil
}

// read returns a file.
func (d *disk) read(op, name string) ([]byte, error) {
	clean := path.Clean(name)
	if data, ok := d.files[clean]; ok {
		return data, nil
	}
	if rest, ok := strings.CutPrefix(clean, courseFolder+"/"); ok {
		if data, err := fs.ReadFile(course.Files(), rest); err == nil {
			return data, nil
		}
	}
	err := fs.ErrNotExist
	if d.folder(clean) {
		err = errors.New("is a directory")
	}
	return nil, &fs.PathError{Op: op, Path: name, Err: err}
}

// folder says whether a path is a folder.
func (d *disk) folder(clean string) bool {
	if clean == "." || clean == outFolder || clean == "docs" || clean == courseFolder {
		return true
	}
	for name := range d.files {
		if strings.HasPrefix(name, clean+"/") {
			return true
		}
	}
	rest, ok := strings.CutPrefix(clean, courseFolder+"/")
	if !ok {
		return false
	}
	info, err := fs.Stat(course.Files(), rest)
	return err == nil && info.IsDir()
}

// opened is a file that is read.
type opened struct {
	*bytes.Reader
	info fileInfo
}

func (o *opened) Close() error               { return nil }
func (o *opened) Stat() (fs.FileInfo, error) { return o.info, nil }

// fileInfo describes a file or a folder.
type fileInfo struct {
	name   string
	size   int64
	folder bool
}

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.size }
func (i fileInfo) ModTime() time.Time { return time.Time{} }
func (i fileInfo) IsDir() bool        { return i.folder }
func (i fileInfo) Sys() any           { return nil }
func (i fileInfo) Mode() fs.FileMode {
	if i.folder {
		return fs.ModeDir | 0o755
	}
	return 0o644
}

// open opens a file for reading.
func (d *disk) open(name string) (io.ReadCloser, error) {
	data, err := d.read("open", name)
	if err != nil {
		return nil, err
	}
	return &opened{bytes.NewReader(data), fileInfo{name: path.Base(name), size: int64(len(data))}}, nil
}

// stat says what a path is.
func (d *disk) stat(name string) (fs.FileInfo, error) {
	clean := path.Clean(name)
	if d.folder(clean) {
		return fileInfo{name: path.Base(clean), folder: true}, nil
	}
	data, err := d.read("stat", name)
	if err != nil {
		return nil, err
	}
	return fileInfo{name: path.Base(clean), size: int64(len(data))}, nil
}

// created is a file that is written.
type created struct {
	d    *disk
	name string
}

// create makes an empty file.
func (d *disk) create(name string) (io.WriteCloser, error) {
	clean := path.Clean(name)
	if d.folder(clean) || !d.folder(path.Dir(clean)) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	d.files[clean], d.written[clean] = nil, true
	return &created{d, clean}, nil
}

// append opens a file for writing at its end.
func (d *disk) append(name string) (io.WriteCloser, error) {
	before := slices.Clone(d.files[path.Clean(name)])
	w, err := d.create(name)
	if err == nil {
		d.files[path.Clean(name)] = before
	}
	return w, err
}

// Write implements io.Writer.
func (c *created) Write(p []byte) (int, error) {
	if c.d.room -= len(p); c.d.room < 0 {
		return 0, errFull
	}
	c.d.files[c.name] = append(c.d.files[c.name], p...)
	return len(p), nil
}

// Close implements io.Closer.
func (c *created) Close() error { return nil }

// outputs returns the files that were written.
func (d *disk) outputs() map[string]string {
	files := map[string]string{}
	for name := range d.written {
		files[name] = asText(d.files[name])
	}
	return files
}

// asText is a file as a response has it.
func asText(data []byte) string {
	if text := string(data); utf8.Valid(data) && !strings.HasPrefix(text, binaryPrefix) {
		return text
	}
	return binaryPrefix + base64.StdEncoding.EncodeToString(data)
}

// limited keeps what is written to it, up to maxOutput bytes.
type limited struct {
	bytes.Buffer
	cut bool
}

// Write implements io.Writer. It takes everything.
func (l *limited) Write(p []byte) (int, error) {
	if room := maxOutput - l.Len(); len(p) > room {
		l.Buffer.Write(p[:room])
		l.cut = true
		return len(p), nil
	}
	return l.Buffer.Write(p)
}

// world is the environment of one command.
type world struct {
	disk           *disk
	stdout, stderr limited
	env            *cmdline.Env
}

// newWorld returns an environment with files and standard input.
func newWorld(files map[string]string, stdin string) (*world, error) {
	d, err := newDisk(files)
	if err != nil {
		return nil, err
	}
	w := &world{disk: d}
	start := time.Now()
	w.env = &cmdline.Env{
		Stdin: strings.NewReader(stdin), Stdout: &w.stdout, Stderr: &w.stderr, Started: start,
		Clock: func() time.Duration { return time.Since(start) },
		Open:  d.open, Create: d.create, Append: d.append, Stat: d.stat,
		Dir: func(string) fs.FS { return noFiles{} },
	}
	return w, nil
}

// noFiles is a folder without files.
type noFiles struct{}

func (noFiles) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// result is what a command did.
func (w *world) result(exit int) CommandResult {
	return CommandResult{
		Stdout: strings.ToValidUTF8(w.stdout.String(), "\ufffd"), Stderr: strings.ToValidUTF8(w.stderr.String(), "\ufffd"), Exit: exit,
		Files: w.disk.outputs(), Truncated: w.stdout.cut || w.stderr.cut,
	}
}
