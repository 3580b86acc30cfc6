package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// Words of private memory whose place is known when the run is compiled are values like those of vector
// registers: they stay in registers of the processor in the run, and go to private memory at its end.
// Accesses at places that are not known find in memory what has been stored before.

// bankWord is the bank of such words, which the bytecode does not have. Their index is the distance from the
// private memory of the chunk.
const bankWord = bankValid + 1

// words are a word of each lane of the group.
type words struct {
	known bool
	at    int       // the index in bankWord
	m     amd64.Mem // where they are, if that is not known
}

// next returns the words behind them.
func (x words) next() words {
	x.at += rowBytes
	x.m.Disp += rowBytes
	return x
}

// wordValue returns what words at a known place are.
func (c *compiler) wordValue(x words) *value {
	p := place{bank: bankWord, index: x.at}
	v := c.values[p]
	if v == nil {
		v = &value{place: p, off: uint32(x.at), reg: -1}
		c.values[p] = v
		c.order = append(c.order, v)
	}
	return v
}

// rowWord returns words as an operand.
func (c *compiler) rowWord(x words) amd64.Operand {
	if !x.known {
		return x.m
	}
	v := c.wordValue(x)
	if v.reg < 0 {
		v.reg = c.register(fileVec)
		c.V(amd64.VMOVDQU32, c.width(isa.I32), amd64.Vec(v.reg), c.memory(v))
	}
	return amd64.Vec(v.reg)
}

// setRowWord makes x, a free register, the words of the lanes that run.
func (c *compiler) setRowWord(x words, d amd64.Vec) {
	if !x.known {
		c.set.moveSome(c, isa.I32, x.m, d)
		c.forgetWords()
		return
	}
	v := c.wordValue(x)
	v.reg, v.dirty, v.keep = int(d), true, true
}

// storeWords puts the words that are in registers only into memory.
func (c *compiler) storeWords() {
	for _, v := range c.order {
		if v.bank == bankWord && v.dirty {
			c.store(v)
		}
	}
}

// forgetWords says that memory has changed.
func (c *compiler) forgetWords() {
	for _, v := range c.order {
		if v.bank == bankWord {
			v.reg = -1
		}
	}
}
