package conformance

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/emu/finding"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// trial is a case while it is run.
type trial struct {
	*resolved
	result  *Result
	loader  *loader
	timeout time.Duration
	check   bool
	configs []Config // still to be run
	binary  []byte
	spec    map[uint32]uint64
	key     string // what tells its program from those of other cases
	async   bool   // the kernel has asynchronous copies; known once it ran

	// memory has what configurations without findings must leave alike.
	memory map[expectation]left
	// peers holds what configurations have in common that differ only in what
	// counters and findings must not depend on either.
	peers map[peer]seen
}

// peer is the part of a configuration that counters, output and findings may depend on.
type peer struct {
	subgroup, wave int
	schedule       emu.Schedule
	marks          bool
	dma            DMA
}

// left is what the first configuration to come by left in an argument.
type left struct {
	config Config
	sum    [sha256.Size]byte
}

// seen is what the first configuration of a peer gave.
type seen struct {
	config   Config
	counters emu.Counters
	output   string
	findings string
}

// on runs the configurations of the case that come next and are for this device.
func (t *trial) on(ctx context.Context, d device, over func()) {
	for len(t.configs) > 0 && t.configs[0].device() == d {
		cfg := t.configs[0]
		t.configs = t.configs[1:]
		// Configurations for asynchronous copies are never the first.
		if t.async || !cfg.async {
			var faults []fault
			if ctx.Err() == nil {
				faults = t.run(ctx, cfg)
			}
			if ctx.Err() != nil {
				t.result.Status, t.configs = Stopped, nil
				over()
				return
			}
			t.result.Runs++
			for _, f := range faults {
				t.result.fail(f, cfg)
			}
		}
		if len(t.configs) == 0 {
			over()
		}
	}
}

// prepare assembles the module and reads the specialization constants.
func (t *trial) prepare() error {
	t.binary = t.module
	if !spirv.IsBinary(t.module) {
		v, _ := asm.TargetEnv("spv" + t.version())
		var err error
		if t.binary, err = asm.Assemble(string(t.module), asm.Options{Version: v}); err != nil {
			return t.assemblyError(err)
		}
	}
	t.spec = map[uint32]uint64{}
	for i, s := range t.SpecConstants {
		a, err := t.Case.spec("spec", i, s.Value)
		if err != nil {
			return err
		}
		if len(a.Data) > 8 || a.Kind != argspec.Value {
			return t.locate(t.file(), &problem{key: "spec", index: i, msg: "a specialization constant is one number"})
		}
		for j, b := range a.Data {
			t.spec[s.ID] |= uint64(b) << (8 * j)
		}
	}
	// fmt writes maps in the order of their keys.
	t.key = fmt.Sprintf("%x %v", sha256.Sum256(t.binary), t.spec)
	return nil
}

// assemblyError gives an error of the assembler its place in the case's file when the
// text is there, and else names the file that it is in.
func (t *trial) assemblyError(err error) error {
	var se *asm.SyntaxError
	if t.Module == "" && errors.As(err, &se) {
		return &SyntaxError{File: t.file(), Line: max(t.textLine, 1) + se.Line - 1, Column: se.Column, Msg: se.Msg, Err: err}
	}
	return t.locate(t.file(), &problem{key: "module", msg: fmt.Sprintf("%s: %v", t.Module, err), err: err})
}

// loader has the device and the program of the last run, for the next one to use.
type loader struct {
	made  device
	dev   *emu.Device
	key   string
	marks bool
	prog  *emu.Program
}

func (l *loader) close() {
	if l.dev != nil {
		l.dev.Close()
	}
	l.dev, l.prog = nil, nil
}

// load makes the device and the program of a configuration, unless the last run's
// will do. A program with program-scope variables keeps their values, and serves once.
func (l *loader) load(cfg Config, t *trial) error {
	if d := cfg.device(); l.dev == nil || l.made != d {
		l.close()
		dev, err := emu.NewDevice(emu.DeviceOptions{
			Engine: cfg.Engine, SubgroupSize: cfg.SubGroup, WaveLanes: cfg.Wave, Workers: cfg.Workers,
			DMAEngines: cfg.DMA.Engines, DMAQueueDepth: cfg.DMA.Queue, DMABytesPerStep: cfg.DMA.Step,
		})
		if err != nil {
			return err
		}
		l.dev, l.made = dev, d
	}
	if l.prog != nil && (l.key != t.key || l.marks != cfg.KeepMarks || len(l.prog.ISA().Globals) > 0) {
		if err := l.prog.Close(); err != nil {
			return err
		}
		l.prog = nil
	}
	if l.prog == nil {
		prog, err := l.dev.NewProgram(t.binary, emu.ProgramOptions{SpecConstants: t.spec, KeepMarks: cfg.KeepMarks})
		if err != nil {
			return err
		}
		l.prog, l.key, l.marks = prog, t.key, cfg.KeepMarks
	}
	return nil
}

// async says whether a kernel of the program has asynchronous copies.
func (l *loader) async(kernel string) bool {
	for _, k := range l.prog.ISA().Kernels {
		if k.Name == kernel {
			return k.UsesAsync
		}
	}
	return false
}

// launch runs the case once. buffers has the device memory of the arguments that are
// buffers, by argument; it is valid until the next launch.
func (t *trial) launch(ctx context.Context, cfg Config) (res *emu.Result, buffers map[int][]byte, err error) {
	if err := t.loader.load(cfg, t); err != nil {
		return nil, nil, err
	}
	k, err := t.loader.prog.Kernel(t.Kernel)
	if err != nil {
		return nil, nil, err
	}
	t.async = t.loader.async(t.Kernel)
	l := emu.Launch{
		Kernel: k, Schedule: cfg.Schedule, Check: t.check, Timeout: t.timeout,
		Range: emu.NDRange{Global: t.Global, Local: t.Local, Offset: t.Offset},
	}
	params := k.Params()
	held := map[int]holder{}
	defer func() {
		for _, b := range held {
			if ferr := b.Free(); err == nil {
				err = ferr
			}
		}
	}()
	for i, a := range t.args {
		switch a.Kind {
		case argspec.Null:
			l.Args = append(l.Args, emu.Null())
		case argspec.Local:
			l.Args = append(l.Args, emu.LocalBytes(uint64(a.Count)))
		case argspec.Value:
			data := a.Data
			if i < len(params) {
				// What does not fit goes on as it is: the launch says so.
				if fit, ferr := a.Fit(int(min(params[i].Size, maxBuffer))); ferr == nil {
					data = fit
				}
			}
			l.Args = append(l.Args, emu.Bytes(data))
		case argspec.Image:
			im, ierr := newImage(t.loader.dev, a)
			if im != nil {
				held[i] = im
			}
			if ierr != nil {
				return nil, nil, ierr
			}
			l.Args = append(l.Args, im.Image)
		default:
			b, berr := t.loader.dev.NewBuffer(uint64(len(a.Data)), emu.BufferOptions{})
			if berr != nil {
				return nil, nil, berr
			}
			held[i] = b
			if _, err := b.WriteAt(a.Data, 0); err != nil {
				return nil, nil, err
			}
			if r := a.Resource; r != nil {
				l.Args = append(l.Args, emu.Resource(b, r.Stride, r.Records))
			} else {
				l.Args = append(l.Args, b)
			}
		}
	}
	res, err = l.Run(ctx)
	if res == nil {
		return nil, nil, err
	}
	buffers = map[int][]byte{}
	for i, b := range held {
		data, berr := b.Bytes()
		if berr != nil {
			return nil, nil, berr
		}
		buffers[i] = data
	}
	return res, buffers, err
}

// holder is a buffer or image of a launch.
type holder interface {
	Bytes() ([]byte, error)
	Free() error
}

// heldImage is an image and the buffer that it is a view of, or nil.
type heldImage struct {
	*emu.Image
	buffer *emu.Buffer
}

// newImage makes the image of an argument.
func newImage(dev *emu.Device, a *argspec.Arg) (*heldImage, error) {
	info := a.Image
	desc := emu.ImageDesc{Width: info.Width, Height: info.Height}
	if info.Pitch != 0 {
		b, err := dev.NewBuffer(uint64(info.Origin)+uint64(info.Pitch)*uint64(info.Height), emu.BufferOptions{})
		if err != nil {
			return nil, err
		}
		desc.Buffer, desc.RowPitch, desc.Offset = b, info.Pitch, uint64(info.Origin)
	}
	im, err := dev.NewImage(desc, info.Format, emu.ImageOptions{})
	if err != nil {
		if desc.Buffer != nil {
			err = errors.Join(err, desc.Buffer.Free())
		}
		return nil, err
	}
	return &heldImage{im, desc.Buffer}, im.WriteRect(emu.Rect{Width: info.Width, Height: info.Height}, a.Data, 0)
}

// Free releases the image and its buffer.
func (h *heldImage) Free() error {
	err := h.Image.Free()
	if h.buffer != nil {
		err = errors.Join(err, h.buffer.Free())
	}
	return err
}

// run runs the case in one configuration and returns what is wrong.
func (t *trial) run(ctx context.Context, cfg Config) []fault {
	res, buffers, err := t.launch(ctx, cfg)
	var fe *emu.FindingsError
	if err != nil && !errors.As(err, &fe) {
		return t.refused(err)
	}
	var wrong []fault
	if t.Refuse != "" {
		wrong = append(wrong, faultf("the module runs; it must be refused with an error that contains %q", t.Refuse))
	}
	exit := 0
	if res.Findings.Failed() {
		exit = 1
	}
	if exit != t.Exit && t.Refuse == "" {
		wrong = append(wrong, faultf("exit status %d, want %d", exit, t.Exit))
	}
	wrong = append(wrong, t.compareFindings(&res.Findings)...)
	for i := range t.expect {
		if !t.expect[i].at(cfg.SubGroup) {
			continue
		}
		if m := t.expect[i].compare(buffers[t.expect[i].Arg]); m != "" {
			wrong = append(wrong, fault{fmt.Sprintf("argument %d", t.expect[i].Arg), m})
		}
	}
	if got := string(res.Output); t.Output != nil && got != strings.Join(t.Output, "") {
		wrong = append(wrong, fault{"output", fmt.Sprintf("the printed output is\n%q\nwant\n%q", got, strings.Join(t.Output, ""))})
	}
	return append(wrong, t.agree(cfg, res, buffers)...)
}

// refused judges an error that kept the kernel from running.
func (t *trial) refused(err error) []fault {
	switch {
	case t.Refuse == "":
		return []fault{faultf("refused: %v", err)}
	case !strings.Contains(err.Error(), t.Refuse):
		return []fault{faultf("refused with %q; the error must contain %q", err.Error(), t.Refuse)}
	case t.Exit != 2:
		return []fault{faultf("exit status 2, want %d", t.Exit)}
	}
	return nil
}

// compareFindings compares the findings of a run with those that the case states.
func (t *trial) compareFindings(list *finding.List) []fault {
	var wrong []fault
	stated := map[string]bool{}
	for _, want := range t.Findings {
		stated[want.Code] = true
		count, text := uint64(0), want.Text == ""
		for i := range list.Findings {
			if f := &list.Findings[i]; string(f.Code) == want.Code {
				count += f.Count
				text = text || strings.Contains(f.Text(), want.Text)
			}
		}
		switch {
		case count == 0:
			wrong = append(wrong, faultf("no finding %s", want.Code))
		case want.Count != 0 && count != uint64(want.Count):
			wrong = append(wrong, faultf("finding %s occurs %d times, want %d", want.Code, count, want.Count))
		case !text:
			wrong = append(wrong, faultf("no finding %s contains %q", want.Code, want.Text))
		}
	}
	for i := range list.Findings {
		if f := &list.Findings[i]; !stated[string(f.Code)] {
			g := *f
			g.Reproduce = "" // the configuration says it, and differs from run to run
			wrong = append(wrong, fault{"unexpected " + string(f.Code), "unexpected finding: " + strings.TrimSpace(g.Text())})
		}
	}
	return wrong
}

// alike names the memory that an argument is compared with: one for all
// configurations, or one for each sub-group size when what is expected depends on it.
func (t *trial) alike(arg int, cfg Config) expectation {
	for i := range t.expect {
		if e := &t.expect[i]; e.Arg == arg && len(e.SubGroups) > 0 {
			return expectation{arg, cfg.SubGroup}
		}
	}
	return expectation{arg, 0}
}

// agree compares a run with those before it: memory with the first of all, unless
// something undefined happened, and counters, output and findings with the first whose
// sub-groups, waves and schedule are the same.
func (t *trial) agree(cfg Config, res *emu.Result, buffers map[int][]byte) []fault {
	var wrong []fault
	if !res.Findings.Failed() {
		for i := range t.args {
			data, ok := buffers[i]
			if !ok || slices.Contains(t.Varies, i) {
				continue
			}
			key, sum := t.alike(i, cfg), sha256.Sum256(data)
			then, ok := t.memory[key]
			if !ok {
				t.memory[key] = left{cfg, sum}
			} else if sum != then.sum {
				wrong = append(wrong, faultf("argument %d is not what it is with %v", i, then.config))
			}
		}
	}
	var texts bytes.Buffer
	for i := range res.Findings.Findings {
		f := res.Findings.Findings[i]
		if f.Code == finding.TimeLimit || f.Code == finding.Cancelled {
			return wrong // when a clock ends a run, nothing else can agree
		}
		if err := json.NewEncoder(&texts).Encode(f); err != nil {
			wrong = append(wrong, faultf("finding %s has no JSON form: %v", f.Code, err))
		}
	}
	key := peer{cfg.SubGroup, cfg.Wave, cfg.Schedule, cfg.KeepMarks, cfg.DMA}
	now := seen{cfg, res.Counters, string(res.Output), texts.String()}
	then, ok := t.peers[key]
	if !ok {
		t.peers[key] = now
		return wrong
	}
	if now.counters != then.counters {
		wrong = append(wrong, fault{"counters", fmt.Sprintf("counters are %+v; with %v they are %+v", now.counters, then.config, then.counters)})
	}
	if now.output != then.output {
		wrong = append(wrong, fault{"output", fmt.Sprintf("the printed output is not what it is with %v", then.config)})
	}
	if now.findings != then.findings {
		wrong = append(wrong, fault{"findings", fmt.Sprintf("the findings are not those with %v:\n%sand\n%s", then.config, now.findings, then.findings)})
	}
	return wrong
}
