package ocl

import "syscall"

// defaultNames are tried in order when Load gets no path.
var defaultNames = []string{"OpenCL.dll"}

func openLibrary(name string) (uintptr, error) {
	h, err := syscall.LoadLibrary(name)
	return uintptr(h), err
}

func findSymbol(lib uintptr, name string) (uintptr, error) {
	return syscall.GetProcAddress(syscall.Handle(lib), name)
}
