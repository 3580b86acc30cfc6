package cli

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFigures compares the pictures of pages with testdata/figures.
func TestFigures(t *testing.T) {
	for name, line := range map[string]string{
		"waves":    "stats.cl -global 16 -local 8 -subgroup 4 -wave 4 -arg iota:i32:16 -arg zero:i32:16",
		"copies":   "async.cl -kernel overlap -global 64 -arg iota:f32:256 -arg zero:f32:256 -arg i32:4 -schedule paced -dma-step 8",
		"pipes":    "examples/streaming-fir/fir.cl -pipe x=f32:4 -pipe y=f32:4 -kernel source -global 1 -arg iota:f32:4 -arg u32:4 -arg pipe:x -with -kernel fir -global 1 -arg pipe:x -arg pipe:y -arg fill:f32:8:0.125 -arg u32:4 -with -kernel sink -global 1 -arg pipe:y -arg zero:f32:4 -arg u32:4",
		"atomics":  "examples/tutorial/09-atomics.cl -kernel one -global 96 -local 32 -arg iota:i32:96 -arg zero:i32:1",
		"no-lines": "shift.spvasm -global 4 -arg zero:u32:4 -arg u32:3",
	} {
		t.Run(name, func(t *testing.T) {
			args, err := parse("run " + line + " -report - -q")
			if err != nil {
				t.Fatal(err)
			}
			stdout, stderr, _ := (&world{written: map[string][]byte{}}).run(context.Background(), args, nil)
			_, pictures, ok := strings.Cut(stdout, `<h2 id="pictures">`)
			if !ok {
				t.Fatalf("there is no picture: %s", stderr)
			}
			wellFormed(t, `<body><h2 id="pictures">`+strings.TrimSuffix(pictures, "</html>\n"))
			file := filepath.Join("testdata", "figures", name+".html")
			if *update {
				if err := os.WriteFile(file, []byte(pictures), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if string(want) != pictures {
				t.Errorf("the pictures differ (-update rewrites): %s", difference(string(want), pictures))
			}
		})
	}
}

// wellFormed holds that a page's pictures can be read as XML, and that each says in words what it shows.
func wellFormed(t *testing.T, page string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	pictures, titles, descriptions, captions := 0, 0, 0, 0
	inside := ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			inside = e.Name.Local
			for _, a := range e.Attr {
				switch {
				case a.Name.Local == "role" && a.Value == "img":
					pictures++
				case a.Name.Local == "id" && strings.HasSuffix(a.Value, "-title"):
					titles++
				}
			}
		case xml.CharData:
			text := strings.TrimSpace(string(e))
			if inside == "desc" && text != "" {
				descriptions++
			}
			if inside == "p" && text != "" {
				captions++
				inside = ""
			}
		}
	}
	if pictures == 0 || titles != pictures || descriptions < pictures || captions == 0 {
		t.Errorf("%d pictures have %d titles, %d descriptions and %d captions", pictures, titles, descriptions, captions)
	}
}
