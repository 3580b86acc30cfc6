package launch

import (
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	var b strings.Builder
	table(&b, [][]string{{"name", "n", "of"}, {"é", "1", "2,3"}, {"longer one", "100", "4"}})
	if want := "  name         n  of\n  é            1 2,3\n  longer one 100   4\n"; b.String() != want {
		t.Errorf("%q", b.String())
	}
}
