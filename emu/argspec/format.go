package argspec

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu/npy"
)

// AppendValue appends the text of one element, which begins at elem[0]. Integers are decimal;
// floating-point numbers have the fewest digits that read back as the same bits. A NaN
// other than the one that "nan" stands for is written with its bits.
func AppendValue(dst []byte, t Type, elem []byte) []byte {
	bits := get(elem, t.Size())
	if !t.Float() {
		if t.Signed() {
			shift := 64 - 8*t.Size()
			return strconv.AppendInt(dst, int64(bits<<shift)>>shift, 10)
		}
		return strconv.AppendUint(dst, bits, 10)
	}
	switch magnitude := bits &^ signBit(t); {
	case bits == quietNaN(t):
		return append(dst, "nan"...)
	case magnitude > infinity(t):
		return fmt.Appendf(dst, "nan(%#x)", bits)
	case magnitude == infinity(t):
		if bits != magnitude {
			dst = append(dst, '-')
		}
		return append(dst, "inf"...)
	}
	v := floatOf(t, bits)
	switch t {
	case F64:
		return appendFloat(dst, v, -1, 64)
	case F32:
		return appendFloat(dst, v, -1, 32)
	}
	// Five digits always tell two binary16 numbers apart.
	for prec := 1; ; prec++ {
		short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', prec-1, 64), 64)
		if prec == 5 || (err == nil && uint64(halfFromFloat(short, 0)) == bits) {
			return appendFloat(dst, short, -1, 64)
		}
	}
}

// appendFloat writes v plainly where that is short and with an exponent elsewhere.
func appendFloat(dst []byte, v float64, prec, width int) []byte {
	form := byte('f')
	if a := math.Abs(v); a != 0 && (a < 1e-4 || a >= 1e16) {
		form = 'e'
	}
	return strconv.AppendFloat(dst, v, form, prec, width)
}

// AppendList appends the elements of data separated by commas, as they stand behind
// "TYPE:" in a SPEC. Runs of four or more equal elements are written V*N. Bytes
// after the last whole element are left out.
func AppendList(dst []byte, t Type, data []byte) []byte {
	size := t.Size()
	for first := true; len(data) >= size; first = false {
		n := 1
		for v := get(data, size); len(data) >= (n+1)*size && get(data[n*size:], size) == v; n++ {
		}
		if n < 4 {
			n = 1
		}
		if !first {
			dst = append(dst, ',')
		}
		dst = AppendValue(dst, t, data)
		if n > 1 {
			dst = fmt.Appendf(dst, "*%d", n)
		}
		data = data[n*size:]
	}
	return dst
}

// AppendJSON appends the elements of data as a JSON array of numbers. JSON has no
// numbers for infinities and NaNs: they are the strings "inf", "-inf", "nan" and
// "nan(0x…)".
func AppendJSON(dst []byte, t Type, data []byte) []byte {
	dst = append(dst, '[')
	for i, size := 0, t.Size(); i+size <= len(data); i += size {
		if i > 0 {
			dst = append(dst, ',')
		}
		if t.Float() && get(data[i:], size)&^signBit(t) >= infinity(t) {
			dst = append(AppendValue(append(dst, '"'), t, data[i:]), '"')
		} else {
			dst = AppendValue(dst, t, data[i:])
		}
	}
	return append(dst, ']')
}

// gridWidth is the width in columns of a terminal that Format fits its rows to.
const gridWidth = 100

// Format writes all elements of data as a grid for reading: rows of a power of two
// of right-aligned columns, each row after the index of its first element.
func Format(w io.Writer, t Type, data []byte) error {
	size := t.Size()
	count := len(data) / size
	widest := 1
	var buf []byte
	for i := range count {
		buf = AppendValue(buf[:0], t, data[i*size:])
		widest = max(widest, len(buf))
	}
	indexWidth := len(strconv.Itoa(max(count-1, 0)))
	columns := 32
	for columns > 1 && indexWidth+1+columns*(widest+1) > gridWidth {
		columns /= 2
	}
	bw := bufio.NewWriter(w)
	for i := range count {
		if i%columns == 0 {
			if i > 0 {
				bw.WriteByte('\n')
			}
			fmt.Fprintf(bw, "%*d:", indexWidth, i)
		}
		buf = AppendValue(buf[:0], t, data[i*size:])
		fmt.Fprintf(bw, " %*s", widest, buf)
	}
	if count > 0 {
		bw.WriteByte('\n')
	}
	return bw.Flush()
}

// Save writes data, elements of type t, in the form that the file name asks for: a
// .npy file of the given shape (nil for one dimension), lines of numbers for .csv, the
// grid of [Format] for "-", and raw bytes for anything else.
func Save(w io.Writer, name string, t Type, shape []int, data []byte) error {
	switch {
	case name == "-":
		return Format(w, t, data)
	case isCSV(name):
		return saveCSV(w, t, shape, data)
	case strings.EqualFold(filepath.Ext(name), ".npy"):
		if shape == nil {
			shape = []int{len(data) / t.Size()}
		}
		return npy.Write(w, &npy.Array{DType: t.NPY(), Shape: shape, Data: data})
	}
	_, err := w.Write(data)
	return err
}
