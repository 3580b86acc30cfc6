package muxtest

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu/mux"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// frontEnd is a front end of which the scenario says what it does.
type frontEnd func(*mux.FrontEndRequest) (*mux.FrontEndResult, error)

func (f frontEnd) CompileOpenCLC(_ context.Context, req *mux.FrontEndRequest) (*mux.FrontEndResult, error) {
	return f(req)
}

// withFrontEnd returns a module whose context has a front end.
func (r *run) withFrontEnd(f mux.FrontEnd) mux.Module {
	t, err := r.env.Info.CreateTarget(mux.NewContext(mux.ContextOptions{FrontEnd: f}), nil, nil, nil)
	r.ok(err)
	r.ok(t.InitWithBuiltins(nil))
	return r.moduleOf(t)
}

func compileScenarios() []Scenario {
	clauses := []string{"MUX-05"}
	rules := []string{"MUX-05", "MUX-08"}
	const compileSPIRV, compileOpenCLC, link = "BaseModule::compileSPIRV", "BaseModule::compileOpenCLC", "BaseModule::link"
	// mismatch compiles a program for a device that lacks something.
	mismatch := func(text, says string, change func(*mux.SPIRVDeviceInfo)) func(*run) {
		return func(r *run) {
			m := r.module()
			d := r.env.Info.DeviceInfo().SPIRV()
			change(&d)
			info, err := m.CompileSPIRV(background, r.program(text), &d, nil)
			r.is(err, mux.ErrDeviceMismatch)
			r.is(err, mux.ErrCompileProgramFailure)
			if err != nil && !strings.Contains(err.Error(), says) {
				r.bad("the error %q does not name %q", err, says)
			}
			if info != nil || r.diag.NumErrors() != 1 || !strings.Contains(r.diag.Log(), says) {
				r.bad("module info %v, %d errors, log %q", info, r.diag.NumErrors(), r.diag.Log())
			}
			_, _, err = m.Finalize(background)
			r.is(err, mux.ErrNoProgram)
		}
	}
	specialized := func(id uint32, data ...byte) *mux.SpecializationInfo {
		return &mux.SpecializationInfo{Entries: map[uint32]mux.SpecializationEntry{id: {Offset: 0, Size: uint32(len(data))}}, Data: data}
	}
	return []Scenario{
		{compileSPIRV, "module info is returned", clauses, Anything, func(r *run) {
			info := r.compile(r.module(), scaleText)
			if len(info.EntryPoints) != 2 || info.EntryPoints[0].Name != "scale" || info.EntryPoints[1].LocalSize != [3]uint32{8, 1, 1} ||
				len(info.SpecConstants) != 3 || len(info.Specialized) != 0 || !slices.Contains(info.Capabilities, spirv.CapabilityKernel) {
				r.bad("the info is %+v", *info.Info)
			}
			lib := r.compile(r.module(), libraryText)
			if len(lib.EntryPoints) != 0 || len(lib.Exports) != 1 || lib.Exports[0].Name != "twist" {
				r.bad("the library's info is %+v", *lib.Info)
			}
		}},
		{compileSPIRV, "a module that is not valid", rules, Anything, func(r *run) {
			m := r.module()
			d := r.env.Info.DeviceInfo().SPIRV()
			for _, code := range [][]uint32{nil, {1}, r.program(shaderText)} {
				_, err := m.CompileSPIRV(background, code, &d, nil)
				r.is(err, mux.ErrCompileProgramFailure)
			}
			if r.diag.NumErrors() != 3 {
				r.bad("%d errors", r.diag.NumErrors())
			}
			_, err := m.CompileSPIRV(background, r.program(scaleText), nil, nil)
			r.is(err, mux.ErrInvalidValue)
		}},
		{compileSPIRV, "device capabilities", rules, Anything, mismatch(scaleText, "Int64", func(d *mux.SPIRVDeviceInfo) {
			d.Capabilities = slices.DeleteFunc(d.Capabilities, func(c spirv.Capability) bool {
				return c == spirv.CapabilityInt64 || c == spirv.CapabilityInt64Atomics
			})
		})},
		{compileSPIRV, "device extensions", rules, Anything, mismatch(
			strings.Replace(scaleText, "%std =", "OpExtension \"SPV_KHR_expect_assume\"\n%std =", 1), "SPV_KHR_expect_assume",
			func(d *mux.SPIRVDeviceInfo) { d.Extensions = nil })},
		{compileSPIRV, "device instruction sets", rules, Anything, mismatch(scaleText, "OpenCL.std", func(d *mux.SPIRVDeviceInfo) { d.ExtInstImports = nil })},
		{compileSPIRV, "device addressing model", rules, Anything, mismatch(scaleText, "addressing model", func(d *mux.SPIRVDeviceInfo) {
			d.AddressingModel = spirv.AddressingModelPhysical32 + spirv.AddressingModelPhysical64 - d.AddressingModel
		})},
		{compileSPIRV, "device memory model", rules, Anything, mismatch(scaleText, "memory model", func(d *mux.SPIRVDeviceInfo) {
			d.MemoryModel = spirv.MemoryModelVulkan
		})},
		{compileSPIRV, "device work-group size", rules, Anything, mismatch(scaleText, "work-groups", func(d *mux.SPIRVDeviceInfo) { d.MaxWorkGroupSize = 7 })},
		{compileSPIRV, "device work-item sizes", rules, Anything, mismatch(scaleText, "dimension 0", func(d *mux.SPIRVDeviceInfo) { d.MaxWorkItemSizes[0] = 4 })},
		{compileSPIRV, "device sub-group size", rules, Anything, mismatch(
			strings.NewReplacer("OpExecutionMode %fill LocalSize 8 1 1", "OpExecutionMode %fill SubgroupSize 4", "CAPABILITIES", "OpCapability SubgroupDispatch").Replace(scaleText),
			"sub-groups of 4", func(d *mux.SPIRVDeviceInfo) { d.SubGroupSize = 2 })},
		{compileSPIRV, "specialization", clauses, Anything, func(r *run) {
			m := r.module()
			dev := r.env.Info.DeviceInfo().SPIRV()
			info, err := m.CompileSPIRV(background, r.program(scaleText), &dev, specialized(7, 100, 0, 0, 0))
			r.ok(err)
			if !slices.Equal(info.Specialized, []uint32{7}) {
				r.bad("specialized are %d", info.Specialized)
			}
			_, _, err = m.Finalize(background)
			r.ok(err)
			b, err := m.CreateBinary()
			r.ok(err)
			d := r.device()
			data := r.words(d, 1, 2)
			if got := r.launch(d, b, "scale", line(2, 2, word(2), buffer(data)), data); !slices.Equal(got, []uint32{102, 104}) {
				r.bad("the kernel gives %d", got)
			}
		}},
		{compileSPIRV, "specialization that does not fit", rules, Anything, func(r *run) {
			m := r.module()
			d := r.env.Info.DeviceInfo().SPIRV()
			for _, spec := range []*mux.SpecializationInfo{
				specialized(6, 1, 0, 0, 0), specialized(7, 1), specialized(8, 1, 0, 0, 0), specialized(9),
				{Entries: map[uint32]mux.SpecializationEntry{7: {Offset: 1, Size: 4}}, Data: make([]byte, 4)},
				{Entries: map[uint32]mux.SpecializationEntry{7: {Offset: 1<<32 - 1, Size: 4}}, Data: make([]byte, 4)},
			} {
				_, err := m.CompileSPIRV(background, r.program(scaleText), &d, spec)
				r.is(err, mux.ErrSpecialization)
			}
		}},
		{compileSPIRV, "allocation failure", rules, Anything, func(r *run) {
			a := mux.NewAccount(1 << 20)
			m := r.moduleOf(r.targetWith(a))
			full(a)
			d := r.env.Info.DeviceInfo().SPIRV()
			_, err := m.CompileSPIRV(background, r.program(scaleText), &d, nil)
			r.is(err, mux.ErrOutOfMemory)
		}},
		{compileOpenCLC, "no front end", rules, Anything, func(r *run) {
			err := r.withFrontEnd(mux.NoFrontEnd).CompileOpenCLC(background, mux.FullProfile, "kernel void k() {}", nil)
			r.is(err, mux.ErrNoFrontEnd)
			r.is(err, mux.ErrFeatureUnsupported)
		}},
		{compileOpenCLC, "device_profile", rules, Anything, func(r *run) {
			m := r.withFrontEnd(frontEnd(func(*mux.FrontEndRequest) (*mux.FrontEndResult, error) { return nil, errors.New("was asked") }))
			r.is(m.CompileOpenCLC(background, "HALF_PROFILE", "", nil), mux.ErrInvalidValue)
		}},
		{compileOpenCLC, "source, headers and options reach the front end", clauses, Anything, func(r *run) {
			var got mux.FrontEndRequest
			m := r.withFrontEnd(frontEnd(func(req *mux.FrontEndRequest) (*mux.FrontEndResult, error) {
				got = *req
				return &mux.FrontEndResult{SPIRV: mux.Bytes(r.program(scaleText)), Log: "warning: looks odd\n"}, nil
			}))
			r.ok(m.ParseOptions("-DX=1", mux.OptionsCompile))
			r.ok(m.CompileOpenCLC(background, mux.EmbeddedProfile, "the source", []mux.InputHeader{{Name: "a.h", Source: "its text"}}))
			if got.Profile != mux.EmbeddedProfile || got.Source != "the source" || len(got.Headers) != 1 || got.Headers[0].Name != "a.h" ||
				len(got.Options.Definitions) != 1 || got.Device != r.env.Info.DeviceInfo() {
				r.bad("the front end was asked for %+v", got)
			}
			if r.diag.NumErrors() != 0 || r.diag.Log() != "warning: looks odd\n" {
				r.bad("%d errors and the log %q", r.diag.NumErrors(), r.diag.Log())
			}
			info, _, err := m.Finalize(background)
			r.ok(err)
			if info.Kernel("scale") == nil {
				r.bad("the kernel is not there")
			}
		}},
		{compileOpenCLC, "a source that is wrong", rules, Anything, func(r *run) {
			m := r.withFrontEnd(frontEnd(func(*mux.FrontEndRequest) (*mux.FrontEndResult, error) {
				return &mux.FrontEndResult{Log: "error: one\nerror: two\n", Errors: 2}, mux.ErrCompileProgramFailure
			}))
			r.is(m.CompileOpenCLC(background, mux.FullProfile, "?", nil), mux.ErrCompileProgramFailure)
			if r.diag.NumErrors() != 2 || r.diag.Log() != "error: one\nerror: two\n" {
				r.bad("%d errors and the log %q", r.diag.NumErrors(), r.diag.Log())
			}
		}},
		{compileOpenCLC, "a front end that gives nothing", rules, Anything, func(r *run) {
			m := r.withFrontEnd(frontEnd(func(*mux.FrontEndRequest) (*mux.FrontEndResult, error) { return nil, nil }))
			r.is(m.CompileOpenCLC(background, mux.FullProfile, "", nil), mux.ErrCompileProgramFailure)
			if r.diag.NumErrors() != 1 {
				r.bad("%d errors", r.diag.NumErrors())
			}
		}},
		{link, "imports find exports", clauses, Anything, func(r *run) {
			t := r.targetWith(nil)
			caller, library, m := r.moduleOf(t), r.moduleOf(t), r.moduleOf(t)
			r.compile(caller, callerText)
			r.compile(library, libraryText)
			r.ok(m.Link(background, []mux.Module{caller, library}))
			_, _, err := m.Finalize(background)
			r.ok(err)
			b, err := m.CreateBinary()
			r.ok(err)
			d := r.device()
			data := r.words(d, 0, 1, 2, 10)
			if got := r.launch(d, b, "apply", line(4, 4, buffer(data)), data); !slices.Equal(got, []uint32{1, 3, 5, 21}) {
				r.bad("the kernel gives %d", got)
			}
			// The modules that were linked stay as they are.
			_, _, err = caller.Finalize(background)
			r.is(err, mux.ErrFinalizeProgramFailure)
		}},
		{link, "an import and an export of other types", rules, Anything, func(r *run) {
			t := r.targetWith(nil)
			caller, library, m := r.moduleOf(t), r.moduleOf(t), r.moduleOf(t)
			r.compile(caller, callerText)
			r.compile(library, mistypedText)
			err := m.Link(background, []mux.Module{caller, library})
			r.is(err, mux.ErrLinkProgramFailure)
			for _, name := range []string{"twist", "module 1", "module 2"} {
				if !strings.Contains(r.diag.Log(), name) {
					r.bad("the log %q does not name %q", r.diag.Log(), name)
				}
			}
			if r.diag.NumErrors() != 1 {
				r.bad("%d errors", r.diag.NumErrors())
			}
			_, _, err = m.Finalize(background)
			r.is(err, mux.ErrNoProgram)
		}},
		{link, "an import that nobody defines", rules, Anything, func(r *run) {
			t := r.targetWith(nil)
			caller, m := r.moduleOf(t), r.moduleOf(t)
			r.compile(caller, callerText)
			r.is(m.Link(background, []mux.Module{caller}), mux.ErrLinkProgramFailure)
			if r.diag.NumErrors() != 1 || !strings.Contains(r.diag.Log(), "twist") {
				r.bad("%d errors and the log %q", r.diag.NumErrors(), r.diag.Log())
			}
			// A library may leave it to a later link.
			r.ok(m.ParseOptions("-create-library", mux.OptionsLink))
			r.ok(m.Link(background, []mux.Module{caller}))
		}},
		{link, "modules that cannot be linked", rules, Anything, func(r *run) {
			t := r.targetWith(nil)
			m, empty, foreign := r.moduleOf(t), r.moduleOf(t), r.module()
			r.compile(foreign, libraryText)
			r.is(m.Link(background, nil), mux.ErrInvalidValue)
			r.is(m.Link(background, []mux.Module{nil}), mux.ErrNotConstructed)
			r.is(m.Link(background, []mux.Module{empty}), mux.ErrNoProgram)
			r.is(m.Link(background, []mux.Module{foreign}), mux.ErrForeignModule)
		}},
		{link, "allocation failure", rules, Anything, func(r *run) {
			a := mux.NewAccount(1 << 20)
			t := r.targetWith(a)
			caller, library, m := r.moduleOf(t), r.moduleOf(t), r.moduleOf(t)
			r.compile(caller, callerText)
			r.compile(library, libraryText)
			full(a)
			r.is(m.Link(background, []mux.Module{caller, library}), mux.ErrOutOfMemory)
		}},
	}
}
