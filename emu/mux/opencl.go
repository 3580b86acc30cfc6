package mux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// OpenCLC is the front end of contexts that name none: the compiler of package spirv/clc. It reads files of
// the folders that -I names, and no others.
var OpenCLC FrontEnd = openCLC{}

// NoFrontEnd is a front end that compiles nothing: each source is an error that wraps [ErrNoFrontEnd].
var NoFrontEnd FrontEnd = noFrontEnd{}

type noFrontEnd struct{}

// CompileOpenCLC implements [FrontEnd].
func (noFrontEnd) CompileOpenCLC(context.Context, *FrontEndRequest) (*FrontEndResult, error) {
	return nil, ErrNoFrontEnd
}

type openCLC struct{}

// sourceName is what messages call the source.
const sourceName = "program.cl"

// maxHeader bounds a file that a source includes, in bytes.
const maxHeader = 64 << 20

// CompileOpenCLC implements [FrontEnd].
func (openCLC) CompileOpenCLC(ctx context.Context, req *FrontEndRequest) (*FrontEndResult, error) {
	opt, err := req.options()
	if err != nil {
		return nil, err
	}
	res, err := clc.Compile(ctx, clc.Source{Name: sourceName, Text: req.Source}, opt)
	var wrong *clc.Error
	switch {
	case err == nil:
		return &FrontEndResult{SPIRV: res.Module.Encode(), Log: res.Log.Text(false)}, nil
	case errors.As(err, &wrong):
		return &FrontEndResult{Log: wrong.Log.Text(false), Errors: wrong.Log.Errors()}, within(ErrCompileProgramFailure, err)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return nil, fmt.Errorf("%w: %w", ErrFailure, err)
}

// options returns what the compiler is asked for.
func (req *FrontEndRequest) options() (clc.Options, error) {
	var opt clc.Options
	o := req.Options
	if o == nil {
		o = &Options{}
	}
	words := o.Flags
	if o.Std != "" {
		words = append(words[:len(words):len(words)], "-cl-std="+o.Std)
	}
	if err := opt.Add(words); err != nil {
		return opt, within(ErrInvalidCompilerOptions, err)
	}
	opt.Definitions = append(opt.Definitions, o.Definitions...)
	if req.Profile == EmbeddedProfile {
		opt.Definitions = append(opt.Definitions, "__EMBEDDED_PROFILE__=1")
	}
	opt.Include = append(opt.Include, o.Includes...)
	opt.Open = o.open
	opt.Headers = make(map[string]string, len(req.Headers))
	for _, h := range req.Headers {
		if !filepath.IsLocal(filepath.FromSlash(h.Name)) || path.Clean(h.Name) == "." {
			return opt, fmt.Errorf("the header %q is no path that sources can include: %w", h.Name, ErrInvalidValue)
		}
		opt.Headers[path.Clean(h.Name)] = h.Source
	}
	if d := req.Device; d != nil {
		opt.AddressBits = d.AddressBits
		opt.Without = map[string]bool{"cl_khr_fp16": !d.Half, "cl_khr_fp64": !d.Double}
	}
	return opt, nil
}

// open reads a header from the folders of -I.
func (o *Options) open(name string) (string, bool) {
	for _, dir := range o.Includes {
		rest, ok := strings.CutPrefix(name, strings.TrimSuffix(dir, "/")+"/")
		if !ok || !filepath.IsLocal(filepath.FromSlash(rest)) {
			continue
		}
		// Nothing is read that has no end, such as a device.
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() > maxHeader {
			continue
		}
		if text, err := os.ReadFile(name); err == nil {
			return string(text), true
		}
	}
	return "", false
}
