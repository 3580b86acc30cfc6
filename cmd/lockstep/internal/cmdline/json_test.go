package cmdline

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestIndentJSON(t *testing.T) {
	for src, want := range map[string]string{
		`{}`:                   `{}`,
		`[]`:                   `[]`,
		`7`:                    `7`,
		`[1,"a,]\"b",null]`:    `[1, "a,]\"b", null]`,
		`{"a":[1,2],"b":{}}`:   "{\n  \"a\": [1, 2],\n  \"b\": {}\n}",
		`{"a:{":"}","b":[{}]}`: "{\n  \"a:{\": \"}\",\n  \"b\": [\n    {}\n  ]\n}",
		`[[1,2],[3]]`:          "[\n  [1, 2],\n  [3]\n]",
	} {
		if got := string(indentJSON(nil, []byte(src))); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", src, got, want)
		}
	}
}

func FuzzIndentJSON(f *testing.F) {
	f.Add([]byte(`{"a":[1,2,{"b":"\\\""}],"c":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var src, back bytes.Buffer
		if json.Compact(&src, data) != nil {
			return
		}
		if err := json.Compact(&back, indentJSON(nil, src.Bytes())); err != nil || !bytes.Equal(src.Bytes(), back.Bytes()) {
			t.Errorf("%s became %s, error %v", src.Bytes(), back.Bytes(), err)
		}
	})
}
