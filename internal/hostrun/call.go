package hostrun

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Call is the place in the host program of the call that launched a kernel. What is not known is empty.
type Call struct {
	API      string `json:"api"` // the function of OpenCL
	Function string `json:"function,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Module   string `json:"module"` // the file of the program or the library
	Offset   uint64 `json:"offset"` // of the call, as addr2line takes it for the module
	Distance uint64 `json:"-"`      // of the call from the start of the function
}

// text says where the call is, for people.
func (c *Call) text() string {
	module := filepath.Base(c.Module)
	switch {
	case c.Line != 0 && c.Function != "":
		return fmt.Sprintf("%s at %s:%d in %s", c.API, shorten(c.File), c.Line, c.Function)
	case c.Line != 0:
		return fmt.Sprintf("%s at %s:%d", c.API, shorten(c.File), c.Line)
	case c.Function != "":
		return fmt.Sprintf("%s in %s+%#x (%s)", c.API, c.Function, c.Distance, module)
	}
	return fmt.Sprintf("%s in %s+%#x", c.API, module, c.Offset)
}

// shorten leaves out the present folder before a path.
func shorten(path string) string {
	dir, err := os.Getwd()
	if err != nil {
		return path
	}
	if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(dir, "/")+"/"); ok {
		return rest
	}
	return path
}

// call finds the place of the host's call; nil where it is not known.
func (c *Case) call() *Call {
	if c == nil || c.Call == nil {
		return nil
	}
	return c.Call()
}
