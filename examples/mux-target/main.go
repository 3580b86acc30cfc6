// Command mux-target shows how a compiler of one's own is made from package emu/mux. It is a
// compiler for a small device (target.go), next to lockstep's own ones, and drives whichever
// is asked for in the way that a runtime does: it takes OpenCL C or a SPIR-V module, finalizes it, says
// what is in it, and writes the binary, which `lockstep run` runs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/lockstep-gpu/lockstep/emu/mux"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mux-target:", err)
		os.Exit(1)
	}
}

// run is the command with its arguments.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("mux-target", flag.ContinueOnError)
	flags.SetOutput(out)
	name := flags.String("compiler", "tiny-sg4", "the compiler: see -list")
	list := flags.Bool("list", false, "list the compilers with their options")
	options := flags.String("options", "", "options for the compilation")
	binary := flags.String("o", "", "write the binary to this file")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if compilersErr != nil {
		return compilersErr
	}
	known, err := mux.Compilers(GetCompilers, mux.GetCompilers)
	if err != nil {
		return err
	}
	if *list {
		return show(known, out)
	}
	if flags.NArg() != 1 {
		return errors.New("one source or SPIR-V module is wanted; -h shows the flags")
	}
	code, err := os.ReadFile(flags.Arg(0))
	if err != nil {
		return err
	}
	for _, info := range known {
		if info.DeviceInfo().Name == *name {
			return compile(ctx, info, code, *options, *binary, out)
		}
	}
	return fmt.Errorf("there is no compiler %q; -list shows them", *name)
}

// show lists compilers.
func show(known []mux.Info, out io.Writer) error {
	for _, info := range known {
		d := info.DeviceInfo()
		deferred := "no deferred compilation"
		if info.SupportsDeferredCompilation() {
			deferred = "deferred compilation"
		}
		fmt.Fprintf(out, "%s: sub-groups of %d, work-groups of up to %d, %s\n", d.Name, d.SubGroupSize, d.MaxWorkGroupSize, deferred)
		own, err := mux.ParseCompilationOptions(info.CompilationOptions())
		if err != nil {
			return err
		}
		for _, o := range own {
			value := ""
			if o.TakesValue {
				value = " VALUE"
			}
			fmt.Fprintf(out, "  %s%s: %s\n", o.Name, value, o.Help)
		}
	}
	return nil
}

// compile takes a source, or a module, all the way.
func compile(ctx context.Context, info mux.Info, code []byte, options, binary string, out io.Writer) error {
	target, err := info.CreateTarget(mux.NewContext(mux.ContextOptions{}), nil, nil, nil)
	if err != nil {
		return err
	}
	if err := target.InitWithBuiltins(nil); err != nil {
		return err
	}
	diag := &mux.Diagnostics{}
	module, err := target.CreateModule(diag)
	if err != nil {
		return err
	}
	if err := module.ParseOptions(options, mux.OptionsBuild); err != nil {
		return err
	}
	if words, notSPIRV := mux.Words(code); notSPIRV == nil {
		device := info.DeviceInfo().SPIRV()
		_, err = module.CompileSPIRV(ctx, words, &device, nil)
	} else {
		err = module.CompileOpenCLC(ctx, mux.FullProfile, string(code), nil)
	}
	if err != nil {
		fmt.Fprint(out, diag.Log())
		return err
	}
	program, _, err := module.Finalize(ctx)
	if err != nil {
		return err
	}
	fmt.Fprint(out, diag.Log())
	for _, k := range program.Kernels {
		fmt.Fprintf(out, "kernel %s(", k.Name)
		for i, a := range k.Args {
			if i > 0 {
				fmt.Fprint(out, ", ")
			}
			fmt.Fprintf(out, "%s %s", a.TypeName, a.Name)
		}
		fmt.Fprintf(out, ")\n")
		switch kernel, err := module.GetKernel(k.Name); {
		case errors.Is(err, mux.ErrFeatureUnsupported):
			fmt.Fprintf(out, "  %v\n", err)
		case err != nil:
			return err
		default:
			fmt.Fprintf(out, "  preferred work-group: %d\n", kernel.PreferredLocalSizes())
		}
	}
	if binary == "" {
		return nil
	}
	data, err := module.CreateBinary()
	if err != nil {
		return err
	}
	if err := os.WriteFile(binary, data, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(out, "wrote %s\n", binary)
	return nil
}
