package isa_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

// TestWorkItemOrder checks that numbers go through every work-item once, the
// innermost dimension first.
func TestWorkItemOrder(t *testing.T) {
	size := [3]uint32{3, 4, 2}
	for o := range isa.NumWorkItemOrders {
		d := o.Dims()
		var n uint64
		seen := map[uint64]bool{}
		var id [3]uint32
		for id[d[2]] = 0; id[d[2]] < size[d[2]]; id[d[2]]++ {
			for id[d[1]] = 0; id[d[1]] < size[d[1]]; id[d[1]]++ {
				for id[d[0]] = 0; id[d[0]] < size[d[0]]; id[d[0]]++ {
					if got := o.Item(size, n); got != id {
						t.Fatalf("order %s: number %d is %v, expected %v", o, n, got, id)
					}
					linear := o.Linear(size, n)
					if want := uint64((id[2]*size[1]+id[1])*size[0] + id[0]); linear != want {
						t.Fatalf("order %s: number %d has the linear id %d, expected %d", o, n, linear, want)
					}
					seen[linear] = true
					n++
				}
			}
		}
		if len(seen) != 24 {
			t.Errorf("order %s: %d work-items", o, len(seen))
		}
		if p, err := isa.ParseWorkItemOrder(o.String()); err != nil || p != o {
			t.Errorf("order %s reads as %v: %v", o, p, err)
		}
	}
	if _, err := isa.ParseWorkItemOrder("xxy"); err == nil {
		t.Error("xxy is an order")
	}
	if got := isa.WorkItemOrder(9).String() + isa.BarrierSchedule(9).String(); got != "order(9)schedule(9)" {
		t.Error(got)
	}
	// A group without work-items in some dimension has no numbers to ask for.
	if got := isa.OrderXYZ.Item([3]uint32{0, 0, 0}, 0); got != [3]uint32{} {
		t.Error(got)
	}
}

func TestParseMetadata(t *testing.T) {
	for s := range isa.NumBarrierSchedules {
		if p, err := isa.ParseBarrierSchedule(s.String()); err != nil || p != s {
			t.Errorf("schedule %s reads as %v: %v", s, p, err)
		}
	}
	for _, o := range []isa.VectorOptions{{Width: 1}, {Width: 16, Dim: 2}, {Width: 4, Scalable: true, Predicated: true}, {Width: 1<<32 - 1, Dim: 1, Predicated: true}} {
		if p, err := isa.ParseVectorOptions(o.String()); err != nil || p != o {
			t.Errorf("%s reads as %+v: %v", o, p, err)
		}
	}
	for _, s := range []string{"", "0", "x", "4294967296", "vscale*", "4,", "4,dim=3", "4,masked"} {
		if o, err := isa.ParseVectorOptions(s); err == nil {
			t.Errorf("%q reads as %+v", s, o)
		}
	}
	if v := (isa.Version{}); v.String() != "" {
		t.Error(v)
	}
}

func TestVersionName(t *testing.T) {
	k := &isa.Kernel{Name: "f"}
	v := &isa.Kernel{Name: k.VersionName("pass1"), Meta: isa.KernelMeta{BaseName: k.Base(), OrigName: k.Orig()}}
	w := &isa.Kernel{Name: v.VersionName("pass2"), Meta: isa.KernelMeta{BaseName: v.Base(), OrigName: v.Orig()}}
	if v.Name != "f.pass1" || w.Name != "f.pass2" || w.Orig() != "f" {
		t.Errorf("%s, %s of %s", v.Name, w.Name, w.Orig())
	}
}

func TestCloneSpecialization(t *testing.T) {
	s := &isa.Specialization{Dim: 2, Global: &[3]uint64{4, 2, 1}, Local: &[3]uint32{2, 1, 1}, Offset: &[3]uint64{1}, Args: []isa.SpecializedArg{{Param: 1, Value: []byte{1, 2}}}}
	c := s.Clone()
	if !reflect.DeepEqual(s, c) {
		t.Fatalf("%+v", c)
	}
	s.Global[0], s.Local[0], s.Offset[0], s.Args[0].Value[0] = 9, 9, 9, 9
	if c.Global[0] != 4 || c.Local[0] != 2 || c.Offset[0] != 1 || !slices.Equal(c.Arg(1), []byte{1, 2}) || c.Arg(0) != nil {
		t.Errorf("%+v", c)
	}
	if (*isa.Specialization)(nil).Clone() != nil || (*isa.Specialization)(nil).Arg(0) != nil {
		t.Error("nil has something")
	}
}

// TestVerifyMeta checks what the verifier says of metadata.
func TestVerifyMeta(t *testing.T) {
	kernel := func() *isa.Kernel {
		k := &isa.Kernel{Name: "f", Params: []isa.Param{{Kind: isa.ParamValue, Size: 2}, {Kind: isa.ParamGlobal}}}
		b := isa.Inst{Op: isa.OpBarrier, Imm2: uint8(isa.ScopeWorkgroup)}
		b.SetTargets(1, 0)
		k.Code = []isa.Inst{b, {Op: isa.OpRet}}
		k.Blocks = []isa.Block{{Start: 0, End: 1}, {Start: 1, End: 2}}
		return k
	}
	if err := kernel().Verify(); err != nil {
		t.Fatal(err)
	}
	arg := func(param, n int) isa.SpecializedArg {
		return isa.SpecializedArg{Param: param, Value: make([]byte, n)}
	}
	for _, x := range []struct {
		want   string
		change func(*isa.Kernel)
	}{
		{"at most 4 dimensions", func(k *isa.Kernel) { k.Meta.MaxWorkDim = 4 }},
		{"work-item order", func(k *isa.Kernel) { k.Meta.Order = isa.NumWorkItemOrders }},
		{"barrier schedule", func(k *isa.Kernel) { k.Meta.Barriers = isa.NumBarrierSchedules }},
		{"1 scheduling parameters", func(k *isa.Kernel) { k.Meta.Scheduled = &isa.ScheduledFn{Params: []int32{1}} }},
		{"scheduling parameter -2", func(k *isa.Kernel) { k.Meta.Scheduled = &isa.ScheduledFn{Params: []int32{1, -2}} }},
		{"width 0", func(k *isa.Kernel) { k.Meta.VectorFailed = []isa.VectorOptions{{}} }},
		{"dimension 3", func(k *isa.Kernel) {
			k.Meta.VectorForms = []isa.VectorLink{{Options: isa.VectorOptions{Width: 1, Dim: 3}}}
		}},
		{"width 0", func(k *isa.Kernel) { k.Meta.VectorOf = &isa.VectorLink{} }},
		{"width 0", func(k *isa.Kernel) {
			k.Meta.Wrapper = &isa.Wrapper{Main: isa.VectorOptions{Width: 1}, Tail: &isa.VectorOptions{}}
		}},
		{"for 4 dimensions", func(k *isa.Kernel) { k.Specialized = &isa.Specialization{Dim: 4} }},
		{"of parameter 2", func(k *isa.Kernel) { k.Specialized = &isa.Specialization{Args: []isa.SpecializedArg{arg(2, 2)}} }},
		{"of parameter 1", func(k *isa.Kernel) { k.Specialized = &isa.Specialization{Args: []isa.SpecializedArg{arg(1, 2)}} }},
		{"3 bytes", func(k *isa.Kernel) { k.Specialized = &isa.Specialization{Args: []isa.SpecializedArg{arg(0, 3)}} }},
		{"twice", func(k *isa.Kernel) {
			k.Specialized = &isa.Specialization{Args: []isa.SpecializedArg{arg(0, 2), arg(0, 2)}}
		}},
		{"schedule 4", func(k *isa.Kernel) { k.Code[0].Imm = uint32(isa.NumBarrierSchedules) }},
		{"memory order 0x1", func(k *isa.Kernel) { k.Code[0].Imm = 256 + uint32(isa.ScheduleLinear) }},
		{"scope 3 with schedule 3", func(k *isa.Kernel) {
			k.Code[0].Imm, k.Code[0].Imm2 = uint32(isa.ScheduleLinear), uint8(isa.ScopeSubgroup)
		}},
	} {
		k := kernel()
		x.change(k)
		if err := k.Verify(); !errors.Is(err, isa.ErrMalformed) || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%v, expected %q", err, x.want)
		}
	}
}
