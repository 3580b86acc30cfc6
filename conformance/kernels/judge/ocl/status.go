package ocl

import "fmt"

// Status is a non-zero result of an OpenCL call, with the value that the
// OpenCL header gives it. It is an error.
type Status int32

// The status values that callers branch on.
const (
	DeviceNotFound       Status = -1
	BuildProgramFailure  Status = -11
	InvalidValue         Status = -30
	InvalidOperation     Status = -59
	PlatformNotFoundKHR  Status = -1001
	profilingUnavailable Status = -7
)

var statusNames = map[Status]string{
	-1: "CL_DEVICE_NOT_FOUND", -2: "CL_DEVICE_NOT_AVAILABLE", -3: "CL_COMPILER_NOT_AVAILABLE",
	-4: "CL_MEM_OBJECT_ALLOCATION_FAILURE", -5: "CL_OUT_OF_RESOURCES", -6: "CL_OUT_OF_HOST_MEMORY",
	profilingUnavailable: "CL_PROFILING_INFO_NOT_AVAILABLE", -8: "CL_MEM_COPY_OVERLAP",
	-11: "CL_BUILD_PROGRAM_FAILURE", -12: "CL_MAP_FAILURE",
	-14: "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", -15: "CL_COMPILE_PROGRAM_FAILURE",
	-30: "CL_INVALID_VALUE", -32: "CL_INVALID_PLATFORM", -33: "CL_INVALID_DEVICE",
	-34: "CL_INVALID_CONTEXT", -36: "CL_INVALID_COMMAND_QUEUE", -38: "CL_INVALID_MEM_OBJECT",
	-42: "CL_INVALID_BINARY", -43: "CL_INVALID_BUILD_OPTIONS", -44: "CL_INVALID_PROGRAM",
	-45: "CL_INVALID_PROGRAM_EXECUTABLE", -46: "CL_INVALID_KERNEL_NAME",
	-47: "CL_INVALID_KERNEL_DEFINITION", -48: "CL_INVALID_KERNEL", -49: "CL_INVALID_ARG_INDEX",
	-50: "CL_INVALID_ARG_VALUE", -51: "CL_INVALID_ARG_SIZE", -52: "CL_INVALID_KERNEL_ARGS",
	-53: "CL_INVALID_WORK_DIMENSION", -54: "CL_INVALID_WORK_GROUP_SIZE",
	-55: "CL_INVALID_WORK_ITEM_SIZE", -56: "CL_INVALID_GLOBAL_OFFSET", -58: "CL_INVALID_EVENT",
	-59: "CL_INVALID_OPERATION", -61: "CL_INVALID_BUFFER_SIZE", -63: "CL_INVALID_GLOBAL_WORK_SIZE",
	-1001: "CL_PLATFORM_NOT_FOUND_KHR",
}

// Error gives the name from the OpenCL header, or the number of a status that
// has none here.
func (s Status) Error() string {
	if n, ok := statusNames[s]; ok {
		return n
	}
	return fmt.Sprintf("OpenCL status %d", int32(s))
}

// check turns the result of the call named what into an error.
func check(what string, code int32) error {
	if code == 0 {
		return nil
	}
	return fmt.Errorf("%s: %w", what, Status(code))
}

// BuildError says that a program did not build. Log is the compiler's log.
type BuildError struct {
	Status Status
	Log    string
}

// Error gives the status and the log.
func (e *BuildError) Error() string {
	return fmt.Sprintf("clBuildProgram: %v\n%s", e.Status, e.Log)
}

// Unwrap gives the status.
func (e *BuildError) Unwrap() error { return e.Status }
