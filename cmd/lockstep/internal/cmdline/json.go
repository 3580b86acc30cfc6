package cmdline

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// WriteJSON writes one document: indented, with arrays of numbers and strings on
// one line. Characters of HTML stay as they are.
func WriteJSON(w io.Writer, doc any) error { return writeDocument(w, "", doc) }

// writeDocument writes a document as [WriteJSON] does. head, if it is not "", is the
// beginning of an object whose other fields are those of doc.
func writeDocument(w io.Writer, head string, doc any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(doc); err != nil {
		return err
	}
	text := bytes.TrimSpace(b.Bytes())
	if head != "" {
		text = append([]byte(head+","), text[1:]...)
	}
	_, err := w.Write(append(indentJSON(nil, text), '\n'))
	return err
}

// indentJSON appends src, a valid document without white space between its
// tokens, with line breaks and indentation.
func indentJSON(dst, src []byte) []byte {
	depth := 0
	newline := func() {
		dst = append(dst, '\n')
		dst = append(dst, strings.Repeat("  ", depth)...)
	}
	for i := 0; i < len(src); {
		c := src[i]
		switch {
		case c == '"':
			n := stringLength(src[i:])
			dst = append(dst, src[i:i+n]...)
			i += n
			continue
		case c == '[' || c == '{':
			if n := flatLength(src[i:]); n > 0 {
				dst = appendFlat(dst, src[i:i+n])
				i += n
				continue
			}
			depth++
			dst = append(dst, c)
			newline()
		case c == ']' || c == '}':
			depth--
			newline()
			dst = append(dst, c)
		case c == ',':
			dst = append(dst, c)
			newline()
		case c == ':':
			dst = append(dst, ": "...)
		default:
			dst = append(dst, c)
		}
		i++
	}
	return dst
}

// stringLength is the length of the string literal that s begins with.
func stringLength(s []byte) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// flatLength is the length of the array of scalars, or the empty object, that s
// begins with; 0 when it begins with something else.
func flatLength(s []byte) int {
	if s[0] == '{' {
		if s[1] == '}' {
			return 2
		}
		return 0
	}
	for i := 1; i < len(s); {
		switch s[i] {
		case '"':
			i += stringLength(s[i:])
			continue
		case '[', '{':
			return 0
		case ']':
			return i + 1
		}
		i++
	}
	return 0
}

// appendFlat appends an array of scalars with a space behind each comma.
func appendFlat(dst, s []byte) []byte {
	for i := 0; i < len(s); {
		if s[i] == '"' {
			n := stringLength(s[i:])
			dst = append(dst, s[i:i+n]...)
			i += n
			continue
		}
		dst = append(dst, s[i])
		if s[i] == ',' {
			dst = append(dst, ' ')
		}
		i++
	}
	return dst
}
