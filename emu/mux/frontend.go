package mux

import "context"

// FrontEnd turns OpenCL C into SPIR-V for Module.CompileOpenCLC. It is called with the
// lock of the module's context held.
type FrontEnd interface {
	// CompileOpenCLC compiles a source. Without an error the result has a module. A source
	// that is wrong is an error that wraps [ErrCompileProgramFailure], together with a result that has
	// the log; programs that are not there are one that wraps [ErrNoFrontEnd].
	CompileOpenCLC(ctx context.Context, req *FrontEndRequest) (*FrontEndResult, error)
}

// InputHeader is a file that a source may include (compiler::InputHeader).
type InputHeader struct {
	// Name is the path by which sources include it, with slashes: "lib/types.h".
	Name   string
	Source string
}

// The profiles of a device (OpenCL API 4.2, CL_DEVICE_PROFILE).
const (
	FullProfile     = "FULL_PROFILE"
	EmbeddedProfile = "EMBEDDED_PROFILE"
)

// FrontEndRequest is a source with what has to be known to compile it.
type FrontEndRequest struct {
	Profile string // FullProfile or EmbeddedProfile
	Source  string
	Headers []InputHeader
	Options *Options
	Device  *DeviceInfo
}

// FrontEndResult is what came of a source.
type FrontEndResult struct {
	// SPIRV is the module, in either byte order.
	SPIRV []byte
	// Log is what the front end said, warnings and errors; Errors is the number of
	// errors among it.
	Log    string
	Errors int
}

// FrontEndOptions tell the hook of the front end what is being compiled
// (initializePassMachineryForFrontend).
type FrontEndOptions struct {
	// OpenCLC says that the module comes from OpenCL C, else it came as SPIR-V.
	OpenCLC bool
	// Options are those of the module.
	Options *Options
}
