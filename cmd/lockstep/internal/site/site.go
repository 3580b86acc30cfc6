// Package site has the playground, a page in a browser with lockstep as WebAssembly: its files, a handler that serves
// them, and what writes them to a folder that any host of static files can serve.
//
// The page itself, its style and its scripts are in the folder web. The program in WebAssembly, with the script that
// starts Go programs in a browser, comes from a build with the tag playground, which has them embedded, or is built by
// the Go toolchain when it is wanted ([Build]). Package playground is what runs in the program.
package site

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed all:web
var web embed.FS

// Names of the files that are not in web. The page asks for the program by one name, and sees whether it is compressed.
const (
	wasmName = "lockstep.wasm.xz"
	execName = "wasm_exec.js"
)

// Program is lockstep as WebAssembly.
type Program struct {
	Wasm []byte // as it is, or compressed, in the format xz
	Exec []byte // Go's wasm_exec.js
}

// file is a file of the page.
type file struct {
	name string
	data []byte
	tag  string // for ETag
}

// Site is the files of the page.
type Site struct{ files map[string]*file }

// New returns the page with a program.
func New(p *Program) (*Site, error) {
	s := &Site{files: map[string]*file{}}
	err := fs.WalkDir(web, "web", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := web.ReadFile(name)
		if err != nil {
			return err
		}
		s.add(strings.TrimPrefix(name, "web/"), data)
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.add(execName, p.Exec)
	s.add(wasmName, p.Wasm)
	return s, nil
}

// add adds a file.
func (s *Site) add(name string, data []byte) {
	sum := sha256.Sum256(data)
	s.files[name] = &file{name: name, data: data, tag: hex.EncodeToString(sum[:12])}
}

// Names returns the names of the files in alphabetical order.
func (s *Site) Names() []string {
	var names []string
	for name := range s.files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Size returns how many bytes a file has.
func (s *Site) Size(name string) int { return len(s.files[name].data) }

// Write writes the files to a folder, which it makes. Files of other names stay.
func (s *Site) Write(dir string) error {
	for _, name := range s.Names() {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if old, err := os.ReadFile(to); err == nil && bytes.Equal(old, s.files[name].data) {
			continue
		}
		if err := os.WriteFile(to, s.files[name].data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// contentTypes are the MIME types by extension.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".mjs": "text/javascript; charset=utf-8", ".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png",
	".wasm": "application/wasm", ".xz": "application/x-xz", ".txt": "text/plain; charset=utf-8",
}

// contentType returns the MIME type of a file.
func (f *file) contentType() string {
	if bytes.HasPrefix(f.data, []byte(wasmMagic)) {
		return contentTypes[".wasm"] // whatever its name says
	}
	if t := contentTypes[path.Ext(f.name)]; t != "" {
		return t
	}
	return "application/octet-stream"
}

// errNoGo is the error where lockstep has no program and cannot build one.
func errNoGo(why error) error {
	return fmt.Errorf("this lockstep has no playground in it, and cannot build it: %w\n"+
		"Install Go 1.26 or newer (https://go.dev/dl) so that the command go is found, or build lockstep with the playground in it:\n"+
		"  go run ./cmd/lockstep/internal/site/genprogram && go install -tags playground ./cmd/lockstep", why)
}
