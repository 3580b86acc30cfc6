//go:build unix

package ocl

import "github.com/ebitengine/purego"

// defaultNames are tried in order when Load gets no path.
var defaultNames = []string{
	"libOpenCL.so.1",
	"libOpenCL.so",
	"/System/Library/Frameworks/OpenCL.framework/OpenCL",
}

func openLibrary(name string) (uintptr, error) {
	return purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
}

func findSymbol(lib uintptr, name string) (uintptr, error) {
	return purego.Dlsym(lib, name)
}
