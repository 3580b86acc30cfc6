package muxtest

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/mux"
)

// subgroupText is kernel count(global uint *out), in which work-item i puts its sub-group
// id times 65536 plus the size of its sub-group there.
const subgroupText = `
OpCapability Addresses
OpCapability Linkage
OpCapability Kernel
OpCapability Int64
OpCapability SubgroupDispatch
CAPABILITIES
OpMemoryModel ADDRESSING OpenCL
OpEntryPoint Kernel %count "count" %lid %id %size
OpDecorate %lid BuiltIn LocalInvocationIndex
OpDecorate %id BuiltIn SubgroupId
OpDecorate %size BuiltIn SubgroupSize
` + types + `
%uint_16 = OpConstant %uint 16
%in_size = OpTypePointer Input %POINTER
%lid = OpVariable %in_size Input
%id = OpVariable %in_uint Input
%size = OpVariable %in_uint Input
%count_t = OpTypeFunction %void %guint
%count = OpFunction %void None %count_t
%out = OpFunctionParameter %guint
%c0 = OpLabel
%c1 = OpLoad %POINTER %lid
%c2 = OpLoad %uint %id
%c3 = OpLoad %uint %size
%c4 = OpShiftLeftLogical %uint %c2 %uint_16
%c5 = OpBitwiseOr %uint %c4 %c3
%c6 = OpInBoundsPtrAccessChain %guint %out %c1
OpStore %c6 %c5 Aligned 4
OpReturn
OpFunctionEnd
`

// without returns a module of a compiler whose device has no sub-groups.
func (r *run) without() mux.Module {
	f := mux.InfoFields{Device: *r.env.Info.DeviceInfo(), SupportsDeferredCompilation: true}
	f.Device.SubGroupSize = 0
	base, err := mux.NewBaseInfo(f)
	r.ok(err)
	s := &spy{BaseInfo: base, machineries: map[string]*mux.PassMachinery{}}
	t, err := s.CreateTarget(r.context(), nil, nil, nil)
	r.ok(err)
	r.ok(t.InitWithBuiltins(nil))
	m := r.moduleOf(t)
	r.compile(m, scaleText)
	_, _, err = m.Finalize(background)
	r.ok(err)
	return m
}

func subgroupScenarios() []Scenario {
	const size, forLocal, forCount, most = "BaseKernel::getSubGroupSize", "BaseKernel::querySubGroupSizeForLocalSize",
		"BaseKernel::queryLocalSizeForSubGroupCount", "BaseKernel::queryMaxSubGroupCount"
	clauses := []string{"MUX-07"}
	rules := []string{"MUX-07", "MUX-08"}
	queries := map[string]func(mux.Kernel) error{
		size:     func(k mux.Kernel) error { _, err := k.GetSubGroupSize(); return err },
		forLocal: func(k mux.Kernel) error { _, err := k.QuerySubGroupSizeForLocalSize(4, 1, 1); return err },
		forCount: func(k mux.Kernel) error { _, err := k.QueryLocalSizeForSubGroupCount(1); return err },
		most:     func(k mux.Kernel) error { _, err := k.QueryMaxSubGroupCount(); return err },
	}
	var list []Scenario
	for _, section := range []string{size, forLocal, forCount, most} {
		query := queries[section]
		if section != forLocal {
			list = append(list, Scenario{section, "allocation failure", rules, Deferred, func(r *run) {
				m, a := r.limited(scaleText)
				k := r.kernel(m, "scale")
				full(a)
				r.is(query(k), mux.ErrOutOfMemory)
			}})
		}
		list = append(list, Scenario{section, "a device without sub-groups", rules, Anything, func(r *run) {
			k, err := mux.NewBaseKernel(r.without(), "scale", [3]uint64{1, 1, 1}, 0)
			r.ok(err)
			err = query(k)
			r.is(err, mux.ErrNoSubGroups)
			r.is(err, mux.ErrFeatureUnsupported)
		}})
	}
	list = append(list, sizeRules(forLocal, func(k mux.Kernel, x, y, z uint64) error {
		_, err := k.QuerySubGroupSizeForLocalSize(x, y, z)
		return err
	})...)
	return append(list,
		Scenario{size, "that of the device", clauses, Deferred, func(r *run) {
			n, err := r.scale().GetSubGroupSize()
			r.ok(err)
			if n != r.env.Info.DeviceInfo().SubGroupSize {
				r.bad("it is %d, that of the device %d", n, r.env.Info.DeviceInfo().SubGroupSize)
			}
		}},
		Scenario{forLocal, "what a launch has, partial sub-groups included", clauses, Deferred, func(r *run) {
			m := r.finalized(subgroupText)
			k := r.kernel(m, "count")
			b, err := m.CreateBinary()
			r.ok(err)
			d := r.device()
			e, err := mux.LoadExecutable(d, b)
			r.ok(err)
			whole := uint64(r.env.Info.DeviceInfo().SubGroupSize)
			for _, local := range [][3]uint64{{1, 1, 1}, {whole, 1, 1}, {whole + 1, 1, 1}, {2*whole - 1, 1, 1}, {3, 5, 2}, {1, 7, 1}, {2 * whole, 1, 1}, {5, 5, 5}} {
				n := local[0] * local[1] * local[2]
				want, err := k.QuerySubGroupSizeForLocalSize(local[0], local[1], local[2])
				r.ok(err)
				out := r.words(d, make([]uint32, n)...)
				l, err := e.Launch("count", &mux.NDRangeOptions{Descriptors: []mux.Descriptor{buffer(out)}, DescriptorsLength: 1, LocalSize: local,
					GlobalOffset: []uint64{0, 0, 0}, GlobalSize: local[:], Length: 3})
				r.ok(err)
				_, err = l.Run(background)
				r.ok(err)
				got, err := emu.Read[uint32](out)
				r.ok(err)
				full, partial := map[uint32]bool{}, map[uint32]bool{}
				for _, v := range got {
					switch n := v & 0xffff; {
					case n == want:
						full[v>>16] = true
					case n < want:
						partial[v>>16] = true
					default:
						r.bad("%d: a sub-group of %d, the answer is %d", local, n, want)
					}
				}
				if want == 0 || len(full) == 0 || len(partial) > 1 || (n%uint64(want) != 0) != (len(partial) == 1) {
					r.bad("%d: %d sub-groups of %d and %d smaller ones", local, len(full), want, len(partial))
				}
			}
		}},
		Scenario{forLocal, "a size beyond every number", clauses, Deferred, func(r *run) {
			n, err := r.scale().QuerySubGroupSizeForLocalSize(1<<40, 1<<40, 1<<40)
			r.ok(err)
			if n != r.env.Info.DeviceInfo().SubGroupSize {
				r.bad("it is %d", n)
			}
		}},
		Scenario{forCount, "one dimension, divisible, and as many sub-groups", clauses, Deferred, func(r *run) {
			k := r.scale()
			d := r.env.Info.DeviceInfo()
			size, err := k.GetSubGroupSize()
			r.ok(err)
			for count := uint64(1); count <= d.MaxWorkGroupSize/uint64(size); count++ {
				l, err := k.QueryLocalSizeForSubGroupCount(count)
				r.ok(err)
				ones := 0
				for _, n := range l {
					if n == 1 {
						ones++
					}
				}
				n := l[0] * l[1] * l[2]
				if ones < 2 || n%uint64(size) != 0 || n/uint64(size) != count {
					r.end("%d sub-groups of %d: %d", count, size, l)
				}
			}
		}},
		Scenario{forCount, "zero when there is none", clauses, Deferred, func(r *run) {
			k := r.scale()
			d := r.env.Info.DeviceInfo()
			for _, count := range []uint64{0, d.MaxWorkGroupSize/uint64(d.SubGroupSize) + 1, 1 << 40, 1<<64 - 1} {
				l, err := k.QueryLocalSizeForSubGroupCount(count)
				r.ok(err)
				if l != [3]uint64{} {
					r.bad("%d sub-groups: %d", count, l)
				}
			}
		}},
		Scenario{forCount, "a required local size", clauses, Deferred, func(r *run) {
			size := r.env.Info.DeviceInfo().SubGroupSize
			// fill requires 8 work-items.
			k := r.kernel(r.finalized(scaleText), "fill")
			for count := uint64(0); count <= 16; count++ {
				var want [3]uint64
				if count*uint64(size) == 8 {
					want = [3]uint64{8, 1, 1}
				}
				l, err := k.QueryLocalSizeForSubGroupCount(count)
				r.ok(err)
				if l != want {
					r.bad("%d sub-groups: %d, want %d", count, l, want)
				}
			}
			// Two dimensions are no answer.
			m := r.module()
			r.compile(m, strings.Replace(scaleText, "LocalSize 8 1 1", "LocalSize 8 8 1", 1))
			_, _, err := m.Finalize(background)
			r.ok(err)
			flat := r.kernel(m, "fill")
			for count := uint64(0); count <= 64; count++ {
				l, err := flat.QueryLocalSizeForSubGroupCount(count)
				r.ok(err)
				if l != [3]uint64{} {
					r.bad("%d sub-groups of work-groups of 8 by 8: %d", count, l)
				}
			}
		}},
		Scenario{most, "for any local size, and greater than 0", clauses, Deferred, func(r *run) {
			d := r.env.Info.DeviceInfo()
			m := r.finalized(scaleText)
			n, err := r.kernel(m, "scale").QueryMaxSubGroupCount()
			r.ok(err)
			size := uint64(d.SubGroupSize)
			if n != (d.MaxWorkGroupSize+size-1)/size {
				r.bad("it is %d for %d work-items in sub-groups of %d", n, d.MaxWorkGroupSize, size)
			}
			n, err = r.kernel(m, "fill").QueryMaxSubGroupCount()
			r.ok(err)
			if n != (8+size-1)/size {
				r.bad("it is %d for 8 work-items in sub-groups of %d", n, size)
			}
		}},
	)
}
