// Genprogram builds lockstep for WebAssembly and writes it to the folder program of package site, for builds of lockstep
// with the tag playground. Run it in the root of the repository:
//
//	go run ./cmd/lockstep/internal/site/genprogram
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/site"
)

func main() {
	log.SetFlags(0)
	if err := run(context.Background(), filepath.FromSlash("cmd/lockstep/internal/site/program")); err != nil {
		log.Fatal(err)
	}
}

// run writes the files to a folder.
func run(ctx context.Context, dir string) error {
	p, err := site.Build(ctx, ".", true, os.Stderr)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, file := range []struct {
		name string
		data []byte
	}{{"lockstep.wasm.xz", p.Wasm}, {"wasm_exec.js", p.Exec}} {
		if err := os.WriteFile(filepath.Join(dir, file.name), file.data, 0o666); err != nil {
			return err
		}
		fmt.Printf("%9d  %s\n", len(file.data), file.name)
	}
	return nil
}
