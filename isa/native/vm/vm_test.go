package vm

import (
	"errors"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// allocated emits a function, assigns registers, and returns the code as text.
func allocated(t *testing.T, target Target, emit func(f *Func)) string {
	t.Helper()
	asm := amd64.New(amd64.AVX2 | amd64.AVX512)
	asm.List(nil)
	f := New(asm, target, 0)
	f.Check()
	emit(f)
	f.RunLater()
	code, err := f.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(asm.Listing(code, false))
}

func memory64(n int32) amd64.Mem { return amd64.Mem{Base: amd64.RSI, Disp: 64 * n} }

// loads makes registers with what lies next to each other in memory.
func loads(f *Func, n int) (list []amd64.Vec) {
	for i := range n {
		x := f.NewVec()
		f.V(amd64.VMOVDQU32, amd64.Z, x, memory64(int32(i)))
		list = append(list, x)
	}
	return list
}

// TestCode compares code with what it should be.
func TestCode(t *testing.T) {
	for _, c := range []struct {
		name    string
		vectors int
		emit    func(f *Func)
		want    string
	}{
		{"a copy of what dies costs nothing", 4, func(f *Func) {
			x, d := loads(f, 1)[0], f.NewVec()
			f.V(amd64.VMOVDQA32, amd64.Z, d, x)
			f.V(amd64.VPADDD, amd64.Z, d, d, d)
			f.V(amd64.VMOVDQU32, amd64.Z, memory64(9), d)
		}, `
vmovdqu32 zmm0, zmmword ptr [rsi]
vpaddd zmm0, zmm0, zmm0
vmovdqu32 zmmword ptr [rsi+576], zmm0`},

		{"a copy that clears the upper half of a register stays", 4, func(f *Func) {
			x, d := loads(f, 1)[0], f.NewVec()
			f.V(amd64.VMOVDQA32, amd64.Y, d, x)
			f.V(amd64.VMOVDQU32, amd64.Z, memory64(9), d)
		}, `
vmovdqu32 zmm0, zmmword ptr [rsi]
vmovdqa ymm0, ymm0
vmovdqu32 zmmword ptr [rsi+576], zmm0`},

		{"the value whose next use is farthest is spilled", 2, func(f *Func) {
			x := loads(f, 3)
			f.V(amd64.VPADDD, amd64.Z, x[1], x[1], x[2])
			f.V(amd64.VPADDD, amd64.Z, x[0], x[0], x[1])
			f.V(amd64.VMOVDQU32, amd64.Z, memory64(9), x[0])
		}, `
mov rbp, qword ptr [rdi]
vmovdqu32 zmm0, zmmword ptr [rsi]
vmovdqu32 zmm1, zmmword ptr [rsi+64]
vmovdqu64 zmmword ptr [rbp], zmm0
vmovdqu32 zmm0, zmmword ptr [rsi+128]
vpaddd zmm1, zmm1, zmm0
vmovdqu64 zmm0, zmmword ptr [rbp]
vpaddd zmm0, zmm0, zmm1
vmovdqu32 zmmword ptr [rsi+576], zmm0`},

		{"a constant is rematerialised", 2, func(f *Func) {
			c := f.NewVec()
			f.V(amd64.VPBROADCASTD, amd64.Z, c, f.Const32(7))
			x := loads(f, 2)
			f.V(amd64.VPADDD, amd64.Z, x[0], x[0], x[1])
			f.V(amd64.VPADDD, amd64.Z, x[0], x[0], c)
			f.V(amd64.VMOVDQU32, amd64.Z, memory64(9), x[0])
		}, `
vpbroadcastd zmm0, dword ptr [0x7]
vmovdqu32 zmm1, zmmword ptr [rsi]
vmovdqu32 zmm0, zmmword ptr [rsi+64]
vpaddd zmm1, zmm1, zmm0
vpbroadcastd zmm0, dword ptr [0x7]
vpaddd zmm1, zmm1, zmm0
vmovdqu32 zmmword ptr [rsi+576], zmm1`},

		{"what goes round a loop stays in its register", 4, func(f *Func) {
			sum, x, top := f.NewVec(), loads(f, 1)[0], f.NewLabel()
			f.V(amd64.VPXORD, amd64.Z, sum, sum, sum)
			f.Bind(top)
			d := f.NewVec()
			f.V(amd64.VPADDD, amd64.Z, d, sum, x)
			f.V(amd64.VMOVDQA32, amd64.Z, sum, d)
			f.G(amd64.DEC, amd64.B64, amd64.RCX)
			f.Jcc(amd64.NotZero, top)
			f.V(amd64.VMOVDQU32, amd64.Z, memory64(9), sum)
		}, `
vmovdqu32 zmm0, zmmword ptr [rsi]
vpxord zmm1, zmm1, zmm1
L0.0:
vpaddd zmm1, zmm1, zmm0
dec rcx
jne L0.0
vmovdqu32 zmmword ptr [rsi+576], zmm1`},

		{"seldom run code spills on its way alone", 2, func(f *Func) {
			x, rare, back := loads(f, 2), f.NewLabel(), f.NewLabel()
			f.Jcc(amd64.Equal, rare)
			f.Later(func() {
				f.Bind(rare)
				y := f.NewVec()
				f.V(amd64.VMOVDQU32, amd64.Z, y, memory64(5))
				f.V(amd64.VPADDD, amd64.Z, x[0], x[0], y)
				f.Jmp(back)
			})
			f.Bind(back)
			f.V(amd64.VPADDD, amd64.Z, x[0], x[0], x[1])
			f.V(amd64.VMOVDQU32, amd64.Z, memory64(9), x[0])
			f.G(amd64.RET, amd64.B64)
		}, `
mov rbp, qword ptr [rdi]
vmovdqu32 zmm0, zmmword ptr [rsi]
vmovdqu32 zmm1, zmmword ptr [rsi+64]
je L0.1
L0.0:
vpaddd zmm0, zmm0, zmm1
vmovdqu32 zmmword ptr [rsi+576], zmm0
ret
L0.1:
vmovdqu64 zmmword ptr [rbp], zmm1
vmovdqu32 zmm1, zmmword ptr [rsi+320]
vpaddd zmm0, zmm0, zmm1
vmovdqu64 zmm1, zmmword ptr [rbp]
jmp L0.0`},
	} {
		target := target4(c.vectors, 3)
		target.Load = amd64.Mem{Base: amd64.RDI}
		got := allocated(t, target, func(f *Func) {
			f.LoadBase()
			c.emit(f)
		})
		if got, want := strings.ReplaceAll(got, "\t", ""), strings.TrimSpace(c.want); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, want)
		}
	}
}

// TestCheck has a register changed in allocated code: an operand is read from where it is not then.
func TestCheck(t *testing.T) {
	faults := 0
	for seed := range uint64(50) {
		p := newProgram(seed, target4(5, 4))
		p.f.chunks[len(p.f.chunks)-1].end = len(p.f.insts)
		a := newAllocator(p.f, p.f.analyse())
		a.run()
		if err := a.verify(); err != nil {
			t.Fatal(err)
		}
		r := p.IntN(len(a.results))
		for p.f.virtuals[a.g.refs[r].v].file != Vectors || a.g.refs[r].access != amd64.Read {
			r = p.IntN(len(a.results))
		}
		a.results[r] = (a.results[r] + 1) % 5
		if err := a.verify(); err != nil {
			faults++
			if !errors.Is(err, ErrAssignment) {
				t.Error(err)
			}
		}
	}
	if faults < 45 { // some are in code that nothing leads to
		t.Errorf("%d faults found in 50 functions", faults)
	}
}

// TestDump has the text of machine form.
func TestDump(t *testing.T) {
	asm := amd64.New(amd64.AVX2 | amd64.AVX512)
	asm.List(nil)
	f := New(asm, target4(4, 3), 0)
	f.Section("start")
	x, k, l := f.NewVec(), f.NewMask(), f.NewLabel()
	f.V(amd64.VPCMPUD, amd64.Z, k, x, f.Const32(1).Bcast(), amd64.Imm(2))
	f.Jcc(amd64.Equal, l)
	f.Note("an element for each lane")
	f.V(amd64.VPGATHERDD, amd64.Z, x, amd64.VMem(amd64.RAX, x, 4, 8), amd64.Merge(k))
	f.Bind(l)
	f.Set(amd64.Below, amd64.RAX)
	f.CMov(amd64.Above, amd64.B64, amd64.RAX, amd64.Mem{Base: amd64.RDI})
	const want = `
start
	vpcmpud.z m1, v0, [rip+const0+0]{bcast}, 2
	je L0
	; an element for each lane
	vpgatherdd.z v0, [rax+v0*4+8], {m1}
L0:
	setb rax
	cmova.64 rax, [here]
`
	got := f.Dump(func(m amd64.Mem) string {
		if m.Base == amd64.RDI {
			return "here"
		}
		return ""
	})
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
