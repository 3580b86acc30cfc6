package dispatch

import (
	"runtime/debug"
	"testing"
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
