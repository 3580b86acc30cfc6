package cmdline

import (
	"bytes"
	"testing"
)

func TestLocale(t *testing.T) {
	for _, c := range []struct {
		goos, all, ctype, lang string
		ascii                  bool
	}{
		{goos: "linux", ascii: true},
		{goos: "linux", lang: "C", ascii: true},
		{goos: "linux", lang: "en_US.UTF-8"},
		{goos: "linux", lang: "en_US.UTF-8", all: "C", ascii: true},
		{goos: "linux", lang: "C", ctype: "C.utf8"},
		{goos: "linux", lang: "de_DE.ISO-8859-1", ascii: true},
		{goos: "windows"}, {goos: "darwin"}, {goos: "js"},
		{goos: "windows", all: "C", ascii: true},
	} {
		vars := map[string]string{"LC_ALL": c.all, "LC_CTYPE": c.ctype, "LANG": c.lang}
		if got := ASCIIOnly(c.goos, func(name string) string { return vars[name] }); got != c.ascii {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestASCIIWriter holds that characters are replaced wherever writes cut them.
func TestASCIIWriter(t *testing.T) {
	const text = "16×16 – “größe” 日 \xff\xc3 … end\u00a0µs"
	const want = "16x16 - \"gr\\u{f6}\\u{df}e\" \\u{65e5} \xff\xc3 ... end us"
	for size := 1; size <= len(text); size++ {
		var b bytes.Buffer
		a := &ASCIIWriter{To: &b}
		for rest := []byte(text); len(rest) > 0; {
			n, err := a.Write(rest[:min(size, len(rest))])
			if err != nil || n != min(size, len(rest)) {
				t.Fatalf("%d, %v", n, err)
			}
			rest = rest[n:]
		}
		if err := a.Flush(); err != nil || b.String() != want {
			t.Errorf("in pieces of %d: %q, want %q", size, b.String(), want)
		}
	}
	var b bytes.Buffer
	a := &ASCIIWriter{To: &b}
	if _, err := a.Write([]byte("a\xc3")); err != nil || b.String() != "a" {
		t.Errorf("%q, %v", b.String(), err)
	}
	if err := a.Flush(); err != nil || b.String() != "a\xc3" {
		t.Errorf("a cut character became %q, %v", b.String(), err)
	}
}
