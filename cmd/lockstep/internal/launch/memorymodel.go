package launch

import (
	"errors"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/emu"
)

// MemoryFlag declares -memory.
func (o *Options) MemoryFlag(f *cmdline.Flags) {
	f.StringVar(&o.Memory, "memory", "sequential", "what loads may return `MODEL`: sequential, what was stored last; weak, all that the\nmemory model of OpenCL allows (lockstep help memory)")
}

// memoryModel reads -memory, and -choices, which asks for sub-groups of one work-item on the engine interp.
func (r *Run) memoryModel() (err error) {
	o := r.o
	if r.Memory, err = emu.ParseMemoryModel(o.Memory); err != nil {
		return cmdline.Usagef("help memory", "run: -memory: %v", err)
	}
	if o.choices == "" {
		return nil
	}
	if r.choices, err = emu.ParseInterleaving(o.choices); err != nil {
		return cmdline.Usagef("help memory", "run: -choices: %v", err)
	}
	switch {
	case len(r.Launches) > 1:
		return cmdline.Usagef("help memory", "run: -choices is for one kernel")
	case o.Device.SubgroupSize > 1:
		return cmdline.Usagef("help memory", "run: -choices is for sub-groups of one work-item, without -subgroup %d", o.Device.SubgroupSize)
	case o.Device.Engine != "auto" && o.Device.Engine != "interp":
		return cmdline.Usagef("help memory", "run: -choices is for the engine interp, without -engine %s", o.Device.Engine)
	case o.trace != "" || o.explain != "" || o.report != "" || len(o.pictures) > 0:
		return cmdline.Usagef("help memory", "run: -choices makes no timeline, so without -trace, -explain, -report and -picture")
	case o.Schedule != emu.InOrder.String():
		return cmdline.Usagef("help memory", "run: -choices decides the order of all accesses itself, without -schedule")
	}
	o.Device.SubgroupSize, o.Device.Engine = 1, "interp"
	return nil
}

// model gives a launch the memory of the command.
func (r *Run) model(l *emu.Launch) {
	if l.Memory = r.Memory; r.choices != nil {
		l.Interleave = r.choices
	}
}

// ModelError says what is wrong with -memory or -choices for a launch that did not start, or nil.
func ModelError(command string, err error) error {
	if errors.Is(err, emu.ErrNotWeak) || errors.Is(err, emu.ErrNotInterleaved) {
		return cmdline.Usagef("help memory", "%s: %v", command, err)
	}
	return nil
}
