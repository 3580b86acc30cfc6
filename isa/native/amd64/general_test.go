package amd64

import (
	"fmt"
	"strings"
	"testing"
)

// generalExamples are the instructions on general registers.
func generalExamples(t testing.TB) []example {
	var list []example
	sizes := []Size{B8, B16, B32, B64}
	ptr := map[Size]string{B8: "byte ptr ", B16: "word ptr ", B32: "dword ptr ", B64: "qword ptr "}
	text := func(o Operand, s Size) string {
		switch o := o.(type) {
		case Reg:
			return o.name(s)
		case Mem:
			return ptr[s] + o.String()
		}
		return fmt.Sprint(int64(o.(Imm)))
	}
	// add appends name and operands, of which the i-th is written with the i-th size, the last size standing
	// for the others.
	add := func(name string, appendTo func(*Assembler), operands []Operand, written ...Size) {
		t.Helper()
		var parts []string
		for i, o := range operands {
			parts = append(parts, text(o, written[min(i, len(written)-1)]))
		}
		line := strings.TrimSpace(name + " " + strings.Join(parts, ", "))
		a := New(0)
		a.List(nil)
		appendTo(a)
		code, err := a.Finish()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		sameListing(t, a, line)
		list = append(list, example{line, code})
	}
	g := func(op Gen, s Size, operands []Operand, written ...Size) {
		t.Helper()
		if len(written) == 0 {
			written = []Size{s}
		}
		add(op.String(), func(a *Assembler) { a.G(op, s, operands...) }, operands, written...)
	}
	ops := func(o ...Operand) []Operand { return o }
	pairs := [][2]Reg{{RAX, RBX}, {RCX, RSP}, {RSI, RDI}, {RBP, R8}, {R9, RDX}, {R15, R12}, {RBX, R13}}
	memory := addresses(1)

	for _, s := range sizes {
		limits := []Imm{0, 1, -1, 127, -128, 128, 255}
		if s > B8 {
			limits = append(limits, 256, -129, 32767, 65535, -32768)
		}
		if s > B16 {
			limits = append(limits, 1<<20, 1<<31-1, -1<<31)
		}
		if s == B32 {
			limits = append(limits, 1<<31, 1<<32-1, 1<<32-128)
		}
		for _, op := range []Gen{ADD, OR, ADC, SBB, AND, SUB, XOR, CMP, TEST, MOV} {
			for i, p := range pairs {
				g(op, s, ops(p[0], p[1]))
				g(op, s, ops(memory[(int(op)+i)%len(memory)], p[0]))
				if op != TEST {
					g(op, s, ops(p[1], memory[(int(op)+i+3)%len(memory)]))
				}
			}
			for i, v := range limits {
				g(op, s, ops(RAX, v))
				g(op, s, ops(pairs[i%len(pairs)][1], v))
				g(op, s, ops(memory[(int(op)+i)%len(memory)], v))
			}
		}
		for _, op := range []Gen{INC, DEC, NEG, NOT, MUL, DIV, IDIV} {
			for i, p := range pairs {
				g(op, s, ops(p[1]))
				g(op, s, ops(memory[(int(op)+i)%len(memory)]))
			}
		}
		for _, op := range []Gen{ROL, ROR, SHL, SHR, SAR} {
			for i, p := range pairs {
				g(op, s, ops(p[0], Imm(1)))
				g(op, s, ops(p[1], Imm(s-1)))
				g(op, s, ops(memory[(int(op)+i)%len(memory)], Imm(5)))
				g(op, s, ops(p[0], RCX), s, B8)
				g(op, s, ops(memory[i], RCX), s, B8)
			}
		}
		if s >= B32 {
			for _, op := range []Gen{XCHG, XADD, CMPXCHG} {
				for i, p := range pairs {
					g(op, s, ops(memory[(int(op)+i)%len(memory)], p[0]))
				}
			}
		}
		if s == B8 {
			continue
		}
		for _, op := range []Gen{BT, BTS, BTR, BTC} {
			for i, p := range pairs {
				g(op, s, ops(p[0], p[1]))
				g(op, s, ops(p[1], Imm(s-1)))
				g(op, s, ops(memory[(int(op)+i)%len(memory)], Imm(2)))
			}
		}
		for i, p := range pairs {
			m := memory[i]
			g(MOVZX8, s, ops(p[0], p[1]), s, B8)
			g(MOVSX8, s, ops(p[0], p[1]), s, B8)
			g(MOVZX8, s, ops(p[0], m), s, B8)
			g(MOVSX8, s, ops(p[1], m), s, B8)
			g(IMUL, s, ops(p[0], p[1]))
			g(IMUL, s, ops(p[0], m))
			g(IMUL, s, ops(p[0], p[1], Imm(100)))
			g(IMUL, s, ops(p[0], m, Imm(-1000)))
			add("lea", func(a *Assembler) { a.G(LEA, s, p[0], memory[i+5]) }, ops(p[0], memory[i+5]), s)
			if s == B16 {
				continue
			}
			g(MOVZX16, s, ops(p[0], p[1]), s, B16)
			g(MOVSX16, s, ops(p[0], p[1]), s, B16)
			g(MOVZX16, s, ops(p[0], m), s, B16)
			g(MOVSX16, s, ops(p[1], m), s, B16)
			for _, op := range []Gen{POPCNT, LZCNT, TZCNT} {
				g(op, s, ops(p[0], p[1]))
				g(op, s, ops(p[0], m))
			}
		}
	}
	for i, p := range pairs {
		m := memory[i]
		g(MOVSX32, B64, ops(p[0], p[1]), B64, B32)
		g(MOVSX32, B64, ops(p[0], m), B64, B32)
		g(JMPR, B64, ops(p[1]))
		g(JMPR, B64, ops(m))
		for _, op := range []Gen{PREFETCHT0, PREFETCHT1, PREFETCHT2, PREFETCHNTA, PREFETCHW} {
			g(op, B8, ops(m))
		}
	}
	for _, v := range []Imm{1 << 31, 1<<63 - 1, -1 << 63, 1<<32 - 1, -1<<31 - 1} {
		g(MOV, B64, ops(RAX, v))
		g(MOV, B64, ops(R11, v))
	}
	for c := Overflow; c <= Greater; c++ {
		for i, p := range pairs {
			m := memory[(i+int(c))%len(memory)]
			name := "cmov" + c.String()
			for _, s := range []Size{B32, B64} {
				add(name, func(a *Assembler) { a.CMov(c, s, p[0], p[1]) }, ops(p[0], p[1]), s)
				add(name, func(a *Assembler) { a.CMov(c, s, p[1], m) }, ops(p[1], m), s)
			}
			name = "set" + c.String()
			add(name, func(a *Assembler) { a.Set(c, p[1]) }, ops(p[1]), B8)
			add(name, func(a *Assembler) { a.Set(c, m) }, ops(m), B8)
		}
	}
	for _, op := range []Gen{RET, INT3, MFENCE, PAUSE} {
		g(op, B64, nil)
	}
	add("cdq", func(a *Assembler) { a.G(CDQ, B32) }, nil, B32)
	add("cqo", func(a *Assembler) { a.G(CDQ, B64) }, nil, B64)
	return list
}
