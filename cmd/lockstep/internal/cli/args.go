package cli

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/internal/argument"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// kernelArg is an argument as given and what it became on the device.
type kernelArg struct {
	text   string
	spec   *argspec.Arg // without its data once that is on the device
	buffer *emu.Buffer  // of a buffer
	image  *emu.Image   // of an image
	view   *shared      // that an image is a view of
	pipe   *pipe        // of a pipe
	arg    emu.Arg
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
	return printable(strings.Join(words, " "))
}

// paramForm is the -arg SPEC that fits a parameter, with placeholders.
func paramForm(p *emu.Param) string {
	t, n := elementType(strings.TrimSuffix(p.Type, "*"))
	switch p.Kind {
	case isa.ParamGlobal:
		if t == "" {
			t = "u8"
		}
		return "zero:" + t + ":COUNT"
	case isa.ParamLocal:
		return "local:BYTES"
	case isa.ParamPipe:
		return "pipe:" + packet(p.Type, 0) + ":CAPACITY"
	case isa.ParamImage:
		return imageForm(p.Type)
	case isa.ParamSampler:
		return samplerForm
	case isa.ParamValue:
		if t == "" {
			return fmt.Sprintf("bytes:HEX (%s)", counted(p.Size, "byte"))
		}
		return t + ":V" + strings.Repeat(",V", n-1)
	}
	return "(not supported)"
}

// form is paramForm, with the fields of a structure where the module has them.
func (l *launch) form(p *emu.Param) string {
	if l.module == nil || p.Kind != isa.ParamValue {
		return paramForm(p)
	}
	if t, _ := elementType(p.Type); t != "" {
		return paramForm(p)
	}
	info, sm, err := l.module.reflect()
	if err != nil || sm == nil {
		return paramForm(p)
	}
	doc := newModuleInfo(l.module, info)
	doc.structures(sm)
	for i := range doc.Kernels {
		if k := &doc.Kernels[i]; k.Name == l.kernel.Name() && p.Index < len(k.Args) && strings.Contains(k.Args[p.Index].form, ":V") {
			return k.Args[p.Index].form
		}
	}
	return paramForm(p)
}

// signature lists a kernel's parameters, one a line, with a form of -arg for each.
func (l *launch) signature() string {
	var b strings.Builder
	params := l.kernel.Params()
	for i := range params {
		p := &params[i]
		fmt.Fprintf(&b, "\n  %d  %-32s  -arg %s", p.Index, paramText(p), l.form(p))
	}
	return b.String()
}

// parseArgs reads the -arg SPECs for the kernel's parameters and makes its
// buffers, images and pipes.
func (l *launch) parseArgs(env *Env) error {
	specs := *l.part.args
	params := l.kernel.Params()
	if len(specs) != len(params) {
		return fmt.Errorf("kernel %s takes %s, and %d -arg were given%s",
			printable(l.kernel.Name()), counted(len(params), "argument"), len(specs), l.signature())
	}
	l.args = make([]kernelArg, len(params))
	for i, text := range specs {
		if err := l.parseArg(env, i, text, &params[i]); err != nil {
			return &argError{i, fmt.Errorf("argument %d, %s: %w", i, paramText(&params[i]), err)}
		}
	}
	return nil
}

// parseArg reads a SPEC for a parameter.
func (l *launch) parseArg(env *Env, i int, text string, p *emu.Param) error {
	a := &l.args[i]
	spec, err := argspec.Parse(text, l.run.options(env, fmt.Sprintf("argument %d of %s", i, l.label())))
	if err != nil {
		return err
	}
	*a = kernelArg{text: text, spec: spec}
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
	return explainLimit(a.place(l.run.dev, p))
}

// pipeArg finds or makes the pipe that an argument is, and notes how the kernel
// uses it.
func (l *launch) pipeArg(a *kernelArg, p *emu.Param) error {
	if a.spec.Kind != argspec.Pipe {
		return nil
	}
	r := l.run
	if name := a.spec.Pipe.Name; name != "" {
		s, err := r.find(name, "pipe")
		if err != nil {
			return err
		}
		s.used = true
		a.pipe, a.spec = s.pipe, s.pipe.spec
	} else {
		a.pipe = &pipe{spec: a.spec}
		r.pipes = append(r.pipes, a.pipe) // so that it is closed, whatever comes
		if p.Kind == isa.ParamPipe {
			name := p.Name
			if len(r.launches) > 1 {
				name = fmt.Sprintf("%s of launch %d", cmp.Or(name, fmt.Sprintf("argument %d", p.Index)), l.number)
			}
			if err := a.pipe.make(r, name); err != nil {
				return explainLimit(err)
			}
		}
	}
	if p.Kind == isa.ParamPipe {
		a.pipe.typed(p)
		a.pipe.reads, a.pipe.writes = a.pipe.reads || p.Pipe.Reads, a.pipe.writes || p.Pipe.Writes
		a.arg = a.pipe.dev
	}
	return nil
}

// sharedArg finds the buffer that an argument is, or that an image is a view of.
func (l *launch) sharedArg(a *kernelArg, p *emu.Param) error {
	s, err := l.run.find(a.spec.Shared, "buffer")
	if err != nil {
		return err
	}
	s.used = true
	if a.spec.Kind == argspec.Image {
		if a.view = s; p.Kind != isa.ParamImage {
			return nil // which is said later
		}
		a.image, err = argument.NewView(l.run.dev, a.spec, s.buffer, argument.Options{Name: p.Name})
		a.arg = a.image
		return err
	}
	offset := a.spec.Offset
	switch a.spec, a.buffer, a.arg = s.spec, s.buffer, s.buffer; {
	case s.svm != nil:
		a.arg = s.svm.At(offset)
	case offset != 0:
		return fmt.Errorf("buffer %s has no address, so that there are no pointers into it: -buffer %s=at:ADDRESS:SPEC gives it one", s.name, s.name)
	}
	return nil
}

// fit checks that an argument is of the parameter's kind and, for a value, size.
func (a *kernelArg) fit(l *launch, p *emu.Param) error {
	kind := argument.Of(a.spec)
	switch {
	case kind.Suits(a.spec, p):
	case p.Kind == isa.ParamGlobal && a.spec.Kind == argspec.Value && a.spec.Type != argspec.U8:
		return fmt.Errorf("the parameter takes a buffer, this is a value; -arg buf:%s is a buffer of these values", a.text)
	default:
		return fmt.Errorf("the parameter takes %s, this is %s; as in -arg %s", argument.Takes(p.Kind), kind.Noun(a.spec), l.form(p))
	}
	switch {
	case a.spec.Kind == argspec.Value:
		_, err := a.spec.Fit(int(p.Size))
		if err != nil && strings.Contains(l.form(p), ":V") {
			return fmt.Errorf("%w; as in -arg %s", err, l.form(p))
		}
		return err
	case a.spec.Kind == argspec.Buffer && a.spec.Resource == nil:
		return a.fitElements(p)
	}
	return nil
}

// fitElements checks that the elements of a buffer are of the type that the parameter
// points to. Signed and unsigned integers of a width are the same, and a vector is its
// elements. Characters, structures and types without a name of a SPEC may be anything.
func (a *kernelArg) fitElements(p *emu.Param) error {
	pointee := strings.TrimSuffix(p.Type, "*")
	name, _ := elementType(pointee)
	want, ok := argspec.ParseType(name)
	have := a.spec.Type
	if !ok || a.spec.Raw || want.Size() == 1 || want.Size() == have.Size() && want.Float() == have.Float() {
		return nil
	}
	way := fmt.Sprintf("write %s:as-bytes", a.text)
	if name, shared := strings.CutPrefix(a.text, "buffer:"); shared {
		way = fmt.Sprintf("end the SPEC of -buffer %s in :as-bytes", name)
	}
	return fmt.Errorf("the buffer holds %s, but the parameter points to %s (%s); give it such elements, or %s to have the bytes taken as they are",
		have, printable(pointee), want, way)
}

// note says what is odd about an argument that fits, or "".
func (a *kernelArg) note(p *emu.Param) string {
	t, _ := elementType(p.Type)
	want, ok := argspec.ParseType(t)
	if p.Kind != isa.ParamValue || !ok || a.spec.Kind != argspec.Value || strings.HasPrefix(a.text, "bytes:") || want.Float() == a.spec.Type.Float() {
		return ""
	}
	return fmt.Sprintf("argument %d, %s, is given as %s: the bits are taken as they are", p.Index, paramText(p), a.spec.Type)
}

// place makes an argument that is not made yet. The device has the data of a buffer
// and an image then, and the host keeps no copy.
func (a *kernelArg) place(dev *emu.Device, p *emu.Param) error {
	if a.arg != nil || a.spec.Kind == argspec.Pipe {
		return nil
	}
	m, err := argument.Of(a.spec).Make(dev, a.spec, argument.Options{Name: p.Name, Size: p.Size, Take: true})
	if err != nil {
		return err
	}
	a.arg, a.image = m.Arg, m.Image
	if a.spec.Kind == argspec.Buffer {
		a.buffer = m.Buffer
	}
	return nil
}

// bytes calls f with what an argument that is a buffer or an image holds now. They are the bytes of a buffer
// themselves, and a copy of an image's.
func (a *kernelArg) bytes(f func([]byte) error) error {
	if a.image == nil {
		return bufferBytes(a.buffer, f)
	}
	data, err := a.image.Bytes()
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

// specConstants reads the -spec flags for a module.
func specConstants(m *module, specs []string) (map[uint32]uint64, error) {
	sm, err := spirv.Decode(m.data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.name, err)
	}
	info, err := spirv.Reflect(sm)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.name, err)
	}
	values := map[uint32]uint64{}
	for _, text := range specs {
		id, value, err := parseSpec(info, text)
		if err != nil {
			return nil, err
		}
		values[id] = value
	}
	return values, nil
}

// parseSpec reads ID=VALUE for a specialization constant.
func parseSpec(info *spirv.Info, text string) (id uint32, value uint64, err error) {
	number, v, ok := strings.Cut(text, "=")
	n, perr := strconv.ParseUint(number, 10, 32)
	if !ok || perr != nil {
		return 0, 0, fmt.Errorf("-spec %s: it takes ID=VALUE, as in -spec 3=64", text)
	}
	for i := range info.SpecConstants {
		c := &info.SpecConstants[i]
		if uint64(c.SpecID) != n {
			continue
		}
		value, err := specValue(c, v)
		if err != nil {
			return 0, 0, fmt.Errorf("-spec %s: constant %d is a %s: %w", text, n, c.TypeName, err)
		}
		return c.SpecID, value, nil
	}
	var have []string
	for i := range info.SpecConstants {
		have = append(have, fmt.Sprint(info.SpecConstants[i].SpecID))
	}
	if len(have) == 0 {
		return 0, 0, fmt.Errorf("-spec %s: the module has no specialization constants", text)
	}
	return 0, 0, fmt.Errorf("-spec %s: the module has no specialization constant %d; it has %s", text, n, strings.Join(have, ", "))
}

// specValue gives the bits of a value for a specialization constant,
// zero-extended.
func specValue(c *spirv.SpecConstant, text string) (uint64, error) {
	if c.Bool {
		v, err := strconv.ParseBool(text)
		if err != nil {
			return 0, fmt.Errorf("%q is neither true nor false", text)
		}
		if v {
			return 1, nil
		}
		return 0, nil
	}
	width := min(max(c.Number.Width, 1), 64)
	if !c.Number.Float {
		// SPIR-V made from OpenCL C has no signed types, so both ranges are good.
		v, err := strconv.ParseUint(text, 0, width)
		if err != nil {
			s, serr := strconv.ParseInt(text, 0, width)
			if serr != nil {
				return 0, fmt.Errorf("%q is not an integer of %d bits", text, width)
			}
			v = uint64(s) << (64 - width) >> (64 - width)
		}
		return v, nil
	}
	a, err := argspec.Parse(fmt.Sprintf("f%d:%s", width, text), nil)
	if err != nil || a.Count != 1 {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	var v [8]byte
	copy(v[:], a.Data)
	return binary.LittleEndian.Uint64(v[:]), nil
}
