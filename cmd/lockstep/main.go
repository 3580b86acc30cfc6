// Lockstep runs OpenCL kernels, compiled to SPIR-V, on a software GPU, and looks
// into their modules. `lockstep help` lists what it does.
//
// This file is the process: its files, its signals and its exit status.
// Everything else is in internal/cli and the packages beside it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cli"
)

func main() {
	// The first interrupt or request to terminate ends the command in an orderly way and
	// says where it was; the second one, the process.
	ctx, restore := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, restore)
	os.Exit(cli.Main(ctx, os.Args[1:], cli.System()))
}
