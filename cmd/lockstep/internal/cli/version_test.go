package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

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
