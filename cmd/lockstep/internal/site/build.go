package site

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// module is the path of lockstep's module, and programPackage that of the program within it.
const (
	module         = "github.com/lockstep-gpu/lockstep"
	programPackage = "./cmd/lockstep/playground"
)

// buildFlags are the flags of go build. Calls are inlined only where kernels spend their time: that makes the program
// smaller by an eighth.
var buildFlags = []string{
	"-tags=browser", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-gcflags=all=-l",
	"-gcflags=" + module + "/isa/interp=", "-gcflags=" + module + "/memory=",
}

// Build returns the program: the embedded one, or one that the Go toolchain makes, of the sources in or above dir, or of
// the module of this lockstep's version. What it makes is kept in the cache folder of the user. Progress is written to
// log. The program is compressed where packed is true, for those who load it through a network. That takes half a minute
// the first time, so that a page on the same machine had better do without.
func Build(ctx context.Context, dir string, packed bool, log io.Writer) (*Program, error) {
	if p, err := embedded(); p != nil || err != nil {
		return p, err
	}
	gotool, err := exec.LookPath("go")
	if err != nil {
		return nil, errNoGo(err)
	}
	b := &builder{ctx: ctx, gotool: gotool, packed: packed, log: log}
	key := ""
	if b.dir = sourceTree(dir); b.dir != "" {
		key = b.dir
	} else if key, err = b.download(); err != nil {
		return nil, errNoGo(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("the playground is kept in the cache folder: %w", err)
	}
	sum := sha256.Sum256([]byte(key))
	return b.build(filepath.Join(cache, "lockstep", "playground", hex.EncodeToString(sum[:8])))
}

// sourceTree returns the folder of lockstep's module in or above a folder, or "".
func sourceTree(dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil {
			if first, _, _ := strings.Cut(string(text), "\n"); strings.TrimSpace(first) == "module "+module {
				return dir
			}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// builder runs the Go toolchain.
type builder struct {
	ctx    context.Context
	gotool string
	dir    string // of the module
	packed bool   // compress the program
	log    io.Writer
}

// run runs a command of go in the folder of the module, and returns what it prints.
func (b *builder) run(env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(b.ctx, b.gotool, args...)
	cmd.Dir = b.dir
	cmd.Env = append(append(os.Environ(), "GOFLAGS=", "GOWORK=off"), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if text := strings.TrimSpace(stderr.String()); text != "" {
			return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, text)
		}
		return nil, fmt.Errorf("go %s: %w", args[0], err)
	}
	return stdout.Bytes(), nil
}

// download gets the module of this lockstep's version, and returns module@version.
func (b *builder) download() (string, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != module || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "", errors.New("it was not built from a version of the module, and there are no sources in this folder (run it in a clone of the repository)")
	}
	name := module + "@" + info.Main.Version
	fmt.Fprintf(b.log, "lockstep: getting the sources of %s …\n", name)
	out, err := b.run(nil, "mod", "download", "-json", name)
	if err != nil {
		return "", err
	}
	var got struct{ Dir string }
	if err := json.Unmarshal(out, &got); err != nil || got.Dir == "" {
		return "", fmt.Errorf("go mod download says %q", out)
	}
	b.dir = got.Dir
	return name, nil
}

// build makes the program in a folder of the cache.
func (b *builder) build(cache string) (*Program, error) {
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return nil, err
	}
	wasm := filepath.Join(cache, "lockstep.wasm")
	fmt.Fprintln(b.log, "lockstep: building the playground for WebAssembly; the first time takes a minute or two …")
	args := append([]string{"build", "-o", wasm}, buildFlags...)
	if _, err := b.run([]string{"GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0"}, append(args, programPackage)...); err != nil {
		return nil, err
	}
	root, err := b.run(nil, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	p := &Program{}
	if p.Exec, err = os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", execName)); err != nil {
		return nil, fmt.Errorf("the Go toolchain lacks a file: %w", err)
	}
	data, err := os.ReadFile(wasm)
	if err != nil {
		return nil, err
	}
	if p.Wasm = data; b.packed {
		p.Wasm, err = b.compressed(cache, data)
	}
	return p, err
}

// compressed returns the program compressed, from the cache if it is there.
func (b *builder) compressed(cache string, data []byte) ([]byte, error) {
	sum := sha256.Sum256(data)
	name := filepath.Join(cache, "lockstep-"+hex.EncodeToString(sum[:8])+".wasm.xz")
	if old, err := os.ReadFile(name); err == nil {
		return old, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	old, err := filepath.Glob(filepath.Join(cache, "lockstep-*.wasm.*"))
	if err != nil {
		return nil, err
	}
	for _, name := range old { // of earlier sources
		if err := os.Remove(name); err != nil {
			return nil, err
		}
	}
	fmt.Fprintln(b.log, "lockstep: compressing the playground, which takes half a minute, once …")
	packed, err := compress(data)
	if err != nil {
		return nil, err
	}
	// A command that is killed must not leave half a file behind.
	if err := os.WriteFile(name+".new", packed, 0o666); err != nil {
		return nil, err
	}
	return packed, os.Rename(name+".new", name)
}
