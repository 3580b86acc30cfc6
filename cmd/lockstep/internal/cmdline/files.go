package cmdline

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// MaxModule bounds what is read of a module, in bytes. The largest modules in
// use have some tens of MiB.
const MaxModule = 256 << 20

// ReadFile reads a whole file, or standard input for "-".
func ReadFile(env *Env, path string) ([]byte, error) {
	var r io.Reader = env.Stdin
	if path != "-" {
		f, err := env.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		r = f
	}
	data, err := ReadLimited(r, MaxModule)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Display(path), err)
	}
	return data, nil
}

// ReadLimited reads everything that r has, or fails when that is more than limit bytes.
func ReadLimited(r io.Reader, limit int) ([]byte, error) {
	var b bytes.Buffer
	if f, ok := r.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if info, err := f.Stat(); err == nil && info.Size() <= int64(limit) {
			b.Grow(int(info.Size()) + bytes.MinRead)
		}
	}
	_, err := b.ReadFrom(io.LimitReader(r, int64(limit)+1))
	if err == nil && b.Len() > limit {
		return nil, fmt.Errorf("larger than %d bytes", limit)
	}
	return b.Bytes(), err
}

// Display is how messages call a path.
func Display(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// WriteFile writes to a file, or to standard output for "-".
func WriteFile(env *Env, path string, write func(io.Writer) error) error {
	if path == "-" {
		return write(env.Stdout)
	}
	f, err := env.Create(path)
	if err != nil {
		return err
	}
	err = write(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// Apart refuses an output that is one of the inputs, which writing would destroy.
func Apart(env *Env, command, out string, inputs []string) error {
	if out == "-" {
		return nil
	}
	to, err := env.Stat(out)
	for _, in := range inputs {
		same := in != "-" && filepath.Clean(in) == filepath.Clean(out)
		if !same && in != "-" && err == nil && to.Mode().IsRegular() {
			from, err := env.Stat(in)
			same = err == nil && os.SameFile(from, to)
		}
		if same {
			return Usagef("", "%s: -o %s would overwrite the module %s; name another file", command, out, in)
		}
	}
	return nil
}

// OutFile is a flag that names a file for something about the run.
type OutFile struct{ Flag, Path string }

// Check makes sure before any work that a command can write the file.
func (f OutFile) Check(env *Env, command string, json bool) error {
	if f.Path == "-" {
		if json {
			return Usagef("help "+command, "%s: -%s - and -json both want standard output; give -%s a file", command, f.Flag, f.Flag)
		}
		return nil
	}
	dir := filepath.Dir(f.Path)
	if info, err := env.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("-%s %s: there is no folder %s", f.Flag, f.Path, dir)
	}
	return nil
}
