package argspec

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unsafe"
)

func isCSV(path string) bool { return strings.EqualFold(filepath.Ext(path), ".csv") }

// RawFile says whether a file of that name gets bytes as they are, without a header and
// without being made text.
func RawFile(name string) bool { return name != "-" && !isNPY(name) && !isCSV(name) }

// csv reads a file of numbers of one type: lines of numbers, with commas between them.
func (p *parser) csv(f io.Reader, path string, t Type, at int) ([]byte, error) {
	text, err := p.readAll(f, fileSize(f), p.most(), at)
	var own *Error
	if errors.As(err, &own) {
		return nil, own
	}
	if err != nil {
		return nil, &Error{Spec: p.spec, Column: at + 1, Msg: fmt.Sprintf("%s: %v", path, err), Err: err}
	}
	if int64(len(text)) > p.max {
		return nil, p.fail(at, fmt.Sprintf("at most %d bytes", p.max), "%s is too large", path)
	}
	var data []byte
	line := 0
	for row := range strings.Lines(unsafe.String(unsafe.SliceData(text), len(text))) {
		line++
		if row = strings.TrimSpace(row); row == "" {
			continue
		}
		for cell := range strings.SplitSeq(row, ",") {
			bits, err := p.value(t, strings.TrimSpace(cell), at)
			if err != nil {
				var e *Error
				if e, _ = err.(*Error); e != nil {
					err = p.fail(at, e.Allowed, "%s:%d: %s", path, line, e.Msg)
				}
				return nil, err
			}
			if int64(len(data)+t.Size()) > p.max {
				return nil, p.fail(at, fmt.Sprintf("at most %d bytes", p.max), "%s has too many numbers", path)
			}
			if data, err = p.grow(data, t.Size(), at); err != nil {
				return nil, err
			}
			put(data[len(data)-t.Size():], t.Size(), bits)
		}
	}
	return data, nil
}

// saveCSV writes elements as text: one line for each row of the last dimension of shape,
// or one for each element where shape is nil or has one dimension.
func saveCSV(w io.Writer, t Type, shape []int, data []byte) error {
	columns := 1
	if len(shape) > 1 {
		columns = max(shape[len(shape)-1], 1)
	}
	bw := bufio.NewWriter(w)
	var buf []byte
	size := t.Size()
	for i := 0; (i+1)*size <= len(data); i++ {
		buf = AppendValue(buf[:0], t, data[i*size:])
		sep := byte(',')
		if (i+1)%columns == 0 || (i+2)*size > len(data) {
			sep = '\n'
		}
		bw.Write(append(buf, sep))
	}
	return bw.Flush()
}
