package npy

import (
	"math"
	"strings"
)

// header parses the Python dictionary literal that describes the array. It
// accepts what any writer of the format produces, not Python at large: the three
// keys, each once, in any order; strings in either quote; True and False; a tuple
// of integers, where Python 2 writers leave an L behind each.
type header struct {
	text string
	base int64 // offset of text in the file
	pos  int

	dtype    DType
	big      bool
	fortran  bool
	shape    []int
	shapeOff int64
}

func (h *header) fail(pos int, err error, msg string) error {
	return &FormatError{Offset: h.base + int64(pos), Msg: "header: " + msg, Err: err}
}

func (h *header) space() {
	for h.pos < len(h.text) && strings.IndexByte(" \t\r\n", h.text[h.pos]) >= 0 {
		h.pos++
	}
}

// eat takes c, after white space, if it comes next.
func (h *header) eat(c byte) bool {
	h.space()
	if h.pos < len(h.text) && h.text[h.pos] == c {
		h.pos++
		return true
	}
	return false
}

// word takes the given word, after white space, if it comes next.
func (h *header) word(w string) bool {
	h.space()
	if strings.HasPrefix(h.text[h.pos:], w) {
		h.pos += len(w)
		return true
	}
	return false
}

func (h *header) parse() error {
	if !h.eat('{') {
		return h.fail(h.pos, nil, "expected a dictionary, '{'")
	}
	seen := map[string]bool{}
	for !h.eat('}') {
		at := h.pos
		key, err := h.str()
		if err != nil {
			return err
		}
		if seen[key] {
			return h.fail(at, nil, "the key '"+key+"' occurs twice")
		}
		seen[key] = true
		if !h.eat(':') {
			return h.fail(h.pos, nil, "expected ':' after the key '"+key+"'")
		}
		switch key {
		case "descr":
			err = h.descr()
		case "fortran_order":
			err = h.order()
		case "shape":
			err = h.tuple()
		default:
			err = h.fail(at, nil, "unknown key '"+key+"'; a header has descr, fortran_order and shape")
		}
		if err != nil {
			return err
		}
		if !h.eat(',') {
			if !h.eat('}') {
				return h.fail(h.pos, nil, "expected ',' or '}'")
			}
			break
		}
	}
	h.space()
	if h.pos != len(h.text) {
		return h.fail(h.pos, nil, "text after the dictionary")
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			return h.fail(0, nil, "the key '"+key+"' is missing")
		}
	}
	return nil
}

// str takes a string literal. No writer needs an escape in a key or a type.
func (h *header) str() (string, error) {
	h.space()
	start := h.pos
	if h.pos >= len(h.text) || (h.text[h.pos] != '\'' && h.text[h.pos] != '"') {
		return "", h.fail(start, nil, "expected a string")
	}
	quote := h.text[h.pos]
	h.pos++
	for i := h.pos; i < len(h.text); i++ {
		switch c := h.text[i]; {
		case c == quote:
			s := h.text[h.pos:i]
			h.pos = i + 1
			return s, nil
		case c == '\\' || c < ' ' || c > '~':
			return "", h.fail(i, nil, "unexpected character in a string")
		}
	}
	return "", h.fail(start, nil, "the string has no end")
}

func (h *header) descr() error {
	h.space()
	at := h.pos
	if at < len(h.text) && (h.text[at] == '[' || h.text[at] == '(' || h.text[at] == '{') {
		return h.fail(at, ErrUnsupported, "structured types are not supported; store each field as an array of its own")
	}
	s, err := h.str()
	if err != nil {
		return err
	}
	d, big, reason, unsupported := parseDescr(s)
	if reason != "" {
		var cause error
		if unsupported {
			cause = ErrUnsupported
		}
		return h.fail(at, cause, reason)
	}
	h.dtype, h.big = d, big
	return nil
}

func (h *header) order() error {
	switch {
	case h.word("True"):
		h.fortran = true
	case h.word("False"):
		h.fortran = false
	default:
		return h.fail(h.pos, nil, "fortran_order is neither True nor False")
	}
	return nil
}

func (h *header) tuple() error {
	h.space()
	h.shapeOff = h.base + int64(h.pos)
	if !h.eat('(') {
		return h.fail(h.pos, nil, "the shape is not a tuple, '('")
	}
	h.shape = []int{}
	comma := true
	for !h.eat(')') {
		if !comma {
			return h.fail(h.pos, nil, "expected ',' or ')' in the shape")
		}
		if len(h.shape) == maxDims {
			return h.fail(h.pos, nil, "the shape has more than 64 dimensions")
		}
		d, err := h.extent()
		if err != nil {
			return err
		}
		h.shape = append(h.shape, d)
		comma = h.eat(',')
	}
	if len(h.shape) == 1 && !comma {
		return h.fail(h.pos, nil, "the shape is a number in parentheses, not a tuple; one dimension is written (n,)")
	}
	return nil
}

func (h *header) extent() (int, error) {
	h.space()
	start := h.pos
	if h.pos < len(h.text) && h.text[h.pos] == '-' {
		return 0, h.fail(start, nil, "an extent of the shape is negative")
	}
	n := 0
	for ; h.pos < len(h.text) && h.text[h.pos] >= '0' && h.text[h.pos] <= '9'; h.pos++ {
		digit := int(h.text[h.pos] - '0')
		if n > (math.MaxInt-digit)/10 {
			return 0, h.fail(start, nil, "an extent of the shape is larger than can be addressed")
		}
		n = n*10 + digit
	}
	if h.pos == start {
		return 0, h.fail(start, nil, "expected an integer in the shape")
	}
	if h.pos < len(h.text) && h.text[h.pos] == 'L' {
		h.pos++
	}
	return n, nil
}
