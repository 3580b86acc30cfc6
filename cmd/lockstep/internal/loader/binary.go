package loader

import (
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/binary"
)

// SpecNote is the note of a binary that has its -spec flags, one a line.
const SpecNote = "lockstep.spec"

// loadBinary reads a file that is a binary of lockstep's; the file is nil when it
// is something else.
func loadBinary(name string, data []byte) (*binary.File, error) {
	if !binary.IsBinary(data) {
		return nil, nil
	}
	f, err := binary.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// ForBinary shapes the device after the binary that it is to run, where the
// flags do not say what they want.
func (m *Module) ForBinary(d *emu.DeviceOptions) {
	if m.File != nil && d.SubgroupSize == 0 {
		d.SubgroupSize = m.File.Target.SubgroupSize
	}
}

// loadOn makes a program of a binary.
func (m *Module) loadOn(env *cmdline.Env, dev *emu.Device) (*emu.Program, error) {
	if n := dev.Limits().SubgroupSize; n != m.File.Target.SubgroupSize {
		return nil, fmt.Errorf("%s was compiled for sub-groups of %d, not of %d; leave -subgroup %d out, or compile the module again:\n  lockstep compile MODULE -subgroup %d -o %s",
			m.Name, m.File.Target.SubgroupSize, n, n, n, m.Name)
	}
	p, err := dev.LoadFile(m.File, emu.LoadOptions{Sources: Sources(env, m.Path)})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	return p, nil
}

// CompiledAlready refuses flags that come too late for a binary.
func (m *Module) CompiledAlready(command, flag string) error {
	return cmdline.Usagef("help compile", "%s: -%s says how a module is compiled, and %s is compiled already; give -%s to lockstep compile", command, flag, m.Name, flag)
}

// BuiltInSpecs returns the -spec flags that a binary was compiled with, by number.
func BuiltInSpecs(f *binary.File) map[string]string {
	data, _ := f.Note(SpecNote)
	values := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if id, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			values[id] = value
		}
	}
	return values
}
