package cli

import (
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/binary"
)

// specNote is the note of a binary that has its -spec flags, one a line.
const specNote = "lockstep.spec"

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

// forBinary shapes the device after the binary that it is to run, where the
// flags do not say what they want.
func (m *module) forBinary(d *emu.DeviceOptions) {
	if m.file != nil && d.SubgroupSize == 0 {
		d.SubgroupSize = m.file.Target.SubgroupSize
	}
}

// loadOn makes a program of a binary.
func (m *module) loadOn(env *Env, dev *emu.Device) (*emu.Program, error) {
	if n := dev.Limits().SubgroupSize; n != m.file.Target.SubgroupSize {
		return nil, fmt.Errorf("%s was compiled for sub-groups of %d, not of %d; leave -subgroup %d out, or compile the module again:\n  lockstep compile MODULE -subgroup %d -o %s",
			m.name, m.file.Target.SubgroupSize, n, n, n, m.name)
	}
	p, err := dev.LoadFile(m.file, emu.LoadOptions{Sources: sources(env, m.path)})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.name, err)
	}
	return p, nil
}

// compiledAlready refuses flags that come too late for a binary.
func (m *module) compiledAlready(command, flag string) error {
	return usagef("help compile", "%s: -%s says how a module is compiled, and %s is compiled already; give -%s to lockstep compile", command, flag, m.name, flag)
}

// builtInSpecs returns the -spec flags that a binary was compiled with, by number.
func builtInSpecs(f *binary.File) map[string]string {
	data, _ := f.Note(specNote)
	values := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if id, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			values[id] = value
		}
	}
	return values
}
