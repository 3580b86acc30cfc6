package site

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// testSite returns a page with a program that is none.
func testSite(t *testing.T) *Site {
	t.Helper()
	s, err := New(&Program{Wasm: []byte("program"), Exec: []byte("// Go")})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestHandler has each kind of request answered.
func TestHandler(t *testing.T) {
	s := testSite(t)
	s.add("index.html", []byte("<!doctype html>"))
	for _, test := range []struct {
		name, method, path string
		status             int
		contentType, body  string
	}{
		{"page", "GET", "/", 200, "text/html; charset=utf-8", "<!doctype html>"},
		{"page by its name", "GET", "/index.html", 200, "text/html; charset=utf-8", "<!doctype html>"},
		{"head", "HEAD", "/index.html", 200, "text/html; charset=utf-8", ""},
		{"script", "GET", "/wasm_exec.js", 200, "text/javascript; charset=utf-8", "// Go"},
		{"program", "GET", "/lockstep.wasm.xz", 200, "application/x-xz", "program"},
		{"nothing", "GET", "/nowhere", 404, "text/plain; charset=utf-8", "not found\n"},
		{"above", "GET", "/../site.go", 404, "text/plain; charset=utf-8", "not found\n"},
		{"post", "POST", "/", 405, "text/plain; charset=utf-8", "method not allowed\n"},
	} {
		r := httptest.NewRequest(test.method, "http://localhost/", nil)
		r.URL.Path = test.path
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		h := w.Header()
		if w.Code != test.status || h.Get("Content-Type") != test.contentType || w.Body.String() != test.body {
			t.Errorf("%s: %d %v %q", test.name, w.Code, h, w.Body)
		}
		if !strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: no policy", test.name)
		}
	}
}

// TestNotCompressed serves a program as it is, under the name that the page asks for.
func TestNotCompressed(t *testing.T) {
	s, err := New(&Program{Wasm: []byte(wasmMagic), Exec: []byte("// Go")})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("GET", "/"+wasmName, nil))
	if got := w.Header().Get("Content-Type"); got != "application/wasm" || w.Body.String() != wasmMagic {
		t.Errorf("%s: %q", got, w.Body)
	}
}

// TestUnchanged asks for what a browser has already.
func TestUnchanged(t *testing.T) {
	s := testSite(t)
	r := httptest.NewRequest("GET", "/wasm_exec.js", nil)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	r.Header.Set("If-None-Match", w.Header().Get("ETag"))
	again := httptest.NewRecorder()
	s.ServeHTTP(again, r)
	if again.Code != http.StatusNotModified || again.Body.Len() > 0 {
		t.Errorf("%d, %d bytes", again.Code, again.Body.Len())
	}
}

// TestWrite writes a folder twice: what is there and has not changed stays as it is.
func TestWrite(t *testing.T) {
	s := testSite(t)
	dir := filepath.Join(t.TempDir(), "a", "b")
	for range 2 {
		if err := s.Write(dir); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range s.Names() {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil || !bytes.Equal(data, s.files[name].data) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.Write(filepath.Join(dir, execName)); err == nil {
		t.Error("a file was taken for a folder")
	}
}

// TestSourceTree finds the module above this folder, and none elsewhere.
func TestSourceTree(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", "..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if got := sourceTree("."); got != root {
		t.Errorf("%q, and not %q", got, root)
	}
	if got := sourceTree(t.TempDir()); got != "" {
		t.Errorf("%q in an empty folder", got)
	}
}

// TestPolicy compares the policy with that of the file for hosts.
func TestPolicy(t *testing.T) {
	text, err := web.ReadFile("web/_headers")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), policy) {
		t.Errorf("web/_headers lacks %s", policy)
	}
}
