// Package icd knows where OpenCL drivers (installable client drivers) and their loaders are on each system, and which
// environment makes a program use one driver only. It reads no files itself: callers say how.
//
// The rules are those of the loader of the Khronos Group (its README, "Linux, Android and Windows") and of ocl-icd
// (its manual page libOpenCL(7)).
package icd

import (
	"path/filepath"
	"slices"
	"strings"
)

// LibraryName returns the file name of lockstep's driver on a system, which is one of Go's GOOS.
func LibraryName(goos string) string {
	switch goos {
	case "windows":
		return "lockstep.dll"
	case "darwin":
		return "liblockstep.dylib"
	}
	return "liblockstep.so"
}

// LoaderName returns the file name that programs know the OpenCL library by.
func LoaderName(goos string) string {
	switch goos {
	case "windows":
		return "OpenCL.dll"
	case "darwin":
		return "libOpenCL.dylib"
	}
	return "libOpenCL.so.1"
}

// DataDir returns the folder for a user's data, or "" when the environment names none.
func DataDir(goos string, getenv func(string) string) string {
	home := getenv("HOME")
	switch {
	case goos == "windows":
		return getenv("LOCALAPPDATA")
	case getenv("XDG_DATA_HOME") != "":
		return getenv("XDG_DATA_HOME")
	case home == "":
		return ""
	}
	return filepath.Join(home, ".local", "share")
}

// LoaderPaths returns where the system's OpenCL loader usually is.
func LoaderPaths(goos string) []string {
	switch goos {
	case "windows":
		return []string{`C:\Windows\System32\OpenCL.dll`}
	case "darwin":
		return []string{"/System/Library/Frameworks/OpenCL.framework", "/opt/homebrew/lib/libOpenCL.dylib", "/usr/local/lib/libOpenCL.dylib"}
	}
	var list []string
	for _, dir := range []string{"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib"} {
		list = append(list, filepath.Join(dir, "libOpenCL.so.1"))
	}
	return list
}

// Vendor is a driver that a loader finds.
type Vendor struct {
	File    string // the .icd file; "" when an environment variable names the library
	Library string // as File names it
}

// separator stands between the paths of a list.
func separator(goos string) string {
	if goos == "windows" {
		return ";"
	}
	return ":"
}

// Vendors returns the drivers that a loader with this environment finds, in its order. list returns the .icd files of a
// folder and read the contents of a file; what cannot be read is left out, as loaders do.
func Vendors(goos string, getenv func(string) string, list func(dir string) ([]string, error), read func(path string) ([]byte, error)) []Vendor {
	var found []Vendor
	for _, library := range strings.Split(getenv("OCL_ICD_FILENAMES"), separator(goos)) {
		if library == "" {
			continue
		}
		found = append(found, Vendor{Library: library})
	}
	if goos == "windows" {
		return found // the other drivers stand in the registry
	}
	place := getenv("OCL_ICD_VENDORS")
	if place == "" {
		place = "/etc/OpenCL/vendors"
	}
	files := []string{place}
	if !strings.HasSuffix(place, ".icd") {
		var err error
		if files, err = list(place); err != nil {
			return found
		}
	}
	slices.Sort(files)
	for _, file := range files {
		text, err := read(file)
		if err != nil {
			continue
		}
		library, _, _ := strings.Cut(string(text), "\n")
		if library = strings.TrimSpace(library); library != "" {
			found = append(found, Vendor{file, library})
		}
	}
	return found
}

// Environment returns the environment of a program that has one driver only: base without the variables that would bring
// others, and with those that lead to the driver. dir is a folder with an .icd file for the driver in it and, when
// the system has no loader, the driver under the loader's name.
func Environment(goos string, base []string, dir, driver string, loader bool) []string {
	var env []string
	search := map[string]string{"darwin": "DYLD_LIBRARY_PATH", "windows": "PATH"}[goos]
	if search == "" {
		search = "LD_LIBRARY_PATH"
	}
	before := ""
	for _, v := range base {
		name, value, _ := strings.Cut(v, "=")
		switch {
		case name == "OCL_ICD_VENDORS" || name == "OCL_ICD_FILENAMES" || name == "OPENCL_VENDOR_PATH":
		case name == search && !loader:
			before = value
		default:
			env = append(env, v)
		}
	}
	if goos == "windows" {
		env = append(env, "OCL_ICD_FILENAMES="+driver)
	} else {
		env = append(env, "OCL_ICD_VENDORS="+dir)
	}
	if !loader {
		if before != "" {
			before = separator(goos) + before
		}
		env = append(env, search+"="+dir+before)
	}
	return env
}
