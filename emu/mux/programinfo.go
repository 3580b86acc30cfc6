package mux

import (
	"fmt"
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// ProgramInfo describes the kernels of a finalized program that launches can start
// (compiler::ProgramInfo), in the order of the module.
type ProgramInfo struct {
	Kernels []KernelInfo
}

// Kernel returns the description of the kernel of the given name, or nil.
func (p *ProgramInfo) Kernel(name string) *KernelInfo {
	for i := range p.Kernels {
		if p.Kernels[i].Name == name {
			return &p.Kernels[i]
		}
	}
	return nil
}

// KernelInfo describes a kernel (compiler::KernelInfo).
type KernelInfo struct {
	Name string
	// Args are the parameters, with their names, types and qualifiers.
	Args []spirv.Arg

	ReqdWorkGroupSize [3]uint32 // zeros when the program does not say
	WorkGroupSizeHint [3]uint32
	VecTypeHint       string // "float4"; "" when the program does not say
	ReqdSubGroupSize  uint32 // 0 when the program does not say
	MaxWorkDim        uint32 // dimensions that a launch may have; 0 when the program does not say

	LocalMemory   uint64 // bytes that a work-group has of LDS, without local arguments
	PrivateMemory uint64 // bytes that a work-item has in memory
}

// PrintfDescriptor describes a printf call (builtins::printf::descriptor).
type PrintfDescriptor struct {
	Kernel string // in which kernel it is
	Format string
	Args   []PrintfArg
}

// PrintfArg is what a printf call prints.
type PrintfArg struct {
	Type     isa.Type // of an element
	Elements int      // more than one for a vector; 0 for a string
	Text     string   // of a string
}

// describe reads the kernels and printf calls of a program.
func describe(s *source, p *isa.Program) (*ProgramInfo, []PrintfDescriptor) {
	entries := make(map[string]*spirv.EntryPoint, len(s.info.EntryPoints))
	for i := range s.info.EntryPoints {
		entries[s.info.EntryPoints[i].Name] = &s.info.EntryPoints[i]
	}
	info := &ProgramInfo{}
	var printfs []PrintfDescriptor
	for _, k := range p.Kernels {
		if k.Meta.Inner {
			continue
		}
		out := KernelInfo{Name: k.Name, ReqdWorkGroupSize: k.ReqdLocalSize, WorkGroupSizeHint: k.LocalSizeHint, ReqdSubGroupSize: k.ReqdSubgroup, MaxWorkDim: k.Meta.MaxWorkDim,
			LocalMemory: allocated(k.Local), PrivateMemory: allocated(k.Private)}
		if e := entries[k.Name]; e != nil {
			out.Args, out.VecTypeHint = e.Args, e.VecTypeHint
		}
		for _, f := range k.Printfs {
			d := PrintfDescriptor{Kernel: k.Name, Format: f.Format}
			for _, a := range f.Args {
				arg := PrintfArg{Type: a.Type, Elements: len(a.Regs), Text: a.Str}
				if a.IsString {
					arg.Elements = 0
				}
				d.Args = append(d.Args, arg)
			}
			printfs = append(printfs, d)
		}
		info.Kernels = append(info.Kernels, out)
	}
	return info, printfs
}

// allocated is the sum of what a kernel declares; math.MaxUint64 when it is more.
func allocated(list []isa.Alloc) uint64 {
	var sum uint64
	for i := range list {
		if list[i].PerItem {
			continue
		}
		if sum+list[i].Size < sum {
			return math.MaxUint64
		}
		sum += list[i].Size
	}
	return sum
}

// checkLimits compares what a program needs with what the device has.
func (d *DeviceInfo) checkLimits(p *isa.Program) error {
	var variables uint64
	for i := range p.Globals {
		if variables += p.Globals[i].Size; variables < p.Globals[i].Size || d.MaxVariables != 0 && variables > d.MaxVariables {
			return fmt.Errorf("the program's variables up to %q take more than the %d bytes that the device has for them", p.Globals[i].Name, d.MaxVariables)
		}
	}
	for _, k := range p.Kernels {
		if n := allocated(k.Local); d.LocalMemory != 0 && n > d.LocalMemory {
			return fmt.Errorf("kernel %q takes %d bytes of local memory, the device has %d", k.Name, n, d.LocalMemory)
		}
		if n := allocated(k.Private); d.MaxPrivate != 0 && n > d.MaxPrivate {
			return fmt.Errorf("kernel %q takes %d bytes of private memory, the device has %d", k.Name, n, d.MaxPrivate)
		}
		var params uint64
		for i := range k.Params {
			if k.Params[i].Kind == isa.ParamValue {
				params += k.Params[i].Size
			}
		}
		if d.MaxParameters != 0 && params > d.MaxParameters {
			return fmt.Errorf("kernel %q takes %d bytes of arguments by value, the device up to %d", k.Name, params, d.MaxParameters)
		}
	}
	return nil
}
