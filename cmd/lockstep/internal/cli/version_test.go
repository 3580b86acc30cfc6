package cli

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

func TestCommit(t *testing.T) {
	build := func(settings ...debug.BuildSetting) *debug.BuildInfo { return &debug.BuildInfo{Settings: settings} }
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123"}
	for _, test := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{nil, "commit unknown"},
		{build(), "commit unknown"},
		{build(revision), "commit 0123456789ab"},
		{build(revision, debug.BuildSetting{Key: "vcs.modified", Value: "false"}), "commit 0123456789ab"},
		{build(revision, debug.BuildSetting{Key: "vcs.modified", Value: "true"}), "commit 0123456789ab with changes"},
		{build(debug.BuildSetting{Key: "vcs.revision", Value: "12"}), "commit 12"},
	} {
		if got := commit(test.info); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// TestChangelog holds the version and the changelog together.
func TestChangelog(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n## ")
	if newest, _, _ := strings.Cut(rest, "\n"); newest != emu.Version {
		t.Errorf("the newest version in CHANGELOG.md is %q, emu.Version is %q", newest, emu.Version)
	}
}
