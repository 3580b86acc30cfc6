package loader

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// specConstants reads the -spec flags for a module.
func specConstants(m *Module, specs []string) (map[uint32]uint64, error) {
	sm, err := spirv.Decode(m.Data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	info, err := spirv.Reflect(sm)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
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
