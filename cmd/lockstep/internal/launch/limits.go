package launch

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

// limit is a limit of the device that -device sets. Its name is that of OpenCL's query
// without the prefix, where there is one.
type limit struct {
	name, option string // option is the field of emu.DeviceOptions
	usage        string
	number       func(*emu.DeviceOptions) *int // or
	bytes        func(*emu.DeviceOptions) *uint64
}

// limits are the limits in the order of the help text.
var limits = []limit{
	{name: "max-work-group-size", option: "MaxWorkGroupSize", usage: "work-items of a work-group, up to 64k (default 1024)",
		number: func(o *emu.DeviceOptions) *int { return &o.MaxWorkGroupSize }},
	{name: "local-mem-size", option: "LocalMemory", usage: "bytes of local memory of a work-group, as -lds (default 64k)",
		bytes: func(o *emu.DeviceOptions) *uint64 { return &o.LocalMemory }},
	{name: "global-mem-size", option: "MaxMemory", usage: "bytes of global memory (default: three quarters of what the machine has left)",
		bytes: func(o *emu.DeviceOptions) *uint64 { return &o.MaxMemory }},
	{name: "max-mem-alloc-size", option: "MaxAlloc", usage: "bytes of a buffer (default: global-mem-size)",
		bytes: func(o *emu.DeviceOptions) *uint64 { return &o.MaxAlloc }},
	{name: "max-global-variable-size", option: "MaxVariables", usage: "bytes of a program's variables (default 64m)",
		bytes: func(o *emu.DeviceOptions) *uint64 { return &o.MaxVariables }},
	{name: "private-mem-size", option: "MaxPrivate", usage: "bytes of private memory of a work-item (default 1m)",
		bytes: func(o *emu.DeviceOptions) *uint64 { return &o.MaxPrivate }},
}

// limitNames lists the limits, one a line.
func limitNames() string {
	var b strings.Builder
	for _, l := range limits {
		fmt.Fprintf(&b, "\n  %-24s  %s", l.name, l.usage)
	}
	return b.String()
}

// setLimits reads the -device flags.
func (o *Options) setLimits() error {
	seen := make(map[string]bool)
	for _, text := range *o.limits {
		name, value, ok := strings.Cut(text, "=")
		i := 0
		for i < len(limits) && limits[i].name != name {
			i++
		}
		switch {
		case i == len(limits):
			return cmdline.Usagef("help run", "run: -device %s: there is no limit %q; the limits are%s", text, name, limitNames())
		case !ok || value == "":
			return cmdline.Usagef("help run", "run: -device %s: missing a value, as in -device %s=4k", text, name)
		case seen[name]:
			return cmdline.Usagef("help run", "run: -device %s: the limit is given twice", text)
		}
		seen[name] = true
		n, err := argspec.ParseDims(value)
		if err != nil || len(n) != 1 || n[0] == 0 || limits[i].number != nil && n[0] > math.MaxInt32 {
			return cmdline.Usagef("help run", "run: -device %s: %q must be a whole number from 1 on, with k, m or g behind it if you like", text, value)
		}
		if limits[i].number != nil {
			*limits[i].number(&o.Device) = int(n[0])
		} else {
			*limits[i].bytes(&o.Device) = n[0]
		}
	}
	return nil
}

// ExplainLimit names the flag that raises a limit, where it can be raised as far as that.
func ExplainLimit(err error) error {
	var e *emu.LimitError
	if !errors.As(err, &e) || e.Host {
		return err
	}
	for _, l := range limits {
		if l.option != e.Option || l.number != nil && e.Need > math.MaxInt32 {
			continue
		}
		var o emu.DeviceOptions
		flag := fmt.Sprintf("-device %s=%d", l.name, e.Need)
		switch {
		case l.option == "LocalMemory":
			flag = fmt.Sprintf("-lds %d", e.Need)
			o.LocalMemory = e.Need
		case l.number != nil:
			*l.number(&o) = int(e.Need)
		default:
			*l.bytes(&o) = e.Need
			o.MaxMemory = max(o.MaxMemory, e.Need)
		}
		text := fmt.Sprintf("%s: %d %s needed, the limit is %d", e.What, e.Need, e.Unit, e.Have)
		if e.Size > 0 {
			text = fmt.Sprintf("%s: %d %s needed, and %d of %d are left", e.What, e.Size, e.Unit, e.Left, e.Have)
		}
		if _, err := emu.NewDevice(o); err != nil {
			return &explained{err, text + ", and cannot be raised so far"}
		}
		if l.option == "MaxMemory" {
			return &explained{err, fmt.Sprintf("%s; %s raises the limit, if the machine has so much memory", text, flag)}
		}
		return &explained{err, fmt.Sprintf("%s; %s raises it", text, flag)}
	}
	return err
}

// explained is an error with another text.
type explained struct {
	err  error
	text string
}

func (e *explained) Error() string { return e.text }

func (e *explained) Unwrap() error { return e.err }
