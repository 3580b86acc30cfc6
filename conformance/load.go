package conformance

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
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

// Digest returns a digest of the text of cases that were loaded, in their order, and of the modules that they name.
func Digest(cases []*Case) (string, error) {
	h := sha256.New()
	for _, c := range cases {
		if c.fsys == nil {
			return "", fmt.Errorf("%s: %w", c.Name, fs.ErrInvalid)
		}
		files := []string{c.file()}
		if c.Module != "" {
			files = append(files, path.Join(c.dir, c.Module))
		}
		for _, name := range files {
			data, err := fs.ReadFile(c.fsys, name)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(h, "%q %x\n", name, sha256.Sum256(data))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
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

// spec reads the SPEC of the entry that a problem would be tied to.
func (c *Case) spec(at problem, text string) (*argspec.Arg, error) {
	a, err := argspec.Parse(text, &argspec.Options{Open: c.open, MaxBytes: maxBuffer})
	if err == nil {
		return a, nil
	}
	at.msg, at.err = err.Error(), err
	var ae *argspec.Error
	if errors.As(err, &ae) {
		at.offset, at.msg = ae.Column-1, ae.Msg
		if ae.Allowed != "" {
			at.msg += " (allowed: " + ae.Allowed + ")"
		}
	}
	return nil, c.locate(c.file(), &at)
}

// resolved is a case with everything read that it names.
type resolved struct {
	*Case
	module []byte // binary or text
	steps  []resolvedStep
	bytes  int // of arguments, packets and what is expected
}

// resolvedStep is a step with everything read that it names.
type resolvedStep struct {
	*Step
	launches         []resolvedLaunch
	fill, feed, want []resolvedPackets
}

// resolvedPackets are packets with their bytes.
type resolvedPackets struct {
	pipe *Pipe
	typ  argspec.Type
	data []byte
}

// resolvedLaunch is a launch with everything read that it names.
type resolvedLaunch struct {
	*Launch
	number int // over all steps
	args   []*argspec.Arg
	pipes  []string // names of the pipes among the arguments, whose args are nil
	expect []want
}

// hold counts the bytes of an entry and says when there are too many.
func (r *resolved) hold(at problem, data []byte) error {
	if r.bytes += len(data); r.bytes > maxBytes {
		at.msg = fmt.Sprintf("the case holds more than %d bytes of arguments and expected results", maxBytes)
		return r.locate(r.file(), &at)
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
	number := 0
	for i := range c.Steps {
		s := resolvedStep{Step: &c.Steps[i]}
		for j := range s.Launches {
			l, err := r.launch(&s.Launches[j], number)
			if err != nil {
				return nil, err
			}
			s.launches = append(s.launches, l)
			number++
		}
		var errs [3]error
		s.fill, errs[0] = r.packets("fill", i, s.Fill)
		s.feed, errs[1] = r.packets("feed", i, s.Feed)
		s.want, errs[2] = r.packets(packetsKey, i, s.Packets)
		for _, err := range errs {
			if err != nil {
				return nil, err
			}
		}
		r.steps = append(r.steps, s)
	}
	return r, nil
}

// launch reads the SPECs of a launch.
func (r *resolved) launch(l *Launch, number int) (resolvedLaunch, error) {
	out := resolvedLaunch{Launch: l, number: number, pipes: make([]string, len(l.Args))}
	for i, text := range l.Args {
		var ok bool
		if out.pipes[i], ok = strings.CutPrefix(text, pipePrefix); ok {
			out.args = append(out.args, nil)
			continue
		}
		at := problem{key: "arg", part: number, index: i}
		a, err := r.spec(at, text)
		if err == nil {
			err = r.hold(at, a.Data)
		}
		if err != nil {
			return out, err
		}
		out.args = append(out.args, a)
	}
	for i, e := range l.Expect {
		at := problem{key: "expect", part: number, index: i}
		w, err := r.want(at, out.args[e.Arg], e)
		if err == nil {
			err = r.hold(at, w.data)
		}
		if err != nil {
			return out, err
		}
		out.expect = append(out.expect, w)
	}
	return out, nil
}

// packets reads packets of a step.
func (r *resolved) packets(key string, step int, list []Packets) ([]resolvedPackets, error) {
	var out []resolvedPackets
	for i, p := range list {
		at := problem{key: key, part: step, index: i}
		bad := func(format string, args ...any) ([]resolvedPackets, error) {
			at.msg = fmt.Sprintf(format, args...)
			return nil, r.locate(r.file(), &at)
		}
		x := resolvedPackets{pipe: r.pipe(p.Pipe), typ: argspec.U8}
		if p.What != none {
			a, err := r.spec(at, p.What)
			switch {
			case err != nil:
				return nil, err
			case a.Kind != argspec.Buffer && a.Kind != argspec.Value:
				return bad("packets are values, not a %v", a.Kind)
			case len(a.Data)%int(x.pipe.PacketBytes) != 0:
				return bad("%d bytes are no whole packets of %d", len(a.Data), x.pipe.PacketBytes)
			case key == "fill" && len(a.Data) > int(x.pipe.PacketBytes)*int(x.pipe.Capacity):
				return bad("pipe %s holds %d packets, not %d", p.Pipe, x.pipe.Capacity, len(a.Data)/int(x.pipe.PacketBytes))
			}
			x.typ, x.data = a.Type, a.Data
			if err := r.hold(at, a.Data); err != nil {
				return nil, err
			}
		}
		out = append(out, x)
	}
	return out, nil
}

// maxModule bounds the file of a module.
const maxModule = 64 << 20

// want reads what is expected of an argument, nil for a pipe.
func (r *resolved) want(at problem, arg *argspec.Arg, e Expect) (want, error) {
	bad := func(format string, args ...any) (want, error) {
		at.msg = fmt.Sprintf(format, args...)
		return want{}, r.locate(r.file(), &at)
	}
	if arg == nil {
		return bad("argument %d is a pipe; what it holds is expected by its name", e.Arg)
	}
	w := want{Expect: e, typ: arg.Type}
	if k := arg.Kind; k != argspec.Buffer && k != argspec.Image {
		return bad("argument %d is no buffer or image, it is a %v", e.Arg, k)
	}
	switch {
	case e.What == unchanged:
		w.data = arg.Data
		return w, nil
	case strings.HasPrefix(e.What, shaPrefix):
		w.sha = e.What[len(shaPrefix):]
		return w, nil
	}
	a, err := r.spec(at, e.What)
	if err != nil {
		return want{}, err
	}
	if a.Kind != argspec.Buffer && a.Kind != argspec.Value && a.Kind != argspec.Image {
		return bad("what is expected of a buffer are values, not a %v", a.Kind)
	}
	if len(a.Data) != len(arg.Data) {
		return bad("%d bytes are expected of argument %d, which has %d", len(a.Data), e.Arg, len(arg.Data))
	}
	if e.ULP != 0 && !a.Type.Float() {
		return bad("a tolerance needs floating-point values, not %v", a.Type)
	}
	w.typ, w.data = a.Type, a.Data
	return w, nil
}
