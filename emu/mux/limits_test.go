package mux_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu/mux"
)

// limitText is kernel k, which has 256 bytes of local memory.
const limitText = `
OpCapability Addresses
OpCapability Kernel
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
MODE
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%c64 = OpConstant %uint 64
%array = OpTypeArray %uint %c64
%zeros = OpConstantNull %array
%pw = OpTypePointer Workgroup %array
%lds = OpVariable %pw Workgroup
%fn = OpTypeFunction %void
%k = OpFunction %void None %fn
%l = OpLabel
OpStore %lds %zeros
OpReturn
OpFunctionEnd
`

// limited returns a module of a compiler for a device with sub-groups of 8, which change
// makes another one.
func limited(t *testing.T, change func(*mux.DeviceInfo)) (mux.Module, *mux.SPIRVDeviceInfo) {
	t.Helper()
	d := *envs(t)[0].Info.DeviceInfo()
	d.Name, d.SubGroupSize, d.MaxWorkItemSizes, d.MaxWorkGroupSize = "limited", 8, [3]uint64{8, 64, 64}, 1024
	if change != nil {
		change(&d)
	}
	base, err := mux.NewBaseInfo(mux.InfoFields{Device: d, SupportsDeferredCompilation: true})
	if err != nil {
		t.Fatal(err)
	}
	target, err := (&own{base}).CreateTarget(mux.NewContext(mux.ContextOptions{}), nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := target.InitWithBuiltins(nil); err != nil {
		t.Fatal(err)
	}
	m, err := target.CreateModule(nil)
	if err != nil {
		t.Fatal(err)
	}
	spirv := base.DeviceInfo().SPIRV()
	return m, &spirv
}

func moded(t *testing.T, mode string) []uint32 {
	t.Helper()
	return words(t, strings.Replace(limitText, "MODE", mode, 1))
}

// TestQueriesOfAttributes: what the program says about its launches counts in the answers of a
// kernel.
func TestQueriesOfAttributes(t *testing.T) {
	for _, tc := range []struct {
		mode   string
		most   uint64
		two    [3]uint64 // the local size for two sub-groups
		takes  bool      // work-groups of 1 by 16
		prefer [3]uint64
	}{
		{"", 128, [3]uint64{1, 16, 1}, true, [3]uint64{8, 1, 1}},
		{`OpDecorate %k UserSemantic "max_work_dim=1"`, 1, [3]uint64{}, false, [3]uint64{8, 1, 1}},
		{`OpDecorate %k UserSemantic "mux-degenerate-subgroups"`, 1, [3]uint64{}, false, [3]uint64{8, 1, 1}},
		{"OpExecutionMode %k LocalSize 1 16 1", 2, [3]uint64{1, 16, 1}, true, [3]uint64{1, 16, 1}},
		{"OpExecutionMode %k LocalSizeHint 4 4 1", 128, [3]uint64{1, 16, 1}, true, [3]uint64{4, 4, 1}},
		{"OpExecutionMode %k LocalSizeHint 64 64 1", 128, [3]uint64{1, 16, 1}, true, [3]uint64{8, 1, 1}},
		{"OpExecutionMode %k LocalSizeHint 16 1 1", 128, [3]uint64{1, 16, 1}, true, [3]uint64{8, 1, 1}},
		{"OpExecutionMode %k LocalSizeHint 4 4 1\nOpDecorate %k UserSemantic \"mux-degenerate-subgroups\"", 1, [3]uint64{}, false, [3]uint64{8, 1, 1}},
	} {
		m, spirv := limited(t, nil)
		if _, err := m.CompileSPIRV(t.Context(), moded(t, tc.mode), spirv, nil); err != nil {
			t.Fatal(err)
		}
		if _, _, err := m.Finalize(t.Context()); err != nil {
			t.Fatal(err)
		}
		prefer := m.(*ownModule).PreferredLocalSize("k")
		k, err := mux.NewBaseKernel(m, "k", prefer, 0)
		if err != nil {
			t.Fatal(err)
		}
		most, err := k.QueryMaxSubGroupCount()
		if err != nil || most != tc.most {
			t.Errorf("%q: at most %d sub-groups (%v), want %d", tc.mode, most, err, tc.most)
		}
		two, err := k.QueryLocalSizeForSubGroupCount(2)
		if err != nil || two != tc.two {
			t.Errorf("%q: two sub-groups in %d (%v), want %d", tc.mode, two, err, tc.two)
		}
		_, err = k.CreateSpecializedKernel(t.Context(), &mux.NDRangeOptions{
			LocalSize: [3]uint64{1, 16, 1}, GlobalOffset: []uint64{0, 0}, GlobalSize: []uint64{1, 16}, Length: 2,
		})
		if tc.takes && err != nil || !tc.takes && !errors.Is(err, mux.ErrInvalidValue) {
			t.Errorf("%q: work-groups of 1 by 16: %v", tc.mode, err)
		}
		if prefer != tc.prefer {
			t.Errorf("%q: it prefers %d, want %d", tc.mode, prefer, tc.prefer)
		}
	}
}

// TestPreferredSize: a device with larger work-groups does not prefer them where a work-group is
// one sub-group.
func TestPreferredSize(t *testing.T) {
	m, spirv := limited(t, func(d *mux.DeviceInfo) { d.MaxWorkItemSizes[0] = 1024 })
	if _, err := m.CompileSPIRV(t.Context(), moded(t, `OpDecorate %k UserSemantic "mux-degenerate-subgroups"`), spirv, nil); err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.Finalize(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p := m.(*ownModule).PreferredLocalSize("k"); p != [3]uint64{8, 1, 1} {
		t.Errorf("it prefers %d", p)
	}
}

// TestRequiredSizes: each dimension of a required work-group is held to the device's, and all
// together to the work-group's.
func TestRequiredSizes(t *testing.T) {
	for mode, want := range map[string]string{
		"9 1 1": "dimension 0", "1 65 1": "dimension 1", "1 1 65": "dimension 2", "8 64 64": "up to 1024",
	} {
		m, spirv := limited(t, nil)
		_, err := m.CompileSPIRV(t.Context(), moded(t, "OpExecutionMode %k LocalSize "+mode), spirv, nil)
		if !errors.Is(err, mux.ErrDeviceMismatch) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", mode, err, want)
		}
	}
}

// TestLocalMemoryLimit: a program that needs more memory than the device has is no program for
// it, compiled or deserialized.
func TestLocalMemoryLimit(t *testing.T) {
	small := func(d *mux.DeviceInfo) { d.LocalMemory = 255 }
	m, spirv := limited(t, small)
	if _, err := m.CompileSPIRV(t.Context(), moded(t, ""), spirv, nil); err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.Finalize(t.Context()); !errors.Is(err, mux.ErrFinalizeProgramFailure) || !strings.Contains(err.Error(), "256 bytes of local memory") {
		t.Errorf("compiled: %v", err)
	}
	larger, spirv := limited(t, func(d *mux.DeviceInfo) { d.LocalMemory = 256 })
	if _, err := larger.CompileSPIRV(t.Context(), moded(t, ""), spirv, nil); err != nil {
		t.Fatal(err)
	}
	if _, _, err := larger.Finalize(t.Context()); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, larger.Size())
	if _, err := larger.Serialize(b); err != nil {
		t.Fatal(err)
	}
	if err := m.Deserialize(b); err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.Finalize(t.Context()); !errors.Is(err, mux.ErrForeignModule) {
		t.Errorf("deserialized: %v", err)
	}
}
