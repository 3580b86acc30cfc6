package hostcmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/icd"
)

// DriverCommand says where the OpenCL driver is.
var DriverCommand = &cmdline.Command{
	Name:  "driver",
	Short: "say where lockstep's OpenCL driver is, and which loaders find it",
	Text:  true,
	Long: `Says where lockstep's OpenCL driver is and whether the system's OpenCL loader finds it. The driver
is a shared library (liblockstep.so, liblockstep.dylib or lockstep.dll); with it OpenCL programs run
on lockstep as they are. It is built from a clone of the repository, with a C compiler and
the OpenCL headers (Debian: gcc, opencl-headers):

  cd cmd/opencl && go run ./build -o ~/.local/share/lockstep

lockstep exec runs one program on the driver. For all programs of a shell, or of the machine:

  export OCL_ICD_VENDORS=~/.local/share/lockstep/lockstep.icd
  sudo cp ~/.local/share/lockstep/lockstep.icd /etc/OpenCL/vendors/

The driver is looked for in the environment variable LOCKSTEP_DRIVER, which names the library;
beside the program lockstep, in lib beside that folder; and in lockstep under the folder for a user's
data. Flags of all launches of a program stand in LOCKSTEP_OPTIONS: lockstep help exec.

The exit status is 0 when there is a driver, and 1 when there is none.
`,
	Setup: func(f *cmdline.Flags) func(context.Context, *cmdline.Env, []string) error {
		asJSON := f.Bool("json", false, "print one JSON document instead of text")
		return func(_ context.Context, env *cmdline.Env, args []string) error {
			if len(args) > 0 {
				return cmdline.Usagef("help driver", "driver: takes no arguments")
			}
			return reportDriver(env, *asJSON)
		}
	},
}

// DriverDocument is the JSON document of lockstep driver.
type DriverDocument struct {
	Driver   string        `json:"driver"`   // the library; "" when there is none
	Searched []string      `json:"searched"` // where it was looked for, in order
	Loader   string        `json:"loader"`   // the system's OpenCL loader; "" when there is none
	Vendors  []icdDocument `json:"vendors"`  // drivers that the loader finds
	Found    bool          `json:"found"`    // one of them is Driver
}

// icdDocument is a driver that a loader finds.
type icdDocument struct {
	File    string `json:"file"`    // the .icd file
	Library string `json:"library"` // what it names
}

// driverPaths returns where the driver may be, in the order in which it is looked for.
func driverPaths(env *cmdline.Env) []string {
	if named := env.Variable("LOCKSTEP_DRIVER"); named != "" {
		return []string{named}
	}
	name := icd.LibraryName(env.System())
	list := []string{}
	if env.Executable != "" {
		dir := filepath.Dir(env.Executable)
		list = append(list, filepath.Join(dir, name), filepath.Join(filepath.Dir(dir), "lib", name))
	}
	if dir := icd.DataDir(env.System(), env.Variable); dir != "" {
		list = append(list, filepath.Join(dir, "lockstep", name))
	}
	return list
}

// findDriver returns the path of the driver and the paths where it was looked for. The driver is "" when there is none.
func findDriver(env *cmdline.Env) (driver string, searched []string) {
	searched = driverPaths(env)
	i := slices.IndexFunc(searched, func(path string) bool { return isFile(env, path) })
	if i < 0 {
		return "", searched
	}
	return searched[i], searched
}

func isFile(env *cmdline.Env, path string) bool {
	info, err := env.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func reportDriver(env *cmdline.Env, asJSON bool) error {
	d := DriverDocument{Vendors: []icdDocument{}}
	d.Driver, d.Searched = findDriver(env)
	for _, path := range icd.LoaderPaths(env.System()) {
		if _, err := env.Stat(path); err == nil {
			d.Loader = path
			break
		}
	}
	for _, v := range icd.Vendors(env.System(), env.Variable, func(dir string) ([]string, error) { return icdFiles(env, dir) }, func(path string) ([]byte, error) { return cmdline.ReadFile(env, path) }) {
		d.Vendors = append(d.Vendors, icdDocument(v))
		d.Found = d.Found || d.Driver != "" && sameFile(v.Library, d.Driver)
	}
	if asJSON {
		if err := env.WriteDocument("driver", &d); err != nil {
			return err
		}
	} else {
		d.text(env)
	}
	if d.Driver == "" {
		return cmdline.ErrFound
	}
	return nil
}

// icdFiles lists the .icd files of a folder.
func icdFiles(env *cmdline.Env, dir string) ([]string, error) {
	entries, err := fs.ReadDir(env.Dir(dir), ".")
	var list []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".icd") {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return list, err
}

// sameFile says whether two paths mean one file, as far as their texts and links say so.
func sameFile(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	x, errX := filepath.EvalSymlinks(a)
	y, errY := filepath.EvalSymlinks(b)
	return errX == nil && errY == nil && x == y
}

// text prints the document for people.
func (d *DriverDocument) text(env *cmdline.Env) {
	w := env.Stdout
	if d.Driver == "" {
		fmt.Fprintln(w, "driver:  none; looked for")
		for _, path := range d.Searched {
			fmt.Fprintf(w, "           %s\n", cmdline.Display(path))
		}
		fmt.Fprintln(w, "         it is built with: cd cmd/opencl && go run ./build -o ~/.local/share/lockstep")
	} else {
		fmt.Fprintf(w, "driver:  %s\n", cmdline.Display(d.Driver))
	}
	if d.Loader == "" {
		fmt.Fprintln(w, "loader:  none in the usual places (Debian: apt install ocl-icd-libopencl1)")
	} else {
		fmt.Fprintf(w, "loader:  %s\n", cmdline.Display(d.Loader))
	}
	for _, v := range d.Vendors {
		fmt.Fprintf(w, "vendor:  %s: %s\n", cmdline.Display(v.File), cmdline.Display(v.Library))
	}
	switch {
	case d.Driver == "":
	case d.Found:
		fmt.Fprintln(w, "OpenCL programs find lockstep through the loader.")
	default:
		fmt.Fprintln(w, "The loader does not find it; `lockstep exec -- PROGRAM` runs a program on it all the same.")
	}
}
