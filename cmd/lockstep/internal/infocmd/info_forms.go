package infocmd

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/loader"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// KernelForm is a kernel of a module, with what a command line for it begins with.
type KernelForm struct {
	Name                     string
	Params                   []ParamForm
	RequiredLocal, LocalHint []uint32
	RequiredSubgroup         uint32
}

// ParamForm is a parameter of a kernel.
type ParamForm struct {
	Name, Type string // Type is for people
	Kind       string // as in the document of info: "buffer", "value", "local" …
	Access     string
	Const      bool
	Bytes      uint64
	// Form is an argument to start from, with N, COUNT, V, HEX, BYTES, WIDTH and HEIGHT for what lockstep does not know; ""
	// where there is no argument for the parameter.
	Form string
	// Out says that -out can print it.
	Out bool
}

// Forms describes the kernels of a module for those who ask for arguments.
func Forms(data []byte) ([]KernelForm, error) {
	m := &loader.Module{Data: data}
	info, sm, err := Reflect(m)
	if err != nil {
		return nil, err
	}
	doc := NewModuleInfo(m, info)
	doc.AddStructures(sm)
	doc.AddPipes(m)
	var list []KernelForm
	for i, k := range doc.Kernels {
		form := KernelForm{Name: k.Name, RequiredLocal: k.LocalSize, LocalHint: k.LocalSizeHint, RequiredSubgroup: k.SubgroupSize}
		for j, a := range doc.args[i] {
			p := &k.Args[j]
			one := ParamForm{Name: p.Name, Type: strings.TrimSpace(strings.TrimSuffix(cmdline.Parameter(a), p.Name)), Kind: p.Kind, Access: p.Access, Const: p.Const, Bytes: p.Bytes}
			if p.PacketBytes > 0 {
				one.Bytes = uint64(p.PacketBytes)
			}
			switch {
			case a.Kind == spirv.ArgPipe:
				one.Form = p.pipeForm()
			case p.Form != "":
				one.Form = p.Form
			default:
				one.Form = cmdline.ArgumentForm(a)
			}
			one.Out = a.Kind == spirv.ArgBuffer && a.AddressSpace != spirv.StorageClassUniformConstant
			form.Params = append(form.Params, one)
		}
		list = append(list, form)
	}
	return list, nil
}
