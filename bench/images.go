package bench

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu"
)

// ImageSource is the source of the kernels of [ImageWorkloads].
//
//go:embed images.cl
var ImageSource string

// ImageWorkload is a kernel that reads one image and writes another.
type ImageWorkload struct {
	Name   string
	Kernel *kernels.Kernel
	Launch kernels.Launch
	// Tolerance is what an element may differ from that of an implementation which does not round what a
	// filter gives correctly: of integers by so many, of floats by that share of the largest element.
	Tolerance float64
}

// ImageWorkloads returns the kernels with images of n by n elements, n a multiple of 64.
func ImageWorkloads(n int) []*ImageWorkload {
	image := func(format, elements string) string { return fmt.Sprintf("image:%dx%d:%s:%s", n, n, format, elements) }
	bytes := func(seed int) string { return image("rgba:unorm8", fmt.Sprintf("rand:u8:%d:%d", 4*n*n, seed)) }
	floats := func(seed int) string { return image("rgba:f32", fmt.Sprintf("rand:f32:%d:%d:0:4", 4*n*n, seed)) }
	noBytes, noFloats := image("rgba:unorm8", fmt.Sprintf("zero:u8:%d", 4*n*n)), image("rgba:f32", fmt.Sprintf("zero:f32:%d", 4*n*n))
	const (
		nearest    = "sampler:nearest,clamp_to_edge,unnormalized"
		linear     = "sampler:linear,clamp,unnormalized"
		normalized = "sampler:linear,clamp_to_edge,normalized"
		cos, sin   = "f32:0.96", "f32:0.28"
	)
	list := []struct {
		entry, format string
		tolerance     float64
		args          []string
	}{
		{"blur", "nearest, rgba:unorm8", 1, []string{bytes(1), nearest, noBytes}},
		{"blur", "nearest, rgba:f32", 1e-6, []string{floats(1), nearest, noFloats}},
		{"turn", "linear, rgba:unorm8", 1, []string{bytes(2), linear, noBytes, cos, sin}},
		{"turn", "linear, rgba:f32", 1e-5, []string{floats(2), linear, noFloats, cos, sin}},
		{"rescale", "linear, rgba:unorm8", 1, []string{bytes(3), normalized, noBytes}},
		{"rescale", "linear, rgba:f32", 1e-5, []string{floats(3), normalized, noFloats}},
		{"tonemap", "no sampler, rgba:f32 to rgba:unorm8", 1, []string{floats(4), noBytes, "f32:0.7"}},
		{"dilate", "nearest, rgba:u8", 0, []string{image("rgba:u8", fmt.Sprintf("rand:u8:%d:5", 4*n*n)), nearest, image("rgba:u8", fmt.Sprintf("zero:u8:%d", 4*n*n))}},
		{"slope", "no sampler, r:i16", 0, []string{image("r:i16", fmt.Sprintf("rand:i16:%d:6:-9999:9999", n*n)), image("r:i16", fmt.Sprintf("zero:i16:%d", n*n))}},
	}
	workloads := make([]*ImageWorkload, len(list))
	for i, e := range list {
		l := kernels.Launch{Global: []uint64{uint64(n), uint64(n)}, Local: []uint64{16, 16}, Args: e.args}
		if e.entry == "rescale" { // to three quarters
			m := n * 3 / 4
			l.Global = []uint64{uint64(m), uint64(m)}
			l.Args = []string{e.args[0], e.args[1], fmt.Sprintf("image:%dx%d:%s", m, m, strings.TrimPrefix(e.format, "linear, "))}
		}
		out := slices.IndexFunc(l.Args[1:], func(a string) bool { return strings.HasPrefix(a, "image:") }) + 1
		workloads[i] = &ImageWorkload{
			Name:      e.entry + ", " + e.format,
			Kernel:    &kernels.Kernel{Name: "images " + e.entry, Module: "images", Entry: e.entry, Outputs: []int{out}},
			Launch:    l,
			Tolerance: e.tolerance,
		}
	}
	return workloads
}

// Open makes a session of the kernel, compiled from its source.
func (w *ImageWorkload) Open(opt emu.DeviceOptions) (*Session, error) {
	module, err := compile(w.Kernel.Module+".cl", ImageSource)
	if err != nil {
		return nil, err
	}
	return OpenModule(w.Kernel, module, w.Launch, opt)
}
