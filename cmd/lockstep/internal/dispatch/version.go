package dispatch

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/emu"
)

// VersionCommand is lockstep version.
var VersionCommand = &cmdline.Command{
	Name:  "version",
	Short: "print the version of lockstep and the commit it was built from",
	Text:  true,
	Long: `Prints the version of lockstep, the commit that it was built from, and the version of
Go. CHANGELOG.md says what has changed between versions. go build and go install
record the commit where they run in a clone of the repository; go run does not.
`,
	Setup: func(*cmdline.Flags) func(context.Context, *cmdline.Env, []string) error {
		return func(_ context.Context, env *cmdline.Env, args []string) error {
			if len(args) > 0 {
				return cmdline.Usagef("help version", "version: takes no arguments")
			}
			info, _ := debug.ReadBuildInfo()
			_, err := fmt.Fprintf(env.Stdout, "lockstep %s, %s, %s %s/%s\n", emu.Version, commit(info), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		}
	},
}

// commit describes the commit of a build; info may be nil.
func commit(info *debug.BuildInfo) string {
	settings := map[string]string{}
	if info != nil {
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
	}
	revision := settings["vcs.revision"]
	switch {
	case revision == "":
		return "commit unknown"
	case settings["vcs.modified"] == "true":
		return "commit " + revision[:min(12, len(revision))] + " with changes"
	}
	return "commit " + revision[:min(12, len(revision))]
}
