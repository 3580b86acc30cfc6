package spirv

import (
	"fmt"
	"testing"
)

// TestStructs asks for the members and numbers of structures, of hostile ones among them.
func TestStructs(t *testing.T) {
	m := &Module{Insts: []Inst{
		inst(t, OpMemberName, 20, 1, 'b'), inst(t, OpDecorate, 21, uint32(DecorationCPacked)),
		inst(t, OpTypeInt, 1, 8, 0), inst(t, OpTypeInt, 2, 32, 0), inst(t, OpTypeInt, 3, 64, 0), inst(t, OpTypeFloat, 4, 32),
		inst(t, OpConstant, 2, 10, 2), inst(t, OpConstant, 2, 11, 3), inst(t, OpConstant, 3, 12, 0, 1<<28),
		inst(t, OpTypeVector, 5, 4, 3), inst(t, OpTypeArray, 6, 4, 11), inst(t, OpTypeArray, 7, 6, 10),
		inst(t, OpTypePointer, 8, uint32(StorageClassCrossWorkgroup), 7),
		inst(t, OpTypeStruct, 20, 1, 5, 7), inst(t, OpTypeStruct, 21, 1, 2), inst(t, OpTypeStruct, 22, 21, 8),
		inst(t, OpTypeStruct, 23), inst(t, OpTypeArray, 24, 23, 12), inst(t, OpTypeStruct, 25, 24, 1), // nothing, many times
		inst(t, OpTypeArray, 26, 1, 12), inst(t, OpTypeStruct, 27, 26), // something, many times
		inst(t, OpTypeStruct, 28, 1, 1, 1), inst(t, OpTypeStruct, 28, 1), // one id, twice
		// Elements that are empty in one definition and not in the other, many times.
		inst(t, OpTypeStruct, 29), inst(t, OpTypeStruct, 30, 29), inst(t, OpTypeStruct, 30, 1), inst(t, OpTypeArray, 31, 30, 12), inst(t, OpTypeStruct, 32, 31),
	}}
	deep := uint32(40)
	m.Insts = append(m.Insts, inst(t, OpTypeStruct, deep, 1))
	for ; deep < 100; deep++ {
		m.Insts = append(m.Insts, inst(t, OpTypeStruct, deep+1, deep))
	}
	s := NewStructs(m)
	for _, c := range []struct {
		typ              ID
		members, scalars string
	}{
		{20, "[{ 1 uchar 0 1} {b 5 float3 16 16} { 7 float[2][3] 32 24}] 3 true",
			"[{uchar 0 1} {float 16 4} {float 20 4} {float 24 4} {float 32 4} {float 36 4} {float 40 4} {float 44 4} {float 48 4} {float 52 4}] true"},
		{21, "[{ 1 uchar 0 1} { 2 uint 1 4}] 2 true", "[{uchar 0 1} {uint 1 4}] true"},
		{22, "[{ 21 struct 0 5} { 8 float[2][3]* 8 8}] 2 true", "false"},
		{25, "[{ 24 struct[1152921504606846976] 0 0} { 1 uchar 0 1}] 2 true", "[{uchar 0 1}] true"},
		{27, "[{ 26 uchar[1152921504606846976] 0 1152921504606846976}] 1 true", "false"},
		{28, "[] 0 false", "[{uchar 0 1}] true"},
		{32, "[{ 31 struct[1152921504606846976] 0 1152921504606846976}] 1 true", "false"},
		{ID(deep), fmt.Sprintf("[{ %d struct 0 1}] 1 true", deep-1), "false"},
		{2, "[] 0 false", "[{uint 0 4}] true"},
		{99999, "[] 0 false", "false"},
	} {
		members, total, ok := s.Members(c.typ, 8)
		if got := fmt.Sprintf("%v %d %v", members, total, ok); got != c.members {
			t.Errorf("members of %d: %s, want %s", c.typ, got, c.members)
		}
		scalars, ok := s.Scalars(c.typ, 12)
		got := "false"
		if ok {
			got = fmt.Sprintf("%v true", scalars)
		}
		if got != c.scalars {
			t.Errorf("scalars of %d: %s, want %s", c.typ, got, c.scalars)
		}
	}
	if members, total, _ := s.Members(20, 2); len(members) != 2 || total != 3 {
		t.Errorf("at most 2 of 3 members: %d of %d", len(members), total)
	}
}
