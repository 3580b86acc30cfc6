package sema

import (
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
)

// extensions is which extensions of the language pragmas have switched on. Extensions that only have built-in
// functions need no switching on.
type extensions struct {
	half      bool // cl_khr_fp16
	double    bool // cl_khr_fp64, before OpenCL C 1.2
	bitFields bool // __cl_clang_bitfields
	storage   bool // cl_clang_storage_class_specifiers
}

// pragmaState is what pragmas have set.
type pragmaState struct {
	ext        extensions
	noContract bool // FP_CONTRACT is off
	pack       int64
	packs      []int64 // what #pragma pack(push) keeps
}

// maxPacks is how deep #pragma pack(push) may nest.
const maxPacks = 1 << 12

// Pragma does a pragma as the preprocessor hands it over, but for those of loops: see LoopPragma. atStart says that it
// stands at program scope or at the start of a block.
func (c *Checker) Pragma(text string, pos source.Pos, atStart bool) {
	w := pragmaWords(text)
	at := func(i int) string {
		if i < len(w) {
			return w[i]
		}
		return ""
	}
	switch {
	case at(0) == "OPENCL" && at(1) == "EXTENSION":
		c.extension(at(2), at(4), pos)
	case at(0) == "OPENCL" && at(1) == "FP_CONTRACT":
		if !atStart {
			c.Diags.Errorf(pos, "'#pragma fp_contract' can only appear at file scope or at the start of a compound "+
				"statement")
			return
		}
		c.noContract = at(2) == "OFF"
	case at(0) == "clang" && at(1) == "fp":
		if at(2) != "contract" {
			return // reassociation and exceptions: nothing here depends on them
		}
		if !atStart {
			c.Diags.Errorf(pos, "'#pragma clang fp' can only appear at file scope or at the start of a compound statement")
			return
		}
		c.noContract = at(4) == "off"
	case at(0) == "pack":
		c.packPragma(w[1:], pos)
	}
}

// extension does #pragma OPENCL EXTENSION.
func (c *Checker) extension(name, behavior string, pos source.Pos) {
	on := behavior == "enable"
	switch name {
	case "all":
		c.ext = extensions{}
	case "cl_khr_fp16":
		c.ext.half = on && c.Opts.Has(name)
	case "__cl_clang_bitfields":
		c.ext.bitFields = on
	case "cl_clang_storage_class_specifiers":
		c.ext.storage = on
	case "cl_khr_fp64":
		if c.core(name, lang.CL12, pos) {
			c.ext.double = on
		}
	case "cl_khr_3d_image_writes":
		c.core(name, lang.CL20, pos)
	case "cl_khr_byte_addressable_store", "cl_khr_global_int32_base_atomics", "cl_khr_global_int32_extended_atomics",
		"cl_khr_local_int32_base_atomics", "cl_khr_local_int32_extended_atomics":
		c.core(name, lang.CL11, pos)
	}
}

// core says that an extension is a part of the language from a version on, and returns whether it is not yet.
func (c *Checker) core(name string, from lang.Version, pos source.Pos) bool {
	if c.Opts.Version < from {
		return true
	}
	c.Diags.Warnf("pedantic-core-features", pos,
		"OpenCL extension '%s' is core feature or supported optional core feature - ignoring", name)
	return false
}

// packPragma does #pragma pack(n), pack(push, n), pack(pop) and pack().
func (c *Checker) packPragma(w []string, pos source.Pos) {
	pack := c.pack
	for _, x := range w {
		switch x {
		case "(", ",":
		case "push":
			if len(c.packs) < maxPacks {
				c.packs = append(c.packs, c.pack)
			}
		case "pop":
			if n := len(c.packs); n > 0 {
				pack = c.packs[n-1]
				c.packs = c.packs[:n-1]
			} else {
				c.Diags.Warnf("ignored-pragmas", pos, "#pragma pack(pop, ...) failed: stack empty")
			}
		case ")":
			if len(w) == 2 {
				pack = 0
			}
		default:
			n, err := strconv.ParseInt(x, 0, 32)
			if err != nil || n < 0 || n > 16 || n&(n-1) != 0 {
				c.Diags.Warnf("ignored-pragmas", pos, "expected #pragma pack parameter to be '1', '2', '4', '8', or '16'")
				return
			}
			pack = n
		}
	}
	c.pack = pack
}

// pragmaWords returns the words of a pragma: identifiers, numbers, and each other character.
func pragmaWords(text string) []string {
	var list []string
	for i := 0; i < len(text); {
		ch := text[i]
		j := i + 1
		if wordByte(ch) {
			for j < len(text) && wordByte(text[j]) {
				j++
			}
		}
		if ch > ' ' {
			list = append(list, text[i:j])
		}
		i = j
	}
	return list
}

func wordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// IsLoopPragma reports whether a pragma belongs to the loop behind it.
func IsLoopPragma(text string) bool {
	return strings.HasPrefix(text, "unroll") || strings.HasPrefix(text, "nounroll") ||
		strings.HasPrefix(text, "clang loop")
}

// LoopPragma returns what #pragma unroll, nounroll and clang loop ask for, as tree.Loop.Unroll has it. before is what
// other pragmas of the loop ask for.
func (c *Checker) LoopPragma(text string, pos source.Pos, before int64) int64 {
	w := pragmaWords(text)
	switch w[0] {
	case "nounroll":
		return 1
	case "clang":
		for i := 2; i+2 < len(w); i++ {
			if (w[i] == "unroll" || w[i] == "unroll_count") && w[i+1] == "(" {
				return c.unrollCount(w[i+2], pos)
			}
		}
		return before
	}
	w = w[1:]
	if len(w) > 0 && w[0] == "(" {
		w = w[1:]
	}
	if len(w) == 0 {
		return -1
	}
	return c.unrollCount(w[0], pos)
}

// unrollCount returns what a word says about unrolling.
func (c *Checker) unrollCount(word string, pos source.Pos) int64 {
	switch word {
	case "enable":
		return -1
	case "full":
		return -2
	case "disable":
		return 1
	}
	n, err := strconv.ParseInt(strings.TrimRight(word, "uUlL"), 0, 32)
	switch {
	case err != nil:
		c.Diags.Errorf(pos, "'#pragma unroll' takes a positive integer constant, not '%s'", word)
		return 0
	case n <= 0:
		c.Diags.Errorf(pos, "invalid value '%s'; must be positive", word)
		return 0
	}
	return n
}
