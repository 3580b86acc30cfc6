package site

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// testSite returns a page with a program that is none.
func testSite(t *testing.T, brotli []byte) *Site {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte("program")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := New(&Program{Gzip: b.Bytes(), Brotli: brotli, Exec: []byte("// Go")})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestHandler has each kind of request answered.
func TestHandler(t *testing.T) {
	s := testSite(t, []byte("small"))
	plain := testSite(t, nil)
	s.add("index.html", []byte("<!doctype html>"))
	for _, test := range []struct {
		name, method, path, accept string
		site                       *Site
		status                     int
		contentType, encoding      string
		body                       string
	}{
		{"page", "GET", "/", "", s, 200, "text/html; charset=utf-8", "", "<!doctype html>"},
		{"page by its name", "GET", "/index.html", "", s, 200, "text/html; charset=utf-8", "", "<!doctype html>"},
		{"head", "HEAD", "/index.html", "", s, 200, "text/html; charset=utf-8", "", ""},
		{"script", "GET", "/wasm_exec.js", "", s, 200, "text/javascript; charset=utf-8", "", "// Go"},
		{"brotli", "GET", "/lockstep.wasm.gz", "gzip, br;q=0.9", s, 200, "application/wasm", "br", "small"},
		{"no brotli wanted", "GET", "/lockstep.wasm.gz", "gzip, br;q=0", s, 200, "application/gzip", "", string(s.files[wasmName].data)},
		{"no brotli there", "GET", "/lockstep.wasm.gz", "br", plain, 200, "application/gzip", "", string(s.files[wasmName].data)},
		{"nothing", "GET", "/nowhere", "", s, 404, "text/plain; charset=utf-8", "", "not found\n"},
		{"above", "GET", "/../site.go", "", s, 404, "text/plain; charset=utf-8", "", "not found\n"},
		{"post", "POST", "/", "", s, 405, "text/plain; charset=utf-8", "", "method not allowed\n"},
	} {
		r := httptest.NewRequest(test.method, "http://localhost/", nil)
		r.URL.Path = test.path
		r.Header.Set("Accept-Encoding", test.accept)
		w := httptest.NewRecorder()
		test.site.ServeHTTP(w, r)
		h := w.Header()
		if w.Code != test.status || h.Get("Content-Type") != test.contentType || h.Get("Content-Encoding") != test.encoding || w.Body.String() != test.body {
			t.Errorf("%s: %d %v %q", test.name, w.Code, h, w.Body)
		}
		if !strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: no policy", test.name)
		}
	}
}

// TestUnchanged asks for what a browser has already.
func TestUnchanged(t *testing.T) {
	s := testSite(t, nil)
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
	s := testSite(t, nil)
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
