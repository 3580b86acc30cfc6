package playground

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/infocmd"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// maxSourceText bounds what is compiled, in bytes.
const maxSourceText = 4 << 20

// Sizes of the launch that a form begins with.
const (
	formItems = 64
	formLocal = 16
	formSide  = 8 // of images
)

// compile compiles a source and describes its kernels.
func compile(ctx context.Context, src *Source) (*CompileResult, error) {
	if src == nil {
		return nil, errNoSource
	}
	if len(src.Text) > maxSourceText {
		return nil, fmt.Errorf("the source has %d bytes; %d is the most", len(src.Text), maxSourceText)
	}
	result := &CompileResult{Diagnostics: []clc.Diagnostic{}, Kernels: []Kernel{}}
	var opt clc.Options
	list, err := clc.SplitOptions(src.Options)
	if err == nil {
		err = opt.Add(list)
	}
	if err != nil {
		result.OptionsError = err.Error()
		return result, nil
	}
	opt.MaxErrors = 100
	code, err := clc.CompileCode(ctx, clc.Source{Name: src.name(), Text: src.Text}, opt)
	var wrong *clc.Error
	switch {
	case errors.As(err, &wrong):
		result.take(&wrong.Log)
		return result, nil
	case err != nil:
		return nil, err
	}
	result.OK = true
	result.take(&code.Log)
	var b bytes.Buffer
	if _, err := code.WriteTo(&b); err != nil {
		return nil, err
	}
	forms, err := infocmd.Forms(b.Bytes())
	if err != nil {
		return nil, err
	}
	for i := range forms {
		result.Kernels = append(result.Kernels, kernel(&forms[i], src.Text))
	}
	return result, nil
}

// take takes what the compiler says.
func (r *CompileResult) take(log *clc.Log) {
	r.Diagnostics = append(r.Diagnostics, log.Diagnostics...)
	r.Text = log.Text(false)
}

// kernel describes a kernel, with a launch to start from.
func kernel(f *infocmd.KernelForm, text string) Kernel {
	k := Kernel{Name: f.Name, Line: lineOfKernel(text, f.Name), Params: []Parameter{}, RequiredLocal: f.RequiredLocal, LocalHint: f.LocalHint,
		RequiredSubgroup: f.RequiredSubgroup, Global: fmt.Sprint(formItems), Local: fmt.Sprint(formLocal)}
	count := uint64(formItems)
	if local := f.RequiredLocal; len(local) > 0 {
		var global, sizes []string
		count = 1
		last := len(local)
		for last > 1 && local[last-1] == 1 {
			last--
		}
		for i, n := range local[:last] {
			groups := uint32(2)
			if i > 0 {
				groups = 1
			}
			count *= uint64(n * groups)
			global, sizes = append(global, fmt.Sprint(n*groups)), append(sizes, fmt.Sprint(n))
		}
		k.Global, k.Local = strings.Join(global, ","), strings.Join(sizes, ",")
	}
	for i := range f.Params {
		k.Params = append(k.Params, parameter(&f.Params[i], min(count, 1<<16)))
	}
	return k
}

// lineOfKernel returns the line on which the name of a kernel first stands as a word before a bracket.
func lineOfKernel(text, name string) int {
	n := 0
	for line := range strings.Lines(text) {
		n++
		for rest := line; ; {
			i := strings.Index(rest, name)
			if i < 0 {
				break
			}
			before, after := rest[:i], strings.TrimSpace(rest[i+len(name):])
			if (before == "" || !wordByte(before[len(before)-1])) && strings.HasPrefix(after, "(") {
				return n
			}
			rest = rest[i+len(name):]
		}
	}
	return 0
}

// wordByte says whether a byte may be part of a name.
func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// kinds are what pages call the kinds of parameters.
var kinds = map[string]string{"buffer": "buffer", "local": "local", "value": "scalar", "image": "image", "sampler": "sampler", "pipe": "pipe"}

// parameter describes a parameter, with an argument for so many work-items.
func parameter(p *infocmd.ParamForm, count uint64) Parameter {
	kind := kinds[p.Kind]
	if kind == "" {
		kind = p.Kind
	}
	count *= vectorWidth(p.Type) // elements are those of vectors
	fill := strings.NewReplacer("HEX", strings.Repeat("00", int(min(p.Bytes, 4096))), "COUNT", fmt.Sprint(count), "BYTES", fmt.Sprint(16*formLocal),
		"WIDTH", fmt.Sprint(formSide), "HEIGHT", fmt.Sprint(formSide), "DEPTH", fmt.Sprint(formSide), "N", fmt.Sprint(count), "V", "1")
	q := Parameter{Name: p.Name, Type: p.Type, Kind: kind, Access: p.Access, Bytes: p.Bytes, Default: fill.Replace(p.Form), Printable: p.Out}
	if fields := strings.Split(p.Form, ":"); kind == "scalar" && len(fields) > 1 {
		q.Element = fields[0]
	} else if len(fields) > 1 && kind == "buffer" {
		q.Element = fields[1]
	} else if len(fields) > 1 && kind == "pipe" {
		q.Element = fields[1]
	}
	switch p.Access {
	case "ReadOnly":
		q.Access = "read"
	case "WriteOnly":
		q.Access = "write"
	case "ReadWrite":
		q.Access = "read_write"
	}
	if kind == "buffer" && q.Access == "" {
		q.Access = "read_write"
		if p.Const {
			q.Access = "read"
		}
	}
	return q
}

// vectorWidth returns the components of a type such as "global float4*" that a memory has, 1 for what is no vector: in
// memory, vectors of three have room for four.
func vectorWidth(typ string) uint64 {
	typ = strings.TrimRight(typ, "*")
	switch digits := typ[len(strings.TrimRight(typ, "0123456789")):]; digits {
	case "2", "4", "8":
		return uint64(digits[0] - '0')
	case "3":
		return 4
	case "16":
		return 16
	}
	return 1
}
