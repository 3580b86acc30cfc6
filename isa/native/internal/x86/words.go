package x86

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// Words of private memory whose place is known when the run is compiled are values like those of vector
// registers: they stay in registers of the processor in the run, and go to private memory at its end.
// Accesses at places that are not known find in memory what has been stored before.

// bankWord is the bank of such words, which the bytecode does not have. Their index is the distance from the
// private memory of the chunk.
const bankWord = BankValid + 1

// words are a word of each lane of the group.
type words struct {
	known bool
	at    int       // the index in bankWord
	m     amd64.Mem // where they are, if that is not known
}

// next returns the words behind them.
func (x words) next() words {
	x.at += RowBytes
	x.m.Disp += RowBytes
	return x
}

// wordValue returns what words at a known place are.
func (c *Compiler) wordValue(x words) *Value {
	p := Place{Bank: bankWord, Index: x.at}
	v := c.Values[p]
	if v == nil {
		v = &Value{Place: p, Off: uint32(x.at), Reg: -1}
		c.Values[p] = v
		c.Order = append(c.Order, v)
	}
	return v
}

// rowWord returns words as an operand.
func (c *Compiler) rowWord(x words) amd64.Operand {
	if !x.known {
		return x.m
	}
	v := c.wordValue(x)
	if v.Reg < 0 {
		v.Reg = c.Register(FileVec)
		c.V(amd64.VMOVDQU32, c.Width(isa.I32), amd64.Vec(v.Reg), c.Memory(v))
	}
	return amd64.Vec(v.Reg)
}

// setRowWord makes x, a free register, the words of the lanes that run.
func (c *Compiler) setRowWord(x words, d amd64.Vec) {
	if !x.known {
		c.ISA.MoveSome(c, isa.I32, x.m, d)
		c.forgetWords()
		return
	}
	v := c.wordValue(x)
	v.Reg, v.Dirty, v.Keep = int(d), true, true
}

// storeWords puts the words that are in registers only into memory.
func (c *Compiler) storeWords() {
	for _, v := range c.Order {
		if v.Bank == bankWord && v.Dirty {
			c.Store(v)
		}
	}
}

// forgetWords says that memory has changed.
func (c *Compiler) forgetWords() {
	for _, v := range c.Order {
		if v.Bank == bankWord {
			v.Reg = -1
		}
	}
}
