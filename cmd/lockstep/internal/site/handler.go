package site

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// policy lets the page load what the site has, and nothing from elsewhere. WebAssembly needs a word of its own.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; " +
	"connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP serves the files. Browsers ask each time whether a file has changed, so that a new lockstep is seen at once.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = "index.html"
	}
	f := s.files[name]
	if f == nil {
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	h.Set("Content-Type", f.contentType())
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", fmt.Sprintf("%q", f.tag))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.data))
}
