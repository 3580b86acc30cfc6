// Command build builds the OpenCL driver and writes the file that registers it.
//
//	go run ./build -o DIR
//
// makes DIR/liblockstep.so (.dylib on macOS, lockstep.dll on Windows) and DIR/lockstep.icd, which names it. It needs a C
// compiler and the headers of OpenCL (Debian: apt-get install gcc opencl-c-headers).
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

func main() {
	dir := flag.String("o", "out", "the `folder` for the library and the .icd file")
	flag.Parse()
	if flag.NArg() != 0 {
		flag.Usage()
		os.Exit(2)
	}
	library, icd, err := build(*dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
	fmt.Printf("%s\n%s\n\nOCL_ICD_VENDORS=%s makes an OpenCL program use it.\n", library, icd, icd)
}

// driver is the package of the library.
const driver = "github.com/lockstep-gpu/lockstep/cmd/opencl"

// libraryName is what the library is called on this system.
func libraryName() string {
	switch runtime.GOOS {
	case "darwin":
		return "liblockstep.dylib"
	case "windows":
		return "lockstep.dll"
	}
	return "liblockstep.so"
}

// build writes the library and the .icd file to a folder, which it makes, and returns their names.
func build(dir string) (library, icd string, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return "", "", err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", "", err
	}
	library, icd = filepath.Join(dir, libraryName()), filepath.Join(dir, "lockstep.icd")
	cmd := exec.Command("go", "build", "-buildmode=c-shared", "-o", library, driver)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", "", fmt.Errorf("%w\n%s", err, strings.TrimSpace(string(out)))
	}
	// Go writes a header for the library's functions, of which OpenCL has its own.
	if err := os.Remove(strings.TrimSuffix(library, filepath.Ext(library)) + ".h"); err != nil {
		return "", "", err
	}
	return library, icd, os.WriteFile(icd, []byte(library+"\n"), 0o666)
}
