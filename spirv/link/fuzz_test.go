package link

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

// changed returns a module with changes. Eight bytes of edits are one: which word
// (3), what is done (1), and with what (4). The framing stays.
func changed(m *spirv.Module, edits []byte) *spirv.Module {
	out := *m
	out.Insts = nil
	for _, in := range m.Insts {
		in.Words = append([]uint32(nil), in.Words...)
		out.Insts = append(out.Insts, in)
	}
	for ; len(edits) >= 8 && len(out.Insts) > 0; edits = edits[8:] {
		at := int(edits[0]) | int(edits[1])<<8 | int(edits[2])<<16
		value := binary.LittleEndian.Uint32(edits[4:])
		i := at % len(out.Insts)
		in := out.Insts[i]
		other := int(value) % len(out.Insts)
		switch edits[3] % 6 {
		case 0:
			out.Insts[i], out.Insts[other] = out.Insts[other], in
		case 1:
			out.Insts = append(out.Insts[:i], out.Insts[i+1:]...)
		case 2:
			again := spirv.Inst{Words: append([]uint32(nil), out.Insts[other].Words...)}
			out.Insts = append(out.Insts[:i], append([]spirv.Inst{again}, out.Insts[i:]...)...)
		default:
			if len(in.Words) < 2 {
				continue
			}
			word := &in.Words[1+at/len(out.Insts)%(len(in.Words)-1)]
			switch edits[3] % 3 {
			case 0:
				*word = value % max(m.Bound, 1)
			case 1:
				*word = value
			default:
				*word += value&7 - 4
			}
		}
	}
	return &out
}

// linkAnyhow links modules of which nothing is known. What comes out of modules
// that break no rule breaks none. It says whether it came to that.
func linkAnyhow(t *testing.T, inputs []Input, opt Options) bool {
	t.Helper()
	m, err := Link(inputs, opt)
	if err != nil {
		var errs Errors
		if !errors.As(err, &errs) || len(errs) == 0 || err.Error() == "" {
			t.Fatalf("error %#v", err)
		}
		return false
	}
	for _, in := range inputs {
		in.Module.Bound = 1 << 20 // the header is not what this is about
		if validate.Validate(in.Module, validate.Options{MaxErrors: 1}).Err() != nil {
			checkResult(t, m, true)
			return false
		}
	}
	checkResult(t, m, true)
	if err := validate.Validate(m, validate.Options{}).Err(); err != nil {
		t.Errorf("the modules are valid, and the result is not: %v\n%s", err, asm.Disassemble(m, asm.DisassembleOptions{}))
		for _, in := range inputs {
			t.Log(asm.Disassemble(in.Module, asm.DisassembleOptions{}))
		}
	}
	return true
}

// FuzzLink links two modules: those that the bytes are, cut at the first half, or
// those of a case with changes.
func FuzzLink(f *testing.F) {
	for i, c := range linkCases {
		f.Add(uint8(i+1), []byte{})
		if in := c.inputs(f); i < 4 {
			f.Add(uint8(0), append(in[0].Module.Encode(), in[len(in)-1].Module.Encode()...))
		}
	}
	f.Fuzz(func(t *testing.T, number uint8, data []byte) {
		opt := Options{Library: len(data)%2 == 1, Partial: len(data)%3 == 1}
		var inputs []Input
		if number == 0 {
			half := len(data) / 2 &^ 3
			for _, d := range [][]byte{data[:half], data[half:]} {
				m, err := spirv.Decode(d)
				if err != nil {
					return
				}
				inputs = append(inputs, Input{Module: m})
			}
		} else {
			c := linkCases[int(number-1)%len(linkCases)]
			inputs, opt.Resolves = c.inputs(t), c.opt.Resolves
			for i := range inputs {
				inputs[i].Module = changed(inputs[i].Module, data)
			}
		}
		linkAnyhow(t, inputs, opt)
	})
}

// TestChanged links modules with random mistakes.
func TestChanged(t *testing.T) {
	n := 4000
	if testing.Short() {
		n = 400
	}
	rng := rand.New(rand.NewPCG(5, 6))
	good := 0
	for range n {
		c := linkCases[rng.IntN(len(linkCases))]
		inputs := c.inputs(t)
		i := rng.IntN(len(inputs))
		edits := make([]byte, 8*(1+rng.IntN(3)))
		for j := range edits {
			edits[j] = byte(rng.Uint32())
		}
		inputs[i].Module = changed(inputs[i].Module, edits)
		if linkAnyhow(t, inputs, Options{Library: rng.IntN(2) == 0, Partial: rng.IntN(2) == 0}) {
			good++
		}
	}
	if good < n/20 {
		t.Errorf("only %d of %d links have valid modules", good, n)
	}
}
