package lower_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// matrixHead declares what kernels with cooperative matrices of integers need: A has bytes, as B; C and the result words.
func matrixHead(m, k, n int, types string) string {
	return fmt.Sprintf(`OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability Int8
OpCapability Groups
OpCapability CooperativeMatrixKHR
OpExtension "SPV_KHR_cooperative_matrix"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %%f "f"
%%void = OpTypeVoid
%%char = OpTypeInt 8 0
%%uint = OpTypeInt 32 0
%%scope = OpConstant %%uint 3
%%zero = OpConstant %%uint 0
%%one = OpConstant %%uint 1
%%two = OpConstant %%uint 2
%%m = OpConstant %%uint %d
%%k = OpConstant %%uint %d
%%n = OpConstant %%uint %d
%%ma = OpTypeCooperativeMatrixKHR %%char %%scope %%m %%k %%zero
%%mb = OpTypeCooperativeMatrixKHR %%char %%scope %%k %%n %%one
%%mc = OpTypeCooperativeMatrixKHR %%uint %%scope %%m %%n %%two
%%pc = OpTypePointer CrossWorkgroup %%char
%%pi = OpTypePointer CrossWorkgroup %%uint
%%fn = OpTypeFunction %%void %%pc %%pc %%pi %%pi
%s%%f = OpFunction %%void None %%fn
%%a = OpFunctionParameter %%pc
%%b = OpFunctionParameter %%pc
%%c = OpFunctionParameter %%pi
%%d = OpFunctionParameter %%pi
%%e = OpLabel
`, m, k, n, types)
}

// assembled compiles a module in text and returns one of its kernels.
func assembled(t *testing.T, dev *emu.Device, text, name string) *emu.Kernel {
	t.Helper()
	code, err := asm.Assemble(text, asm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	prog, err := dev.NewProgram(code, emu.ProgramOptions{})
	if err != nil {
		t.Fatal(err)
	}
	k, err := prog.Kernel(name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// runMatrix runs a kernel by one sub-group and returns what it has stored.
func runMatrix(t *testing.T, text string, lanes int, a, b []int8, c []int32) []int32 {
	t.Helper()
	dev, err := emu.NewDevice(emu.DeviceOptions{SubgroupSize: lanes, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	kernel := assembled(t, dev, text, "f")
	ab, err := emu.NewBufferOf(dev, a)
	if err != nil {
		t.Fatal(err)
	}
	bb, err := emu.NewBufferOf(dev, b)
	if err != nil {
		t.Fatal(err)
	}
	cb, err := emu.NewBufferOf(dev, c)
	if err != nil {
		t.Fatal(err)
	}
	db, err := emu.NewBufferOf(dev, make([]int32, len(c)))
	if err != nil {
		t.Fatal(err)
	}
	grid := emu.Range(uint64(lanes))
	grid.Local = []uint64{uint64(lanes)}
	if _, err := kernel.Run(context.Background(), grid, ab, bb, cb, db); err != nil {
		t.Fatal(err)
	}
	out, err := emu.Read[int32](db)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// matrixBytes returns bytes of both signs.
func matrixBytes(n, seed int) []int8 {
	list := make([]int8, n)
	for i := range list {
		list[i] = int8((i*seed + i*i*7 + 100) % 251)
	}
	return list
}

// TestMatrixProduct compares products with plain loops: sizes that fill the lanes of a sub-group, that leave some of them
// without an element, and whose rows begin in the middle of the lanes, in each layout and with factors of each sign.
func TestMatrixProduct(t *testing.T) {
	for _, size := range [][3]int{{8, 16, 16}, {16, 16, 16}, {1, 5, 3}, {3, 7, 6}, {12, 4, 24}, {5, 1, 1}, {32, 2, 2}} {
		m, k, n := size[0], size[1], size[2]
		a, b := matrixBytes(m*k, 11), matrixBytes(k*n, 5)
		c := make([]int32, m*n)
		for i := range c {
			c[i] = int32(i*1000 - 5000)
		}
		for _, signs := range []string{"", "MatrixASignedComponentsKHR", "MatrixBSignedComponentsKHR|MatrixASignedComponentsKHR"} {
			wide := func(x int8, name string) int32 {
				if strings.Contains(signs, name) {
					return int32(x)
				}
				return int32(uint8(x))
			}
			want := make([]int32, m*n) // the columns one after the other
			for r := range m {
				for col := range n {
					sum := c[r*n+col]
					for i := range k {
						sum += wide(a[i*m+r], "MatrixA") * wide(b[i*n+col], "MatrixB") // A has its columns one after the other
					}
					want[col*m+r] = sum
				}
			}
			for _, lanes := range []int{1, 4, 16, 32, 128} {
				got := runMatrix(t, matrixHead(m, k, n, "")+`%va = OpCooperativeMatrixLoadKHR %ma %a %one %m
%vb = OpCooperativeMatrixLoadKHR %mb %b %zero %n
%vc = OpCooperativeMatrixLoadKHR %mc %c %zero %n Aligned 4
%vd = OpCooperativeMatrixMulAddKHR %mc %va %vb %vc `+signs+`
OpCooperativeMatrixStoreKHR %d %vd %one %m
OpReturn
OpFunctionEnd
`, lanes, a, b, c)
				for i := range want {
					if got[i] != want[i] {
						t.Fatalf("%v, %q, %d lanes: element %d is %d, expected %d", size, signs, lanes, i, got[i], want[i])
					}
				}
			}
		}
	}
}

// TestMatrixElements counts elements by who has them: each has one lane, and components that are none are zero when
// they are loaded.
func TestMatrixElements(t *testing.T) {
	const m, n = 3, 7
	c := make([]int32, m*n)
	total := int32(0)
	for i := range c {
		c[i] = int32(i*i + 1)
		total += c[i]
	}
	for _, lanes := range []int{1, 2, 8, 32, 64} {
		got := runMatrix(t, matrixHead(m, 1, n, `%pm = OpTypePointer Function %mc
%pe = OpTypePointer Function %uint
%bool = OpTypeBool
`)+`%var = OpVariable %pm Function
%vc = OpCooperativeMatrixLoadKHR %mc %c %zero %n
OpStore %var %vc
%length = OpCooperativeMatrixLengthKHR %uint %mc
OpBranch %loop
%loop = OpLabel
%i = OpPhi %uint %zero %e %next %loop
%sum = OpPhi %uint %zero %e %more %loop
%p = OpAccessChain %pe %var %i
%x = OpLoad %uint %p
%more = OpIAdd %uint %sum %x
%next = OpIAdd %uint %i %one
%again = OpULessThan %bool %next %length
OpLoopMerge %done %loop None
OpBranchConditional %again %loop %done
%done = OpLabel
%all = OpGroupIAdd %uint %scope Reduce %more
%filled = OpCompositeConstruct %mc %all
OpCooperativeMatrixStoreKHR %d %filled %zero %n
OpReturn
OpFunctionEnd
`, lanes, make([]int8, m), make([]int8, n), c)
		for i, x := range got {
			if x != total {
				t.Fatalf("%d lanes: element %d is %d, expected %d", lanes, i, x, total)
			}
		}
	}
}

// TestMatrixArithmetic runs what acts on each element by itself, on matrices of other uses and types, and saturation.
func TestMatrixArithmetic(t *testing.T) {
	const m, n = 4, 8
	a, b := matrixBytes(m*n, 3), matrixBytes(n*n, 9)
	c := make([]int32, m*n)
	for i := range c {
		c[i] = math.MaxInt32 - int32(i)
	}
	got := runMatrix(t, matrixHead(m, n, n, `%mw = OpTypeCooperativeMatrixKHR %uint %scope %m %k %zero
%mi = OpTypeCooperativeMatrixKHR %uint %scope %k %n %one
%three = OpConstant %uint 3
%threes = OpConstantComposite %mw %three
%ones = OpConstantComposite %mi %one
%nothing = OpConstantNull %mw
`)+`%va = OpCooperativeMatrixLoadKHR %ma %a %zero %k
%wa = OpSConvert %mw %va
%na = OpSNegate %mw %wa
%sa = OpIAdd %mw %na %threes
%ta = OpMatrixTimesScalar %mw %sa %two
%ua = OpISub %mw %ta %nothing
%vc = OpCooperativeMatrixLoadKHR %mc %c %zero %n
%vd = OpCooperativeMatrixMulAddKHR %mc %ua %ones %vc MatrixASignedComponentsKHR|MatrixCSignedComponentsKHR|MatrixResultSignedComponentsKHR|SaturatingAccumulationKHR
OpCooperativeMatrixStoreKHR %d %vd %zero %n
OpReturn
OpFunctionEnd
`, 8, a, b, c)
	for i := range got {
		sum := int64(0)
		for k := range n {
			sum += 2 * (3 - int64(a[i/n*n+k]))
		}
		want := int32(min(sum+int64(c[i]), math.MaxInt32))
		if got[i] != want {
			t.Fatalf("element %d is %d, expected %d", i, got[i], want)
		}
	}
}
