package groupcases

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/conformance"
)

// blockTypes are the types of block accesses, with the names of the cases.
var blockTypes = []struct {
	name string
	t    scalar
}{{"char", i8}, {"short", i16}, {"int", i32}, {"long", i64}}

func newBlockDraft(name, title string, l launch, clauses ...string) *draft {
	d := newDraft("cases/isg/block-"+name, title, l, clauses...)
	d.extension("SPV_INTEL_subgroups")
	d.need("SubgroupBufferBlockIOINTEL")
	return d
}

// blocks makes the cases about block reads and writes of buffers: with component k of
// lane l at element k × SubgroupMaxSize + l, all of them together are 0, 1, 2 ….
func blocks() []*conformance.Case {
	var out []*conformance.Case
	for _, b := range blockTypes {
		for _, write := range []bool{false, true} {
			clauses := []string{"ISG-09", "ISG-01", "SPV-OpSubgroupBlockReadINTEL"}
			name, title := b.name+"-read", "block reads of "+b.name+" and vectors of it"
			if write {
				name, title = b.name+"-write", "block writes of "+b.name+" and vectors of it"
				clauses[2] = "SPV-OpSubgroupBlockWriteINTEL"
			}
			d := newBlockDraft(name, title, full, clauses...)
			d.add(`%%s32 = OpLoad %%uint %%SubgroupId
				%%s = OpUConvert %%ulong %%s32
				%%l32 = OpLoad %%uint %%SubgroupLocalInvocationId
				%%l = OpUConvert %%ulong %%l32
				%%max32 = OpLoad %%uint %%SubgroupMaxSize
				%%max = OpUConvert %%ulong %%max32`)
			for _, n := range []int{1, 2, 4, 8} {
				d.block(vector{b.t, n}, write)
			}
			if write {
				d.Comment = "Sub-groups write blocks to a scratch buffer, in which theirs begins at a multiple of 16 bytes, and read them\nback one by one."
			} else {
				d.Comment = "The block of a sub-group begins at a multiple of 16 bytes. Of what is read the gaps are taken off."
			}
			out = append(out, d.finish())
		}
	}
	return out
}

// block puts block accesses of one type into a kernel. A sub-group has n × max elements;
// its block begins at s × stride, where stride is that rounded up to 16 bytes.
func (d *draft) block(v vector, write bool) {
	name, t := v.name(), v.scalar
	total := full.global * v.n
	unit := 16 / t.size()
	room := full.global * max(v.n, unit) // for any size of sub-groups
	d.params = append(d.params, "mem_"+name+" gptr_"+t.spirv)
	if write {
		d.Args = append(d.Args, fmt.Sprintf("zero:%s:%d", t.spec, room))
		d.Varies = append(d.Varies, len(d.Args)-1)
	} else {
		d.Args = append(d.Args, fmt.Sprintf("iota:%s:%d", t.spec, room))
	}
	d.params = append(d.params, "out_"+name+" gptr_"+t.spirv)
	d.Args = append(d.Args, fmt.Sprintf("zero:%s:%d", t.spec, total))
	d.Expect = append(d.Expect, conformance.Expect{Arg: len(d.Args) - 1, What: fmt.Sprintf("iota:%s:%d", t.spec, total)})

	d.add(`%%each_%[1]s = OpIMul %%ulong %%max %%ulong_%[2]d
		%%small_%[1]s = OpULessThan %%bool %%each_%[1]s %%ulong_%[3]d
		%%stride_%[1]s = OpSelect %%ulong %%small_%[1]s %%ulong_%[3]d %%each_%[1]s
		%%base_%[1]s = OpIMul %%ulong %%s %%stride_%[1]s
		%%first_%[1]s = OpIMul %%ulong %%s %%each_%[1]s
		%%gap_%[1]s = OpISub %%ulong %%base_%[1]s %%first_%[1]s
		%%at_%[1]s = OpInBoundsPtrAccessChain %%gptr_%[4]s %%mem_%[1]s %%base_%[1]s`, name, v.n, unit, t.spirv)
	// narrow makes a number of the type from an ulong.
	narrow := func(id, from string) string {
		if t.bits == 64 {
			return from
		}
		d.add(`%%%s = OpUConvert %%%s %s`, id, t.spirv, from)
		return "%" + id
	}
	// The numbers of the lane's components.
	var index []string
	for k := range v.n {
		d.add(`%%row_%[1]s_%[2]d = OpIMul %%ulong %%max %%ulong_%[2]d
			%%in_%[1]s_%[2]d = OpIAdd %%ulong %%row_%[1]s_%[2]d %%l
			%%i_%[1]s_%[2]d = OpIAdd %%ulong %%first_%[1]s %%in_%[1]s_%[2]d`, name, k)
		index = append(index, fmt.Sprintf("%%i_%s_%d", name, k))
	}
	if write {
		value := narrow(fmt.Sprintf("v_%s_0", name), index[0])
		if v.n > 1 {
			parts := value
			for k := 1; k < v.n; k++ {
				parts += " " + narrow(fmt.Sprintf("v_%s_%d", name, k), index[k])
			}
			value = "%vec_" + name
			d.add(`%s = OpCompositeConstruct %%%s %s`, value, name, parts)
		}
		d.add(`OpSubgroupBlockWriteINTEL %%at_%[1]s %[2]s
			OpControlBarrier %%uint_3 %%uint_3 %%uint_528`, name, value)
	} else {
		d.add(`%%r_%[1]s = OpSubgroupBlockReadINTEL %%%[1]s %%at_%[1]s`, name)
	}
	for k := range v.n {
		value := "%r_" + name
		if write {
			value = fmt.Sprintf("%%w_%s_%d", name, k)
			d.add(`%%from_%[1]s_%[2]d = OpInBoundsPtrAccessChain %%gptr_%[3]s %%at_%[1]s %%in_%[1]s_%[2]d
				%[4]s = OpLoad %%%[3]s %%from_%[1]s_%[2]d Aligned %[5]d`, name, k, t.spirv, value, t.size())
		} else {
			if v.n > 1 {
				value = fmt.Sprintf("%%c_%s_%d", name, k)
				d.add(`%s = OpCompositeExtract %%%s %%r_%s %d`, value, t.spirv, name, k)
			}
			gap := narrow(fmt.Sprintf("g_%s_%d", name, k), "%gap_"+name)
			d.add(`%%d_%[1]s_%[2]d = OpISub %%%[3]s %[4]s %[5]s`, name, k, t.spirv, value, gap)
			value = fmt.Sprintf("%%d_%s_%d", name, k)
		}
		d.add(`%%to_%[1]s_%[2]d = OpInBoundsPtrAccessChain %%gptr_%[3]s %%out_%[1]s %[4]s
			OpStore %%to_%[1]s_%[2]d %[5]s Aligned %[6]d`, name, k, t.spirv, index[k], value, t.size())
	}
}

// undefinedBlocks makes the cases about block accesses that are undefined.
func undefinedBlocks() []*conformance.Case {
	var out []*conformance.Case
	type access struct {
		name, title, clause, code, text string
		launch                          launch
		sizes                           []int
		offset                          int  // elements of 2 bytes
		branch                          bool // half of the lanes take part
		write                           bool
	}
	const room = 1024
	for _, a := range []access{
		{"diverged-read", "a block read in a branch that not all take", "ISG-12", "E-BLOCKDIVERGED", "lane 1 first", full, sizes[1:], 0, true, false},
		{"diverged-write", "a block write in a branch that not all take", "ISG-12", "E-BLOCKDIVERGED", "lane 1 first", full, sizes[1:], 0, true, true},
		{"partial-read", "a block read in a partial sub-group", "ISG-13", "E-BLOCKPARTIAL", "the sub-group has 3 work-items of", launch{3, 3}, sizes[1:], 0, false, false},
		{"partial-write", "a block write in a partial sub-group", "ISG-13", "E-BLOCKPARTIAL", "the sub-group has 3 work-items of", launch{3, 3}, sizes[1:], 0, false, true},
		{"unaligned-read", "a block read from 2 bytes past a multiple of 4", "ISG-14", "E-BLOCKALIGN", "a block read at byte 2, which is no multiple of 4", full, nil, 1, false, false},
		{"unaligned-write", "a block write 8 bytes past a multiple of 16", "ISG-14", "E-BLOCKALIGN", "a block write at byte 8, which is no multiple of 16", full, nil, 4, false, true},
	} {
		d := newBlockDraft(a.name, a.title, a.launch, a.clause)
		d.SubGroups = a.sizes
		d.Check = conformance.ChecksOn
		d.Findings = []conformance.ExpectFinding{{Code: a.code, Texts: texts(a.text)}}
		d.params = append(d.params, "mem gptr_ushort", "out gptr_ushort")
		d.Args = append(d.Args, fmt.Sprintf("iota:u16:%d", room), fmt.Sprintf("zero:u16:%d", a.launch.global))
		d.add(`%%lane = OpLoad %%uint %%SubgroupLocalInvocationId
			%%odd = OpBitwiseAnd %%uint %%lane %%uint_1
			%%even = OpIEqual %%bool %%odd %%uint_0
			%%p = OpInBoundsPtrAccessChain %%gptr_ushort %%mem %%ulong_%d`, a.offset)
		if a.branch {
			d.add(`OpBranchConditional %%even %%then %%join
				%%then = OpLabel`)
		}
		if a.write {
			d.add(`OpSubgroupBlockWriteINTEL %%p %%ushort_7`)
		} else {
			d.add(`%%r = OpSubgroupBlockReadINTEL %%ushort %%p`)
			d.store("out", i16, 0, "%r")
		}
		if a.branch {
			d.add(`OpBranch %%join
				%%join = OpLabel`)
		}
		out = append(out, d.finish())
	}
	return out
}
