package icd

import (
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestVendors(t *testing.T) {
	files := map[string]string{
		"/etc/OpenCL/vendors/b.icd": "libb.so\n", "/etc/OpenCL/vendors/a.icd": " /lib/a.so \nrest", "/etc/OpenCL/vendors/c.icd": "\n",
		"/own/x.icd": "/own/liblockstep.so",
	}
	list := func(dir string) ([]string, error) {
		switch dir {
		case "/etc/OpenCL/vendors":
			return []string{dir + "/b.icd", dir + "/a.icd", dir + "/c.icd", dir + "/gone.icd"}, nil
		case "/own":
			return []string{"/own/x.icd"}, nil
		}
		return nil, fs.ErrNotExist
	}
	read := func(path string) ([]byte, error) {
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}
	for _, c := range []struct {
		name, goos string
		env        []string
		want       []Vendor
	}{
		{"system", "linux", nil, []Vendor{{"/etc/OpenCL/vendors/a.icd", "/lib/a.so"}, {"/etc/OpenCL/vendors/b.icd", "libb.so"}}},
		{"folder", "linux", []string{"OCL_ICD_VENDORS", "/own"}, []Vendor{{"/own/x.icd", "/own/liblockstep.so"}}},
		{"file", "linux", []string{"OCL_ICD_VENDORS", "/own/x.icd"}, []Vendor{{"/own/x.icd", "/own/liblockstep.so"}}},
		{"no folder", "linux", []string{"OCL_ICD_VENDORS", "/none"}, nil},
		{"names", "windows", []string{"OCL_ICD_FILENAMES", `C:\x.dll`}, []Vendor{{"", `C:\x.dll`}}},
	} {
		if diff := cmp.Diff(c.want, Vendors(c.goos, environment(c.env...), list, read)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestEnvironment(t *testing.T) {
	base := []string{"HOME=/h", "OCL_ICD_VENDORS=/else", "OCL_ICD_FILENAMES=/x.so", "OPENCL_VENDOR_PATH=/y", "LD_LIBRARY_PATH=/l"}
	for _, c := range []struct {
		name, goos string
		loader     bool
		want       []string
	}{
		{"loader", "linux", true, []string{"HOME=/h", "LD_LIBRARY_PATH=/l", "OCL_ICD_VENDORS=/tmp/d"}},
		{"no loader", "linux", false, []string{"HOME=/h", "OCL_ICD_VENDORS=/tmp/d", "LD_LIBRARY_PATH=/tmp/d:/l"}},
		{"windows", "windows", true, []string{"HOME=/h", "LD_LIBRARY_PATH=/l", "OCL_ICD_FILENAMES=/d/liblockstep.so"}},
	} {
		if diff := cmp.Diff(c.want, Environment(c.goos, base, "/tmp/d", "/d/liblockstep.so", c.loader)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestDataDir(t *testing.T) {
	for _, c := range []struct {
		goos, want string
		env        []string
	}{
		{"linux", "/h/.local/share", []string{"HOME", "/h"}},
		{"linux", "/x", []string{"HOME", "/h", "XDG_DATA_HOME", "/x"}},
		{"linux", "", nil},
		{"windows", `C:\l`, []string{"LOCALAPPDATA", `C:\l`}},
	} {
		if got := DataDir(c.goos, environment(c.env...)); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.goos, c.env, got, c.want)
		}
	}
}
