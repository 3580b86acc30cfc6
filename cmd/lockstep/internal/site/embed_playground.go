//go:build playground

package site

import "embed"

// The folder program is written by `go run ./cmd/lockstep/internal/site/genprogram`, and not in the repository.
//
//go:embed program
var program embed.FS

// embedded returns the program that was built before lockstep itself.
func embedded() (*Program, error) {
	p := &Program{}
	var err error
	if p.Wasm, err = program.ReadFile("program/" + wasmName); err != nil {
		return nil, err
	}
	if p.Exec, err = program.ReadFile("program/" + execName); err != nil {
		return nil, err
	}
	return p, nil
}
