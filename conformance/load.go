package conformance

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

//go:embed cases kernels/spv
var builtin embed.FS

// Builtin returns the file system with the cases that ship with lockstep, in the
// directory "cases".
func Builtin() fs.FS { return builtin }

// extension is how the names of case files end.
const extension = ".case"

// Load reads the cases that the patterns name. A pattern is a file, with or without
// its extension, a directory (all cases below it), or a glob as in [path.Match]; each must
// name at least one case.
// Without patterns all cases of fsys are loaded. The result is sorted by name and
// has no case twice. All files are read before errors are returned, joined.
func Load(fsys fs.FS, patterns ...string) ([]*Case, error) {
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	var names []string
	var errs []error
	for _, pattern := range patterns {
		found, err := find(fsys, pattern)
		if err != nil {
			errs = append(errs, err)
		} else if len(found) == 0 {
			errs = append(errs, fmt.Errorf("no cases (*%s) in %s", extension, pattern))
		}
		names = append(names, found...)
	}
	slices.Sort(names)
	var cases []*Case
	for _, name := range slices.Compact(names) {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		c, err := Parse(strings.TrimSuffix(name, extension), name, text)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		c.fsys, c.dir = fsys, path.Dir(name)
		cases = append(cases, c)
	}
	return cases, errors.Join(errs...)
}

// find returns the case files that one pattern names.
func find(fsys fs.FS, pattern string) ([]string, error) {
	matches := []string{pattern}
	if strings.ContainsAny(pattern, `*?[\`) {
		var err error
		if matches, err = fs.Glob(fsys, pattern); err != nil {
			return nil, fmt.Errorf("pattern %q: %w", pattern, err)
		}
	}
	var names []string
	for _, m := range matches {
		if _, err := fs.Stat(fsys, m); errors.Is(err, fs.ErrNotExist) {
			if _, err := fs.Stat(fsys, m+extension); err == nil {
				m += extension
			}
		}
		err := fs.WalkDir(fsys, m, func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && (strings.HasSuffix(name, extension) || name == pattern) {
				names = append(names, name)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}

// open opens a file that the case names, relative to the case.
func (c *Case) open(name string) (io.ReadCloser, error) {
	full := path.Join(c.dir, name)
	if c.fsys == nil || !fs.ValidPath(full) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return c.fsys.Open(full)
}

// maxBuffer bounds each buffer of a case, maxBytes all that it holds in memory: its
// arguments and what is expected of them.
const (
	maxBuffer = 256 << 20
	maxBytes  = 1 << 30
)

// file is the name of the case's file in errors.
func (c *Case) file() string { return c.Name + extension }

// spec reads the SPEC of one entry.
func (c *Case) spec(key string, index int, text string) (*argspec.Arg, error) {
	a, err := argspec.Parse(text, &argspec.Options{Open: c.open, MaxBytes: maxBuffer})
	if err == nil {
		return a, nil
	}
	bad := &problem{key: key, index: index, msg: err.Error(), err: err}
	var ae *argspec.Error
	if errors.As(err, &ae) {
		bad.offset, bad.msg = ae.Column-1, ae.Msg
		if ae.Allowed != "" {
			bad.msg += " (allowed: " + ae.Allowed + ")"
		}
	}
	return nil, c.locate(c.file(), bad)
}

// resolved is a case with everything read that it names.
type resolved struct {
	*Case
	module []byte // binary or text
	args   []*argspec.Arg
	expect []want
	bytes  int // of args and expect
}

// hold counts the bytes of an entry and says when there are too many.
func (r *resolved) hold(key string, index int, data []byte) error {
	if r.bytes += len(data); r.bytes > maxBytes {
		return r.locate(r.file(), &problem{key: key, index: index,
			msg: fmt.Sprintf("the case holds more than %d bytes of arguments and expected results", maxBytes)})
	}
	return nil
}

// want is what one buffer must hold.
type want struct {
	Expect
	typ  argspec.Type
	data []byte // nil when only the hash is known
	sha  string
}

// resolve reads the files and SPECs of the case. An error is a [*SyntaxError].
func (c *Case) resolve() (*resolved, error) {
	r := &resolved{Case: c, module: []byte(c.Text)}
	if c.Module != "" {
		f, err := c.open(c.Module)
		if err == nil {
			r.module, err = io.ReadAll(io.LimitReader(f, maxModule+1))
			err = errors.Join(err, f.Close())
		}
		if err == nil && len(r.module) > maxModule {
			err = fmt.Errorf("%s has more than %d bytes", c.Module, maxModule)
		}
		if err != nil {
			return nil, c.locate(c.file(), &problem{key: "module", msg: err.Error(), err: err})
		}
	}
	for i, text := range c.Args {
		a, err := c.spec("arg", i, text)
		if err != nil {
			return nil, err
		}
		if err := r.hold("arg", i, a.Data); err != nil {
			return nil, err
		}
		r.args = append(r.args, a)
	}
	for i, e := range c.Expect {
		w, err := r.want(i, e)
		if err != nil {
			return nil, err
		}
		if err := r.hold("expect", i, w.data); err != nil {
			return nil, err
		}
		r.expect = append(r.expect, w)
	}
	return r, nil
}

// maxModule bounds the file of a module.
const maxModule = 64 << 20

func (r *resolved) want(i int, e Expect) (want, error) {
	w := want{Expect: e, typ: r.args[e.Arg].Type}
	bad := func(format string, args ...any) (want, error) {
		return want{}, r.locate(r.file(), &problem{key: "expect", index: i, msg: fmt.Sprintf(format, args...)})
	}
	if k := r.args[e.Arg].Kind; k != argspec.Buffer && k != argspec.Image {
		return bad("argument %d is no buffer or image, it is a %v", e.Arg, k)
	}
	switch {
	case e.What == unchanged:
		w.data = r.args[e.Arg].Data
		return w, nil
	case strings.HasPrefix(e.What, shaPrefix):
		w.sha = e.What[len(shaPrefix):]
		return w, nil
	}
	a, err := r.spec("expect", i, e.What)
	if err != nil {
		return want{}, err
	}
	if a.Kind != argspec.Buffer && a.Kind != argspec.Value && a.Kind != argspec.Image {
		return bad("what is expected of a buffer are values, not a %v", a.Kind)
	}
	if len(a.Data) != len(r.args[e.Arg].Data) {
		return bad("%d bytes are expected of argument %d, which has %d", len(a.Data), e.Arg, len(r.args[e.Arg].Data))
	}
	if e.ULP != 0 && !a.Type.Float() {
		return bad("a tolerance needs floating-point values, not %v", a.Type)
	}
	w.typ, w.data = a.Type, a.Data
	return w, nil
}
