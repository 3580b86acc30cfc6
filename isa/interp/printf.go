package interp

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/memory"
)

// maxOutput is the size of the printf buffer of a work-group, in bytes. A
// printf that does not fit prints nothing and returns -1, as OpenCL C (section
// 6.15.14) has it for a full buffer.
const maxOutput = 1 << 20

// maxString is the length of a string in memory, in bytes, that printf prints. A longer one counts as one
// that does not fit: reading it in all lanes would take long, and nothing can interrupt that.
const maxString = 64 << 10

// printf prints for the lanes in ascending order.
func printf(w *wave, in *inst) {
	s := in.src
	call := &w.code.kernel.Printfs[s.Imm]
	var values []engine.PrintfValue
	inMemory := call.FormatInMemory
	for _, a := range call.Args {
		values = append(values, engine.PrintfValue{Type: a.Type, IsString: a.IsString, Str: a.Str, Bits: make([]uint64, len(a.Regs))})
		inMemory = inMemory || a.InMemory
	}
	if inMemory {
		w.failMemory(in, func(k, i int) *memory.Fault { return w.printfStrings(call, k, i, nil) })
		if w.faulted {
			return
		}
	}
	for k, m := range w.exec {
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			for n, a := range call.Args {
				for j, r := range a.Regs {
					values[n].Bits[j] = w.reg(r, a.Type, k, i)
				}
			}
			format, args, long := call.Format, values, false
			if inMemory {
				for n := range values {
					values[n].IsString, values[n].Str = call.Args[n].IsString, call.Args[n].Str
				}
				w.printfStrings(call, k, i, func(n int, s string) {
					long = long || len(s) > maxString
					if n == 0 && call.FormatInMemory {
						format, args = s, values[1:]
					} else {
						values[n].IsString, values[n].Str = true, s
					}
				})
			}
			result := uint64(0)
			before := len(w.group.Output)
			w.group.Output = engine.AppendPrintf(w.group.Output, format, args)
			if len(w.group.Output) > maxOutput || long {
				w.group.Output = w.group.Output[:before]
				result = 1<<32 - 1
			} else if w.group.Prints != nil {
				w.group.Prints(w.first+k*64+i, w.group.Output[before:])
			}
			if s.Dst != isa.None {
				w.setReg(s.Dst, isa.I32, k, i, result)
			}
		}
	}
}

// printfStrings reads the strings of a printf that are in memory, of one lane, and calls put, unless it is
// nil, with each and the number of its argument. It returns what is wrong with the first one that cannot be
// read. A pointer is a string only where the format has %s for it.
func (w *wave) printfStrings(call *isa.Printf, k, i int, put func(n int, s string)) *memory.Fault {
	format, first := call.Format, 0
	if call.FormatInMemory {
		s, bad := w.stringAt(memory.Pointer(w.reg(call.Args[0].Regs[0], isa.I64, k, i)), k, i, false)
		if bad != nil {
			return bad
		}
		if format, first = s, 1; put != nil {
			put(0, s)
		}
	}
	for n, isString := range engine.PrintfStrings(format, len(call.Args)-first) {
		a := &call.Args[first+n]
		if !a.InMemory || !isString {
			continue
		}
		s, bad := w.stringAt(memory.Pointer(w.reg(a.Regs[0], isa.I64, k, i)), k, i, true)
		if bad != nil {
			return bad
		}
		if put != nil {
			put(first+n, s)
		}
	}
	return nil
}

// stringAt reads a string that ends with a zero, and no more of it than can be printed. Null is a string for
// %s, as it is for the C library, where null says so.
func (w *wave) stringAt(p memory.Pointer, k, i int, null bool) (string, *memory.Fault) {
	if p == 0 && null {
		return "(null)", nil
	}
	var text []byte
	for len(text) <= maxString {
		at := p.Add(int64(len(text)))
		if bad := w.check(p, at, memory.SpaceNone, 1, memory.AccessRead); bad != nil {
			return "", bad
		}
		c := byte(w.peek(at, k, i, 1))
		if c == 0 {
			break
		}
		text = append(text, c)
	}
	return string(text), nil
}
