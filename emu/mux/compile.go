package mux

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

// begin is the start of each compilation: what the module holds goes. The context is
// held by the caller.
func (m *BaseModule) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.clear()
	return nil
}

// CompileSPIRV implements [Module].
func (m *BaseModule) CompileSPIRV(ctx context.Context, code []uint32, device *SPIRVDeviceInfo, spec *SpecializationInfo) (*SPIRVModuleInfo, error) {
	const call = "Module.CompileSPIRV"
	if err := m.enter(call); err != nil {
		return nil, err
	}
	defer m.ctx.Unlock()
	if err := m.begin(ctx); err != nil {
		return nil, failed(call, err, "")
	}
	if device == nil {
		return nil, failed(call, ErrInvalidValue, "there is no description of the device")
	}
	return m.compileSPIRV(call, Bytes(code), device, spec, false)
}

// compileSPIRV makes a binary the program. A module that fails is left empty.
func (m *BaseModule) compileSPIRV(call string, code []byte, device *SPIRVDeviceInfo, spec *SpecializationInfo, openCLC bool) (info *SPIRVModuleInfo, err error) {
	defer func() {
		if err != nil {
			m.clear()
		}
	}()
	if err := m.held.take(moduleBytes(len(code) / 4)); err != nil {
		return nil, failed(call, err, "")
	}
	s, err := readSource(code)
	if err != nil {
		return nil, m.buildError(call, within(ErrCompileProgramFailure, err))
	}
	if err := device.check(s.info); err != nil {
		return nil, m.buildError(call, err)
	}
	values, err := spec.values(specializable(s.info))
	if err != nil {
		return nil, failed(call, err, "")
	}
	if len(values) > 0 {
		s.module = specialize(s.module, s.info, values)
		// Sizes of arrays can come from such a constant, and so much else.
		if err := validate.Validate(s.module, validate.Options{MaxErrors: 10}).Err(); err != nil {
			return nil, m.buildError(call, within(ErrCompileProgramFailure, err))
		}
		if s.info, err = spirv.Reflect(s.module); err != nil {
			return nil, m.buildError(call, within(ErrCompileProgramFailure, err))
		}
		if err := device.check(s.info); err != nil {
			return nil, m.buildError(call, err)
		}
	}
	s.openCLC = openCLC
	if err := m.initFrontEnd(s); err != nil {
		return nil, m.buildError(call, within(ErrCompileProgramFailure, err))
	}
	m.source = s
	return &SPIRVModuleInfo{Info: s.info, Specialized: slices.Sorted(maps.Keys(values))}, nil
}

// readSource reads and checks a module.
func readSource(code []byte) (*source, error) {
	module, err := spirv.Decode(code)
	if err != nil {
		return nil, err
	}
	if err := validate.Validate(module, validate.Options{MaxErrors: 10}).Err(); err != nil {
		return nil, err
	}
	info, err := spirv.Reflect(module)
	if err != nil {
		return nil, err
	}
	return &source{module: module, info: info}, nil
}

// initFrontEnd has the front-end hook make its machinery.
func (m *BaseModule) initFrontEnd(s *source) error {
	pm := m.self.CreatePassMachinery()
	if pm == nil {
		return errors.New("there is no pass machinery")
	}
	if err := m.self.InitializePassMachineryForFrontend(pm, FrontEndOptions{OpenCLC: s.openCLC, Options: m.self.Options()}); err != nil {
		return err
	}
	m.front = pm
	return nil
}

// CompileOpenCLC implements [Module].
func (m *BaseModule) CompileOpenCLC(ctx context.Context, profile, source string, headers []InputHeader) error {
	const call = "Module.CompileOpenCLC"
	if err := m.enter(call); err != nil {
		return err
	}
	defer m.ctx.Unlock()
	if err := m.begin(ctx); err != nil {
		return failed(call, err, "")
	}
	if profile != FullProfile && profile != EmbeddedProfile {
		return failed(call, ErrInvalidValue, "the profile %q is neither %s nor %s", profile, FullProfile, EmbeddedProfile)
	}
	size := uint64(len(source))
	for i := range headers {
		size += uint64(len(headers[i].Name)) + uint64(len(headers[i].Source))
	}
	if err := m.held.take(size); err != nil {
		return failed(call, err, "")
	}
	res, err := m.ctx.frontEnd.CompileOpenCLC(ctx, &FrontEndRequest{
		Profile: profile, Source: source, Headers: headers, Options: m.self.Options(), Device: m.target.device(),
	})
	m.held.back(size)
	if res != nil && res.Log != "" {
		m.say(res.Log, res.Errors)
	}
	switch {
	case err == nil && (res == nil || len(res.SPIRV) == 0):
		err = fmt.Errorf("the front end gave no module: %w", ErrCompileProgramFailure)
		fallthrough
	case err != nil:
		if (res == nil || res.Errors == 0) && errors.Is(err, ErrCompileProgramFailure) {
			m.AddBuildError("error: " + err.Error())
		}
		m.clear()
		return failed(call, err, "")
	}
	device := m.target.device().SPIRV()
	_, err = m.compileSPIRV(call, res.SPIRV, &device, nil, true)
	return err
}

// Link implements [Module].
func (m *BaseModule) Link(ctx context.Context, inputs []Module) error {
	const call = "Module.Link"
	if err := m.enter(call); err != nil {
		return err
	}
	defer m.ctx.Unlock()
	if err := ctx.Err(); err != nil {
		return failed(call, err, "")
	}
	if len(inputs) == 0 {
		return failed(call, ErrInvalidValue, "there are no modules to link")
	}
	sources := make([]*source, len(inputs))
	openCLC := false
	for i, in := range inputs {
		if in == nil || in.baseModule() == nil {
			return failed(call, ErrNotConstructed, "module %d", i)
		}
		b := in.baseModule()
		switch {
		case b.ctx != m.ctx || b.target.info != m.target.info:
			return failed(call, ErrForeignModule, "module %d", i)
		case b.source == nil:
			return failed(call, ErrNoProgram, "module %d", i)
		}
		if err := b.loadFinal(); err != nil {
			return failed(call, err, "module %d", i)
		}
		if err := b.source.load(); err != nil {
			return failed(call, within(ErrLinkProgramFailure, err), "module %d", i)
		}
		sources[i] = b.source
		openCLC = openCLC || b.source.openCLC
	}
	m.clear()
	words := 0
	for _, s := range sources {
		words += moduleWords(s.module)
	}
	if err := m.held.take(moduleBytes(words)); err != nil {
		return failed(call, err, "")
	}
	s, err := linkSources(sources, m.self.Options().Has("-create-library"), m.target.builtins)
	if err == nil {
		s.openCLC = openCLC
		err = m.initFrontEnd(s)
	}
	if err != nil {
		m.clear()
		return m.buildError(call, within(ErrLinkProgramFailure, err))
	}
	m.source = s
	return nil
}

func moduleWords(m *spirv.Module) int {
	n := spirv.HeaderWords
	for _, in := range m.Insts {
		n += len(in.Words)
	}
	return n
}
