package lower_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa/lower"
)

func TestParsePipeline(t *testing.T) {
	m := lower.NewPassMachinery()
	for _, x := range []struct{ text, want string }{
		{"", ""},
		{" promote , simplify ", "promote,simplify"},
		{"promote,promote", "promote,promote"},
		{"repeat<3>(simplify,ifconvert),fuse", "repeat<3>(simplify,ifconvert),fuse"},
		{"repeat < 2 > ( repeat<1>( ) )", "repeat<2>(repeat<1>())"},
		{"default", m.Default().String()},
		{"promote,default,fuse", "promote," + m.Default().String() + ",fuse"},
	} {
		p, err := m.Parse(x.text)
		if err != nil {
			t.Errorf("%q: %v", x.text, err)
			continue
		}
		if got := p.String(); got != x.want {
			t.Errorf("%q is %q, expected %q", x.text, got, x.want)
		}
	}
	p, err := m.Parse("repeat<2>(promote,repeat<2>(fuse)),narrow")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(p.Flat(), " "); got != "promote fuse fuse promote fuse fuse narrow" {
		t.Errorf("in order: %s", got)
	}
}

func TestPipelineErrors(t *testing.T) {
	m := lower.NewPassMachinery()
	for _, x := range []struct {
		text   string
		offset int
		want   string
	}{
		{"promot", 0, `there is no pass "promot"; there are specialize, promote`},
		{"promote,", 8, "at its end: the name of a pass is expected"},
		{",promote", 0, "the name of a pass"},
		{"promote simplify", 8, "a comma is expected"},
		{"promote)", 7, "a comma is expected"},
		{"emit", 0, "always runs"},
		{"repeat", 6, "a number of times"},
		{"repeat<0>(fuse)", 7, "from 1 to"},
		{"repeat<02>(fuse)", 7, "from 1 to"},
		{"repeat<2>fuse", 9, "in parentheses"},
		{"repeat<2>(fuse", 14, "a closing parenthesis"},
		{"repeat<10000>(fuse,fuse)", 19, "more than 10000 passes"},
		{"repeat<200>(repeat<200>(fuse))", 12, "more than 10000 passes"},
		{strings.Repeat("repeat<1>(", 17), 160, "more than 16 deep"},
		{strings.Repeat(" ", 1<<16+1), 1 << 16, "more than 65536 bytes"},
	} {
		_, err := m.Parse(x.text)
		var pe *lower.PipelineError
		if !errors.As(err, &pe) || !strings.Contains(err.Error(), x.want) || pe.Offset != x.offset {
			t.Errorf("%.40q: %v, expected %q at byte %d", x.text, err, x.want, x.offset)
		}
	}
}

// FuzzPipeline checks that what can be read is written so that it reads the same.
func FuzzPipeline(f *testing.F) {
	f.Add("default,repeat<2>(promote, simplify),fuse")
	f.Add("repeat<1>(repeat<3>())")
	f.Add("repeat<99999999999>(x")
	m := lower.NewPassMachinery()
	f.Fuzz(func(t *testing.T, text string) {
		p, err := m.Parse(text)
		if err != nil {
			var pe *lower.PipelineError
			if !errors.As(err, &pe) || pe.Offset < 0 || pe.Offset > len(text) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		q, err := m.Parse(p.String())
		if err != nil || !reflect.DeepEqual(p, q) {
			t.Fatalf("%q is %q, which is %q: %v", text, p, q, err)
		}
		if len(p.Flat()) > 10000 {
			t.Fatalf("%q has %d passes", text, len(p.Flat()))
		}
	})
}
