package hostrun

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/internal/words"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// Case is what a session has to know of a launch beyond package emu's to record it and to tell results apart.
type Case struct {
	Module    []byte // SPIR-V
	Source    string // of OpenCL C, "" where there is none
	Options   string // of the build
	Constants map[uint32]uint64
	Args      []CaseArg // one for each parameter
	// Shared returns the allocations of shared virtual memory that the kernel can get at, in the order of their addresses,
	// with copies of what they hold now. It is nil where there are none.
	Shared func() []CaseShared
	Call   func() *Call // finds the place of the host's call; may be nil, and return nil
	Beside []int        // numbers of launches that share pipes with this one and run at the same time

	problems []string // why the recorded launch may differ
}

// CaseArg is an argument. One of its fields says what it is.
type CaseArg struct {
	Value   []byte // by value
	Local   uint64 // bytes of local memory
	Null    bool
	Sampler *emu.Sampler
	Memory  *CaseMemory
	Pipe    *emu.Pipe
	Address uint64 // in shared virtual memory
}

// CaseShared is an allocation of shared virtual memory.
type CaseShared struct {
	Address             uint64
	Bytes               []byte
	ReadOnly, WriteOnly bool
}

// CaseMemory is the memory of a buffer or an image.
type CaseMemory struct {
	Root   any    // what sub-buffers and views have in common: memory of the same Root is the same memory
	Offset uint64 // of the first byte, from the start of the root
	Bytes  []byte
	Image  *emu.Image // nil for a buffer
	// ReadOnly and WriteOnly say what the kernel may do with a buffer.
	ReadOnly, WriteOnly bool
}

// digest hashes what the launch left behind.
func (c *Case) digest(number int, k *emu.Kernel) Digest {
	// A line has one launch, and its fields no tabs.
	name := func(text string) string { return strings.ReplaceAll(printable(text), "\n", " ") }
	d := Digest{Number: number, Kernel: name(k.Name())}
	for i, p := range k.Params() {
		if m := c.Args[i].Memory; m != nil {
			d.Args = append(d.Args, ArgDigest{name(cmp.Or(p.Name, strconv.Itoa(i))), Sum(m.Bytes)})
		}
	}
	return d
}

// record writes a launch to the folder of -record before it runs: a file of arguments for lockstep run, and a folder with
// the module and the contents of memory beside it. It returns the path of the file.
func (s *Session) record(n int, l *emu.Launch, c *Case) (string, error) {
	var dir string
	for ; ; n++ {
		dir = filepath.Join(s.o.folder(), fmt.Sprintf("%d.d", n))
		err := os.Mkdir(dir, 0o777)
		if err == nil {
			break
		}
		if !errors.Is(err, os.ErrExist) {
			return "", err
		}
		// Another process of the program has this number.
	}
	w := &caseWriter{dir: dir, c: c}
	if err := w.module(); err != nil {
		return "", err
	}
	w.flag("kernel", l.Kernel.Name())
	if err := w.sizes(l); err != nil {
		return "", err
	}
	ids := make([]uint32, 0, len(c.Constants))
	for id := range c.Constants {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		w.flag("spec", fmt.Sprintf("%d=%d", id, c.Constants[id]))
	}
	if err := w.arguments(l); err != nil {
		return "", err
	}
	if len(c.Beside) > 0 {
		w.problem("it ran together with launches %v, with which it shares pipes, and is recorded alone", c.Beside)
	}
	w.options(s.o)
	for _, p := range c.problems {
		w.comment(p)
	}
	path := strings.TrimSuffix(dir, ".d")
	return path, os.WriteFile(path, []byte(w.text.String()), 0o666)
}

// caseWriter writes a file of arguments.
type caseWriter struct {
	dir    string
	c      *Case
	text   strings.Builder
	shared []CaseShared
}

func (w *caseWriter) comment(text string) {
	for line := range strings.Lines(text) {
		w.text.WriteString("# " + printable(strings.TrimSpace(line)) + "\n")
	}
}

func (w *caseWriter) flag(name, value string) {
	w.text.WriteString(words.Join([]string{"-" + name, value}) + "\n")
}

// problem notes why the recorded launch may differ from the program's.
func (w *caseWriter) problem(format string, args ...any) {
	w.c.problems = append(w.c.problems, fmt.Sprintf(format, args...))
}

// file writes a file of the case and returns its path from the folder of the file of arguments, so that this can be moved.
func (w *caseWriter) file(name string, data []byte) (string, error) {
	return "{}/" + filepath.Base(w.dir) + "/" + name, os.WriteFile(filepath.Join(w.dir, name), data, 0o666)
}

// module writes the module, and the source beside it, where findings look for its lines.
func (w *caseWriter) module() error {
	w.comment("A launch of an OpenCL program: lockstep run @" + strings.TrimSuffix(w.dir, ".d"))
	if call := w.c.call(); call != nil {
		w.comment("launched by " + call.text())
	}
	if w.c.Options != "" {
		w.comment("built with the options " + w.c.Options)
	}
	path, err := w.file("module.spv", w.c.Module)
	if err == nil && w.c.Source != "" {
		_, err = w.file("program.cl", []byte(w.c.Source))
	}
	w.text.WriteString(words.Quote(path) + "\n")
	return err
}

// sizes writes the ND-range with the work-group size that the launch will have.
func (w *caseWriter) sizes(l *emu.Launch) error {
	local, err := l.Kernel.LocalSize(l.Range)
	if err != nil {
		return err
	}
	w.flag("global", dims(l.Range.Global))
	var list []uint64
	for _, n := range local[:len(l.Range.Global)] {
		list = append(list, uint64(n))
	}
	w.flag("local", dims(list))
	if slices.ContainsFunc(l.Range.Offset, func(n uint64) bool { return n != 0 }) {
		w.flag("offset", dims(l.Range.Offset))
	}
	return nil
}

func dims(list []uint64) string {
	var parts []string
	for _, n := range list {
		parts = append(parts, strconv.FormatUint(n, 10))
	}
	return strings.Join(parts, ",")
}

// options writes the options that results depend on. Checks are left out: a person adds -check or not.
func (w *caseWriter) options(o *Options) {
	for _, f := range []struct {
		name string
		n    uint64
	}{
		{"subgroup", uint64(o.Device.SubgroupSize)}, {"wave", uint64(o.Device.WaveLanes)}, {"dma-engines", uint64(o.Device.DMAEngines)},
		{"dma-queue", uint64(o.Device.DMAQueueDepth)}, {"dma-step", uint64(o.Device.DMABytesPerStep)}, {"poison", o.Device.Poison}, {"lds", o.Device.LocalMemory},
	} {
		if f.n != 0 {
			w.flag(f.name, strconv.FormatUint(f.n, 10))
		}
	}
	if o.Device.Engine != "" && o.Device.Engine != "auto" {
		w.flag("engine", o.Device.Engine)
	}
	if text := o.Schedule.String(); text != "" {
		w.text.WriteString(text + "\n")
	}
	if o.Memory == emu.MemoryWeak {
		w.flag("memory", "weak")
	}
	switch o.Parallel {
	case emu.ParallelNever:
		w.flag("parallel", "never")
	case emu.ParallelAlways:
		w.flag("parallel", "always")
	}
	if o.KeepGoing {
		w.text.WriteString("-keep-going\n")
	}
}

// arguments writes the arguments, and the buffers that several of them share.
func (w *caseWriter) arguments(l *emu.Launch) error {
	params := l.Kernel.Params()
	if err := w.sharedVirtual(); err != nil {
		return err
	}
	pipes, err := w.pipes()
	if err != nil {
		return err
	}
	shared := w.sharedBuffers()
	for i := range w.c.Args {
		spec, err := pipes[i], error(nil)
		if spec == "" {
			spec, err = w.argument(i, &w.c.Args[i], shared[i])
		}
		if err != nil {
			return err
		}
		if params[i].Kind == isa.ParamGlobal && w.c.Args[i].Memory != nil && shared[i] == "" {
			spec = w.c.Args[i].Memory.restricted() + spec
		}
		w.flag("arg", spec)
	}
	return nil
}

// restricted is what stands before the SPEC of a buffer that a kernel may not both read and write.
func restricted(readOnly, writeOnly bool) string {
	switch {
	case readOnly:
		return "ro:"
	case writeOnly:
		return "wo:"
	}
	return ""
}

func (m *CaseMemory) restricted() string { return restricted(m.ReadOnly, m.WriteOnly) }

// sharedVirtual writes the allocations of shared virtual memory, with their addresses: pointers lead from one to the other.
func (w *caseWriter) sharedVirtual() error {
	if w.c.Shared == nil {
		return nil
	}
	w.shared = w.c.Shared()
	for i, a := range w.shared {
		name := fmt.Sprintf("svm%d", i)
		path, err := w.file(name+".bin", a.Bytes)
		if err != nil {
			return err
		}
		w.flag("buffer", fmt.Sprintf("%s=at:%#x:%sin:%s:as-bytes", name, a.Address, restricted(a.ReadOnly, a.WriteOnly), path))
	}
	return nil
}

// address returns the SPEC of an address in shared virtual memory.
func (w *caseWriter) address(i int, address uint64) (string, error) {
	for n, a := range w.shared {
		if off := address - a.Address; address >= a.Address && off <= uint64(len(a.Bytes)) {
			if off == 0 {
				return fmt.Sprintf("buffer:svm%d", n), nil
			}
			return fmt.Sprintf("buffer:svm%d+%d", n, off), nil
		}
	}
	return "", fmt.Errorf("argument %d is an address in shared virtual memory that has been freed", i)
}

// pipes writes the pipes and returns the SPECs of the arguments that are pipes.
func (w *caseWriter) pipes() (map[int]string, error) {
	specs := map[int]string{}
	names := map[*emu.Pipe]string{}
	for i := range w.c.Args {
		p := w.c.Args[i].Pipe
		if p == nil {
			continue
		}
		if names[p] == "" {
			packets, err := p.Packets()
			if err != nil {
				return nil, fmt.Errorf("argument %d: %w", i, err)
			}
			names[p] = fmt.Sprintf("pipe%d", i)
			spec := fmt.Sprintf("%s=%d:%d", names[p], p.PacketBytes(), p.Capacity())
			if len(packets) != 0 {
				path, err := w.file(names[p]+".bin", packets)
				if err != nil {
					return nil, err
				}
				spec += ":in:" + path
			}
			w.flag("pipe", spec)
		}
		specs[i] = "pipe:" + names[p]
	}
	return specs, nil
}

// sharedBuffers finds arguments that share memory. It writes the buffers that they share, and returns their names by the
// numbers of the arguments.
func (w *caseWriter) sharedBuffers() map[int]string {
	names := map[int]string{}
	for i := range w.c.Args {
		a := w.c.Args[i].Memory
		if a == nil || names[i] != "" {
			continue
		}
		group, largest := []int{i}, a
		for j := i + 1; j < len(w.c.Args); j++ {
			if b := w.c.Args[j].Memory; b != nil && a.Root == b.Root && a.overlaps(b) {
				group = append(group, j)
				if len(b.Bytes) > len(largest.Bytes) {
					largest = b
				}
			}
		}
		if len(group) == 1 {
			continue
		}
		for _, j := range group {
			b := w.c.Args[j].Memory
			if b.Offset != largest.Offset || b.Image == nil && len(b.Bytes) != len(largest.Bytes) {
				w.problem("arguments %v are parts of one buffer that overlap, which a command line cannot say: they are buffers of their own", group)
				group = nil
				break
			}
		}
		name := fmt.Sprintf("shared%d", i)
		for _, j := range group {
			names[j] = name
		}
		if group != nil {
			path, err := w.file(name+".bin", largest.Bytes)
			if err != nil {
				w.problem("%v", err)
			}
			w.flag("buffer", name+"="+largest.restricted()+"in:"+path)
		}
	}
	return names
}

func (m *CaseMemory) overlaps(o *CaseMemory) bool {
	return m.Offset < o.Offset+uint64(len(o.Bytes)) && o.Offset < m.Offset+uint64(len(m.Bytes))
}

// argument returns the SPEC of an argument.
func (w *caseWriter) argument(i int, a *CaseArg, shared string) (string, error) {
	switch {
	case a.Memory != nil:
		return w.memory(i, a.Memory, shared)
	case a.Sampler != nil:
		return w.sampler(i, a.Sampler), nil
	case a.Local != 0:
		return fmt.Sprintf("local:%d", a.Local), nil
	case a.Value != nil:
		return "bytes:" + hex.EncodeToString(a.Value), nil
	case a.Address != 0:
		return w.address(i, a.Address)
	}
	return "null", nil
}

// imageKinds are the kinds as SPECs name them.
var imageKinds = map[emu.ImageKind]string{
	emu.Image2D: "image", emu.Image1D: "image1d", emu.Image1DBuffer: "image1d_buffer", emu.Image1DArray: "image1d_array",
	emu.Image2DArray: "image2d_array", emu.Image3D: "image3d",
}

// memory returns the SPEC of a buffer or an image.
func (w *caseWriter) memory(i int, m *CaseMemory, shared string) (string, error) {
	if m.Image == nil {
		if shared != "" {
			return "buffer:" + shared, nil
		}
		path, err := w.file(fmt.Sprintf("%d.bin", i), m.Bytes)
		return "in:" + path + ":as-bytes", err
	}
	d, f := m.Image.Desc(), m.Image.Format()
	size := strconv.Itoa(d.Width)
	switch d.Kind {
	case emu.Image2D:
		size += fmt.Sprintf("x%d", d.Height)
	case emu.Image1DArray:
		size += fmt.Sprintf("x%d", d.Layers)
	case emu.Image2DArray:
		size += fmt.Sprintf("x%dx%d", d.Height, d.Layers)
	case emu.Image3D:
		size += fmt.Sprintf("x%dx%d", d.Height, d.Depth)
	}
	if d.Levels > 1 {
		size += fmt.Sprintf("/%d", d.Levels)
	}
	head := func(pitch string) string {
		return fmt.Sprintf("%s:%s%s:%s:%s", imageKinds[d.Kind], size, pitch, f.Order, f.Type)
	}
	if shared != "" {
		pitch := ""
		if d.RowPitch != 0 && d.RowPitch != d.Width*f.Bytes() {
			if d.Kind != emu.Image2D {
				return "", fmt.Errorf("argument %d is an image with gaps between its rows that shares memory", i)
			}
			pitch = fmt.Sprintf("@%d", d.RowPitch)
		}
		return head(pitch) + ":buffer:" + shared, nil
	}
	data, err := m.Image.Bytes()
	if err != nil {
		return "", err
	}
	path, err := w.file(fmt.Sprintf("%d.bin", i), data)
	return head("") + ":in:" + path, err
}

// sampler returns the SPEC of a sampler.
func (w *caseWriter) sampler(i int, s *emu.Sampler) string {
	list := []string{"nearest", s.Addressing.String()}
	if s.Linear {
		list[0] = "linear"
	}
	switch {
	case s.Normalized:
		list = append(list, "normalized")
	case s.Addressing == emu.AddressRepeat || s.Addressing == emu.AddressMirroredRepeat:
		w.problem("argument %d is a sampler that repeats without normalized coordinates, which OpenCL leaves undefined: it is recorded with them", i)
	default:
		list = append(list, "unnormalized")
	}
	if s.MinLod > 0 || s.MaxLod > 0 && s.MaxLod < memory.MaxLevels {
		w.problem("argument %d is a sampler that bounds levels of detail, which a command line cannot say: it is recorded without bounds", i)
	}
	if s.MipLinear {
		list = append(list, "mip_linear")
	}
	return "sampler:" + strings.Join(list, ",")
}
