package lower_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// convergeHead is a kernel f(global uint *out, global uint *in) whose body
// follows: %x is what in holds for the work-item %g.
const convergeHead = `OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability GroupNonUniformBallot
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %f "f" %gid
OpDecorate %gid BuiltIn GlobalInvocationId
%void = OpTypeVoid
%bool = OpTypeBool
%i32 = OpTypeInt 32 0
%i64 = OpTypeInt 64 0
%v3 = OpTypeVector %i64 3
%v4 = OpTypeVector %i32 4
%pin = OpTypePointer Input %v3
%pg = OpTypePointer CrossWorkgroup %i32
%fn = OpTypeFunction %void %pg %pg
%gid = OpVariable %pin Input
%true = OpConstantTrue %bool
%c0 = OpConstant %i32 0
%c1 = OpConstant %i32 1
%c3 = OpConstant %i32 3
%c4 = OpConstant %i32 4
%c100 = OpConstant %i32 100
%f = OpFunction %void None %fn
%out = OpFunctionParameter %pg
%in = OpFunctionParameter %pg
%entry = OpLabel
%g3 = OpLoad %v3 %gid
%g = OpCompositeExtract %i64 %g3 0
%ip = OpInBoundsPtrAccessChain %pg %in %g
%op = OpInBoundsPtrAccessChain %pg %out %g
%x = OpLoad %i32 %ip
`

// count is the text that counts the work-items that run it together.
func countOps(n string) string {
	return "%bal" + n + " = OpGroupNonUniformBallot %v4 %c3 %true\n%" + n + " = OpGroupNonUniformBallotBitCount %i32 %c3 Reduce %bal" + n + "\n"
}

// TestConvergence runs operations across lanes in control flow from which a
// pass would like to take them: each has the lanes that the text gives it.
func TestConvergence(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       func(x []uint32, me int) uint32 // x has the sub-group's inputs
	}{
		{"the same operation on both sides of a branch", `
%even = OpBitwiseAnd %i32 %x %c1
%b = OpIEqual %bool %even %c0
OpSelectionMerge %join None
OpBranchConditional %b %then %else
%then = OpLabel
` + countOps("n1") + `OpBranch %join
%else = OpLabel
` + countOps("n2") + `OpBranch %join
%join = OpLabel
%n = OpPhi %i32 %n1 %then %n2 %else
OpStore %op %n
`, func(x []uint32, me int) uint32 {
			n := uint32(0)
			for _, v := range x {
				if v&1 == x[me]&1 {
					n++
				}
			}
			return n
		}},
		{"a short branch", `
%even = OpBitwiseAnd %i32 %x %c1
%b = OpIEqual %bool %even %c0
OpSelectionMerge %join None
OpBranchConditional %b %then %join
%then = OpLabel
` + countOps("n1") + `OpBranch %join
%join = OpLabel
%n = OpPhi %i32 %n1 %then %c100 %entry
OpStore %op %n
`, func(x []uint32, me int) uint32 {
			n := uint32(0)
			for _, v := range x {
				if v&1 == 0 {
					n++
				}
			}
			if x[me]&1 != 0 {
				return 100
			}
			return n
		}},
		{"before and inside a branch", countOps("n0") + `
%even = OpBitwiseAnd %i32 %x %c1
%b = OpIEqual %bool %even %c0
OpSelectionMerge %join None
OpBranchConditional %b %then %join
%then = OpLabel
` + countOps("n1") + `%h = OpIMul %i32 %n0 %c100
%s = OpIAdd %i32 %h %n1
OpBranch %join
%join = OpLabel
%n = OpPhi %i32 %s %then %c0 %entry
OpStore %op %n
`, func(x []uint32, me int) uint32 {
			n := uint32(0)
			for _, v := range x {
				if v&1 == 0 {
					n++
				}
			}
			if x[me]&1 != 0 {
				return 0
			}
			return uint32(len(x))*100 + n
		}},
		{"in a loop that lanes leave at different trips", `
OpBranch %head
%head = OpLabel
%i = OpPhi %i32 %c0 %entry %i1 %body
%sum = OpPhi %i32 %c0 %entry %sum1 %body
%more = OpULessThan %bool %i %x
OpLoopMerge %done %body None
OpBranchConditional %more %body %done
%body = OpLabel
` + countOps("n1") + `%sum1 = OpIAdd %i32 %sum %n1
%i1 = OpIAdd %i32 %i %c1
OpBranch %head
%done = OpLabel
OpStore %op %sum
`, func(x []uint32, me int) uint32 {
			sum := uint32(0)
			for i := range x[me] {
				for _, v := range x {
					if v > i {
						sum++
					}
				}
			}
			return sum
		}},
		{"behind such a loop", `
OpBranch %head
%head = OpLabel
%i = OpPhi %i32 %c0 %entry %i1 %body
%more = OpULessThan %bool %i %x
OpLoopMerge %done %body None
OpBranchConditional %more %body %done
%body = OpLabel
%i1 = OpIAdd %i32 %i %c1
OpBranch %head
%done = OpLabel
` + countOps("n1") + `%h = OpIMul %i32 %i %c100
%s = OpIAdd %i32 %h %n1
OpStore %op %s
`, func(x []uint32, me int) uint32 { return x[me]*100 + uint32(len(x)) }},
		{"a value that is the same for the sub-group, not for the wave", `
%sum = OpGroupNonUniformBroadcastFirst %i32 %c3 %x
OpBranch %head
%head = OpLabel
%i = OpPhi %i32 %c0 %entry %i1 %body
%more = OpULessThan %bool %i %sum
OpLoopMerge %done %body None
OpBranchConditional %more %body %done
%body = OpLabel
%i1 = OpIAdd %i32 %i %c1
OpBranch %head
%done = OpLabel
OpStore %op %i
`, func(x []uint32, _ int) uint32 { return x[0] }},
	} {
		r := rand.New(rand.NewPCG(1, 9))
		for _, size := range []int{1, 4, 16, 64, 128} {
			for _, waves := range []int{size, 2 * size, 256} {
				dev, err := emu.NewDevice(emu.DeviceOptions{SubgroupSize: size, WaveLanes: waves, Workers: 1})
				if err != nil {
					t.Fatal(err)
				}
				const items, local = 300, 150
				in := make([]uint32, items)
				var raw []byte
				for i := range in {
					in[i] = uint32(r.IntN(9))
					raw = binary.LittleEndian.AppendUint32(raw, in[i])
				}
				got := unpack(ti(32), runGroups(t, dev, convergeHead+c.body+"OpReturn\nOpFunctionEnd\n", items, local, make([]byte, items*4), raw))
				for id := range items {
					first := id/local*local + id%local/size*size
					last := min(first+size, (id/local+1)*local)
					if want := c.want(in[first:last], id-first); uint32(got[id]) != want {
						t.Fatalf("%s, sub-groups of %d, waves of %d: work-item %d has %d, want %d", c.name, size, waves, id, got[id], want)
					}
				}
			}
		}
	}
}

// TestNamedBarrier lets the sub-groups of a work-group meet in turns: what one
// of them wrote before a meeting the others read behind it.
func TestNamedBarrier(t *testing.T) {
	const text = `OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability NamedBarrier
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %f "f" %lid %sid %nsg
OpDecorate %lid BuiltIn LocalInvocationIndex
OpDecorate %sid BuiltIn SubgroupId
OpDecorate %nsg BuiltIn NumSubgroups
%void = OpTypeVoid
%bool = OpTypeBool
%i32 = OpTypeInt 32 0
%i64 = OpTypeInt 64 0
%nb = OpTypeNamedBarrier
%p64 = OpTypePointer Input %i64
%p32 = OpTypePointer Input %i32
%pg = OpTypePointer CrossWorkgroup %i32
%fn = OpTypeFunction %void %pg
%lid = OpVariable %p64 Input
%sid = OpVariable %p32 Input
%nsg = OpVariable %p32 Input
%c0 = OpConstant %i32 0
%c1 = OpConstant %i32 1
%c2 = OpConstant %i32 2
%rounds = OpConstant %i32 5
%sem = OpConstant %i32 520
%c64 = OpConstant %i32 64
%results = OpConstant %i32 1024
%f = OpFunction %void None %fn
%out = OpFunctionParameter %pg
%entry = OpLabel
%l = OpLoad %i64 %lid
%s = OpLoad %i32 %sid
%n = OpLoad %i32 %nsg
%b = OpNamedBarrierInitialize %nb %n
OpBranch %head
%head = OpLabel
%i = OpPhi %i32 %c0 %entry %i1 %body
%sum = OpPhi %i32 %c0 %entry %sum1 %body
%more = OpULessThan %bool %i %rounds
OpLoopMerge %done %body None
OpBranchConditional %more %body %done
%body = OpLabel
%h = OpIMul %i32 %i %c64
%mine = OpIAdd %i32 %h %s
%mp = OpInBoundsPtrAccessChain %pg %out %mine
%v = OpIAdd %i32 %mine %c1
OpStore %mp %v
OpMemoryNamedBarrier %b %c2 %sem
%next0 = OpIAdd %i32 %s %c1
%next = OpUMod %i32 %next0 %n
%other = OpIAdd %i32 %h %next
%op = OpInBoundsPtrAccessChain %pg %out %other
%w = OpLoad %i32 %op
%sum1 = OpIAdd %i32 %sum %w
OpMemoryNamedBarrier %b %c2 %sem
%i1 = OpIAdd %i32 %i %c1
OpBranch %head
%done = OpLabel
%at = OpIAdd %i32 %s %results
%rp = OpInBoundsPtrAccessChain %pg %out %at
OpStore %rp %sum
OpReturn
OpFunctionEnd
`
	for _, size := range []int{4, 16} {
		for workers := 1; workers <= 2; workers++ {
			dev, err := emu.NewDevice(emu.DeviceOptions{SubgroupSize: size, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			const local = 60
			n := (local + size - 1) / size
			got := unpack(ti(32), runGroups(t, dev, text, local, local, make([]byte, 4*2048)))
			for s := range n {
				want := uint64(0)
				for r := range 5 {
					want += uint64(r*64 + (s+1)%n + 1)
				}
				if got[1024+s] != want {
					t.Errorf("sub-groups of %d: sub-group %d of %d has %d, want %d", size, s, n, got[1024+s], want)
				}
			}
		}
	}
}
