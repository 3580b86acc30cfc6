package cli

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
)

var versionCommand = &command{
	name:  "version",
	short: "what this program was built from",
	long:  "Prints the version of lockstep and what it was built with.\n",
	setup: func(*flags) func(context.Context, *Env, []string) error {
		return func(_ context.Context, env *Env, args []string) error {
			if len(args) > 0 {
				return usagef("help version", "version: takes no arguments")
			}
			_, err := fmt.Fprintf(env.Stdout, "lockstep %s, %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		}
	},
}

// version is the module's version, and the revision where the build noted it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	v := info.Main.Version
	if v == "" || v == "(devel)" {
		v = "(development)"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			v += " " + s.Value[:12]
		}
	}
	return v
}
