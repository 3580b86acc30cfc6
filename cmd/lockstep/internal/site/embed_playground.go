//go:build playground

package site

import (
	"bytes"
	"compress/gzip"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// The folder program is written by `go run ./cmd/lockstep/internal/site/genprogram`, and not in the repository.
//
//go:embed program
var program embed.FS

// embedded returns the program that was built before lockstep itself.
func embedded() (*Program, error) {
	p := &Program{}
	var err error
	if p.Gzip, err = program.ReadFile("program/" + wasmName); err != nil {
		return nil, err
	}
	if p.Exec, err = program.ReadFile("program/" + execName); err != nil {
		return nil, err
	}
	if p.Brotli, err = program.ReadFile("program/lockstep.wasm.br"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(p.Gzip))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", wasmName, err)
	}
	if p.Bytes, err = io.Copy(io.Discard, r); err != nil {
		return nil, fmt.Errorf("%s: %w", wasmName, err)
	}
	return p, nil
}
