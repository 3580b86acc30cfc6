package launch

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/infocmd"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/internal/argument"
	"github.com/lockstep-gpu/lockstep/isa"
)

// KernelArg is an argument as given and what it became on the device.
type KernelArg struct {
	Text   string
	Spec   *argspec.Arg // without its data once that is on the device
	Buffer *emu.Buffer  // of a buffer
	Image  *emu.Image   // of an image
	View   *shared      // that an image is a view of
	Pipe   *Pipe        // of a pipe
	Arg    emu.Arg
}

// paramText describes a parameter as its source would: "global const float* x".
func paramText(p *emu.Param) string {
	var words []string
	switch p.Kind {
	case isa.ParamGlobal:
		words = append(words, "global")
	case isa.ParamLocal:
		words = append(words, "local")
	}
	if p.ReadOnly {
		words = append(words, "const")
	}
	words = append(words, p.Type)
	if p.Name != "" {
		words = append(words, p.Name)
	}
	return cmdline.Printable(strings.Join(words, " "))
}

// paramForm is the -arg SPEC that fits a parameter, with placeholders.
func paramForm(p *emu.Param) string {
	t, n := cmdline.ElementType(strings.TrimSuffix(p.Type, "*"))
	switch p.Kind {
	case isa.ParamGlobal:
		if t == "" {
			t = "u8"
		}
		return "zero:" + t + ":COUNT"
	case isa.ParamLocal:
		return "local:BYTES"
	case isa.ParamPipe:
		return "pipe:" + infocmd.Packet(p.Type, 0) + ":CAPACITY"
	case isa.ParamImage:
		return cmdline.ImageForm(p.Type)
	case isa.ParamSampler:
		return cmdline.SamplerForm
	case isa.ParamValue:
		if t == "" {
			return fmt.Sprintf("bytes:HEX (%s)", cmdline.Counted(p.Size, "byte"))
		}
		return t + ":V" + strings.Repeat(",V", n-1)
	}
	return "(not supported)"
}

// form is paramForm, with the fields of a structure where the module has them.
func (l *Launch) form(p *emu.Param) string {
	if l.Module == nil || p.Kind != isa.ParamValue {
		return paramForm(p)
	}
	if t, _ := cmdline.ElementType(p.Type); t != "" {
		return paramForm(p)
	}
	info, sm, err := infocmd.Reflect(l.Module)
	if err != nil || sm == nil {
		return paramForm(p)
	}
	doc := infocmd.NewModuleInfo(l.Module, info)
	doc.AddStructures(sm)
	for i := range doc.Kernels {
		if k := &doc.Kernels[i]; k.Name == l.Kernel.Name() && p.Index < len(k.Args) && strings.Contains(k.Args[p.Index].Form, ":V") {
			return k.Args[p.Index].Form
		}
	}
	return paramForm(p)
}

// signature lists a kernel's parameters, one a line, with a form of -arg for each.
func (l *Launch) signature() string {
	var b strings.Builder
	params := l.Kernel.Params()
	for i := range params {
		p := &params[i]
		fmt.Fprintf(&b, "\n  %d  %-32s  -arg %s", p.Index, paramText(p), l.form(p))
	}
	return b.String()
}

// parseArgs reads the -arg SPECs for the kernel's parameters and makes its
// buffers, images and pipes.
func (l *Launch) parseArgs(env *cmdline.Env) error {
	specs := *l.Part.args
	params := l.Kernel.Params()
	if len(specs) != len(params) {
		return fmt.Errorf("kernel %s takes %s, and %d -arg were given%s",
			cmdline.Printable(l.Kernel.Name()), cmdline.Counted(len(params), "argument"), len(specs), l.signature())
	}
	l.Args = make([]KernelArg, len(params))
	for i, text := range specs {
		if err := l.parseArg(env, i, text, &params[i]); err != nil {
			return &argError{i, fmt.Errorf("argument %d, %s: %w", i, paramText(&params[i]), err)}
		}
	}
	return nil
}

// parseArg reads a SPEC for a parameter.
func (l *Launch) parseArg(env *cmdline.Env, i int, text string, p *emu.Param) error {
	a := &l.Args[i]
	spec, err := argspec.Parse(text, l.run.options(env, fmt.Sprintf("argument %d of %s", i, l.Label())))
	if err != nil {
		return err
	}
	*a = KernelArg{Text: text, Spec: spec}
	if spec.Shared != "" {
		err = l.sharedArg(a, p)
	} else {
		err = l.pipeArg(a, p)
	}
	if err != nil {
		return fmt.Errorf("-arg %s: %w", text, err)
	}
	if err := a.fit(l, p); err != nil {
		return fmt.Errorf("-arg %s: %w", text, err)
	}
	return ExplainLimit(a.place(l.run.Dev, p))
}

// pipeArg finds or makes the pipe that an argument is, and notes how the kernel
// uses it.
func (l *Launch) pipeArg(a *KernelArg, p *emu.Param) error {
	if a.Spec.Kind != argspec.Pipe {
		return nil
	}
	r := l.run
	if name := a.Spec.Pipe.Name; name != "" {
		s, err := r.find(name, "pipe")
		if err != nil {
			return err
		}
		s.used = true
		a.Pipe, a.Spec = s.pipe, s.pipe.Spec
	} else {
		a.Pipe = &Pipe{Spec: a.Spec}
		r.Pipes = append(r.Pipes, a.Pipe) // so that it is closed, whatever comes
		if p.Kind == isa.ParamPipe {
			name := p.Name
			if len(r.Launches) > 1 {
				name = fmt.Sprintf("%s of launch %d", cmp.Or(name, fmt.Sprintf("argument %d", p.Index)), l.number)
			}
			if err := a.Pipe.make(r, name); err != nil {
				return ExplainLimit(err)
			}
		}
	}
	if p.Kind == isa.ParamPipe {
		a.Pipe.typed(p)
		a.Pipe.reads, a.Pipe.writes = a.Pipe.reads || p.Pipe.Reads, a.Pipe.writes || p.Pipe.Writes
		a.Arg = a.Pipe.dev
	}
	return nil
}

// sharedArg finds the buffer that an argument is, or that an image is a view of.
func (l *Launch) sharedArg(a *KernelArg, p *emu.Param) error {
	s, err := l.run.find(a.Spec.Shared, "buffer")
	if err != nil {
		return err
	}
	s.used = true
	if a.Spec.Kind == argspec.Image {
		if a.View = s; p.Kind != isa.ParamImage {
			return nil // which is said later
		}
		a.Image, err = argument.NewView(l.run.Dev, a.Spec, s.Buffer, argument.Options{Name: p.Name})
		a.Arg = a.Image
		return err
	}
	offset := a.Spec.Offset
	switch a.Spec, a.Buffer, a.Arg = s.Spec, s.Buffer, s.Buffer; {
	case s.svm != nil:
		a.Arg = s.svm.At(offset)
	case offset != 0:
		return fmt.Errorf("buffer %s has no address, so that there are no pointers into it: -buffer %s=at:ADDRESS:SPEC gives it one", s.Name, s.Name)
	}
	return nil
}

// fit checks that an argument is of the parameter's kind and, for a value, size.
func (a *KernelArg) fit(l *Launch, p *emu.Param) error {
	kind := argument.Of(a.Spec)
	switch {
	case kind.Suits(a.Spec, p):
	case p.Kind == isa.ParamGlobal && a.Spec.Kind == argspec.Value && a.Spec.Type != argspec.U8:
		return fmt.Errorf("the parameter takes a buffer, this is a value; -arg buf:%s is a buffer of these values", a.Text)
	default:
		return fmt.Errorf("the parameter takes %s, this is %s; as in -arg %s", argument.Takes(p.Kind), kind.Noun(a.Spec), l.form(p))
	}
	switch {
	case a.Spec.Kind == argspec.Value:
		_, err := a.Spec.Fit(int(p.Size))
		if err != nil && strings.Contains(l.form(p), ":V") {
			return fmt.Errorf("%w; as in -arg %s", err, l.form(p))
		}
		return err
	case a.Spec.Kind == argspec.Buffer && a.Spec.Resource == nil:
		return a.fitElements(p)
	}
	return nil
}

// fitElements checks that the elements of a buffer are of the type that the parameter
// points to. Signed and unsigned integers of a width are the same, and a vector is its
// elements. Characters, structures and types without a name of a SPEC may be anything.
func (a *KernelArg) fitElements(p *emu.Param) error {
	pointee := strings.TrimSuffix(p.Type, "*")
	name, _ := cmdline.ElementType(pointee)
	want, ok := argspec.ParseType(name)
	have := a.Spec.Type
	if !ok || a.Spec.Raw || want.Size() == 1 || want.Size() == have.Size() && want.Float() == have.Float() {
		return nil
	}
	way := fmt.Sprintf("write %s:as-bytes", a.Text)
	if name, shared := strings.CutPrefix(a.Text, "buffer:"); shared {
		way = fmt.Sprintf("end the SPEC of -buffer %s in :as-bytes", name)
	}
	return fmt.Errorf("the buffer holds %s, but the parameter points to %s (%s); give it such elements, or %s to have the bytes taken as they are",
		have, cmdline.Printable(pointee), want, way)
}

// note says what is odd about an argument that fits, or "".
func (a *KernelArg) note(p *emu.Param) string {
	t, _ := cmdline.ElementType(p.Type)
	want, ok := argspec.ParseType(t)
	if p.Kind != isa.ParamValue || !ok || a.Spec.Kind != argspec.Value || strings.HasPrefix(a.Text, "bytes:") || want.Float() == a.Spec.Type.Float() {
		return ""
	}
	return fmt.Sprintf("argument %d, %s, is given as %s: the bits are taken as they are", p.Index, paramText(p), a.Spec.Type)
}

// place makes an argument that is not made yet. The device has the data of a buffer
// and an image then, and the host keeps no copy.
func (a *KernelArg) place(dev *emu.Device, p *emu.Param) error {
	if a.Arg != nil || a.Spec.Kind == argspec.Pipe {
		return nil
	}
	m, err := argument.Of(a.Spec).Make(dev, a.Spec, argument.Options{Name: p.Name, Size: p.Size, Take: true})
	if err != nil {
		return err
	}
	a.Arg, a.Image = m.Arg, m.Image
	if a.Spec.Kind == argspec.Buffer {
		a.Buffer = m.Buffer
	}
	return nil
}

// bytes calls f with what an argument that is a buffer or an image holds now. They are the bytes of a buffer
// themselves, and a copy of an image's.
func (a *KernelArg) bytes(f func([]byte) error) error {
	if a.Image == nil {
		return bufferBytes(a.Buffer, f)
	}
	data, err := a.Image.Bytes()
	if err != nil {
		return err
	}
	return f(data)
}

// bufferBytes calls f with the bytes of a buffer.
func bufferBytes(b *emu.Buffer, f func([]byte) error) error {
	data, err := b.Map()
	if err != nil {
		return err
	}
	return errors.Join(f(data), b.Unmap())
}
