// Genprogram builds lockstep for WebAssembly and writes it to the folder program of package site, for builds of lockstep
// with the tag playground. If the program brotli is installed, it writes a second form, which is smaller and which
// `lockstep serve` sends. Run it in the root of the repository:
//
//	go run ./cmd/lockstep/internal/site/genprogram
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
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
	p, err := site.Build(ctx, ".", os.Stderr)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "lockstep.wasm.gz"), p.Gzip, 0o666); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "wasm_exec.js"), p.Exec, 0o666); err != nil {
		return err
	}
	fmt.Printf("lockstep.wasm     %9d bytes\nlockstep.wasm.gz  %9d bytes\nwasm_exec.js      %9d bytes\n", p.Bytes, len(p.Gzip), len(p.Exec))
	brotli, err := exec.LookPath("brotli")
	if err != nil {
		fmt.Println("lockstep.wasm.br  left out: the program brotli is not installed")
		return nil
	}
	r, err := gzip.NewReader(bytes.NewReader(p.Gzip))
	if err != nil {
		return err
	}
	out := filepath.Join(dir, "lockstep.wasm.br")
	cmd := exec.CommandContext(ctx, brotli, "--force", "--quality=11", "--lgwin=24", "--output="+out, "-")
	cmd.Stdin, cmd.Stderr = io.Reader(r), os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("brotli: %w", err)
	}
	info, err := os.Stat(out)
	if err != nil {
		return err
	}
	fmt.Printf("lockstep.wasm.br  %9d bytes\n", info.Size())
	return nil
}
