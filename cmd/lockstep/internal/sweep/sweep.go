// Package sweep cuts long work into shards and keeps its results in journals: files of one JSON value a line
// that grow as results come, so that work goes on after a kill where it was, and that are put together in the
// end.
//
// It knows nothing of the work: a result has a number from 0 to the total, and is JSON. Package cli says what
// stands in it, for the commands explore, conformance and merge.
package sweep

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Shard is a part of some work: every result i for which i modulo Of is Number-1.
type Shard struct{ Number, Of int }

// Whole is the shard that is all of the work.
var Whole = Shard{1, 1}

// maxShards bounds Shard.Of.
const maxShards = 1 << 24

// ParseShard reads "2/8", the second of eight shards; "" is all of the work.
func ParseShard(text string) (Shard, error) {
	if text == "" {
		return Whole, nil
	}
	a, b, ok := strings.Cut(text, "/")
	number, err := strconv.Atoi(a)
	of, err2 := strconv.Atoi(b)
	if !ok || err != nil || err2 != nil || number < 1 || number > of || of > maxShards {
		return Shard{}, fmt.Errorf("%q is not I/N, part I of N, with I from 1 to N, as in 2/8", text)
	}
	return Shard{number, of}, nil
}

// String is the form that ParseShard reads.
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Number, s.Of) }

// Has says whether result i belongs to the shard.
func (s Shard) Has(i int) bool { return i%s.Of == s.Number-1 }

// Count returns how many of the results below total belong to the shard.
func (s Shard) Count(total int) int { return (total - s.Number + s.Of) / s.Of }

// format is the version of the form of journals.
const format = 1

// Header is the first line of a journal. Journals whose headers differ in more than the shard do not belong
// together.
type Header struct {
	Journal int    `json:"journal"` // format
	Command string `json:"command"` // that makes the results
	Version string `json:"version"` // of lockstep
	// Work is a digest of everything that results depend on.
	Work   string `json:"work"`
	Total  int    `json:"total"` // results of all shards
	Shard  int    `json:"shard"`
	Shards int    `json:"shards"`
	// About is what the command wants to know of its work when it puts shards together.
	About json.RawMessage `json:"about"`
}

// Part returns the shard that the journal is of.
func (h *Header) Part() Shard { return Shard{h.Shard, h.Shards} }

// check says what is wrong with a header that was read.
func (h *Header) check() error {
	switch {
	case h.Journal == 0:
		return errors.New("not a journal of lockstep")
	case h.Journal != format:
		return fmt.Errorf("a journal of form %d; this lockstep reads form %d", h.Journal, format)
	case h.Shards < 1 || h.Shards > maxShards || h.Shard < 1 || h.Shard > h.Shards || h.Total < 0 || h.Total > 1<<31-1:
		return errors.New("the first line of the journal makes no sense")
	}
	return nil
}

// same says in what two headers differ besides the shard, or "".
func (h *Header) same(o *Header) string {
	switch {
	case h.Command != o.Command:
		return fmt.Sprintf("one is of lockstep %s, the other of lockstep %s", h.Command, o.Command)
	case h.Version != o.Version:
		return fmt.Sprintf("one is of version %s, the other of version %s", h.Version, o.Version)
	case h.Shards != o.Shards:
		return fmt.Sprintf("one is a part of %d, the other of %d", h.Shards, o.Shards)
	case h.Work != o.Work || h.Total != o.Total:
		return "they are of different modules, cases, arguments or flags"
	}
	return ""
}

// Record is a line of a journal behind the first.
type Record struct {
	Kind string          `json:"kind"`
	Data json.RawMessage `json:"data"`
}

// Journal is what a file holds.
type Journal struct {
	Header  Header
	Records []Record
	// Torn says that the last line has no end: the process was killed while it wrote.
	Torn bool
}

// Read reads a journal. A line that is cut short counts as if it were not there; its result is made again. An
// empty file is no journal and no error.
func Read(r io.Reader) (*Journal, error) {
	br := bufio.NewReader(r)
	var j *Journal
	for {
		line, err := br.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, err
		}
		if text := bytes.TrimSpace(line); len(text) > 0 {
			if j == nil {
				j = &Journal{}
				if json.Unmarshal(text, &j.Header) != nil {
					return nil, errors.New("not a journal of lockstep")
				}
				if err := j.Header.check(); err != nil {
					return nil, err
				}
			} else {
				var rec Record
				if json.Unmarshal(text, &rec) == nil && rec.Kind != "" {
					j.Records = append(j.Records, rec)
				}
			}
		}
		if err == io.EOF {
			if j != nil {
				j.Torn = len(line) > 0
			}
			return j, nil
		}
	}
}

// Writer appends to a journal.
type Writer struct {
	w    io.WriteCloser
	torn bool
}

// NewWriter continues a journal that was read, or begins one with the header when it is nil.
func NewWriter(w io.WriteCloser, h *Header, before *Journal) (*Writer, error) {
	j := &Writer{w: w}
	if before != nil {
		j.torn = before.Torn
		return j, nil
	}
	h.Journal = format
	return j, j.line(h)
}

// line writes a value in one call, so that a kill leaves no more than one line cut short.
func (j *Writer) line(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if j.torn {
		data, j.torn = append([]byte{'\n'}, data...), false
	}
	_, err = j.w.Write(append(data, '\n'))
	return err
}

// Append appends a record.
func (j *Writer) Append(kind string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return j.line(Record{kind, data})
}

// Close closes the file.
func (j *Writer) Close() error { return j.w.Close() }

// Continues says why a journal cannot be continued for the work that a header describes, or nil.
func (j *Journal) Continues(h *Header) error {
	if why := j.Header.same(h); why != "" {
		return fmt.Errorf("the file has results of other work: %s", why)
	}
	if j.Header.Shard != h.Shard {
		return fmt.Errorf("the file has the results of shard %v, not of %v", j.Header.Part(), h.Part())
	}
	return nil
}

// Merge puts the journals of all shards together: their records, in the order of the shards. Names are those
// of the files, for errors.
func Merge(names []string, journals []*Journal) (*Journal, error) {
	first := journals[0]
	var by []int // file by shard, from 1
	if n := first.Header.Shards; n <= len(journals) {
		by = make([]int, n)
	}
	seen := map[int]string{}
	for i, j := range journals {
		if why := first.Header.same(&j.Header); why != "" {
			return nil, fmt.Errorf("%s and %s do not belong together: %s", names[0], names[i], why)
		}
		if other, twice := seen[j.Header.Shard]; twice {
			return nil, fmt.Errorf("%s and %s are both shard %v", other, names[i], j.Header.Part())
		}
		seen[j.Header.Shard] = names[i]
		if by != nil {
			by[j.Header.Shard-1] = i
		}
	}
	if missing := first.Header.Shards - len(journals); missing > 0 {
		for n := 1; ; n++ {
			if _, ok := seen[n]; !ok {
				return nil, fmt.Errorf("missing: %d of %d shards, the first of them %v", missing, first.Header.Shards, Shard{n, first.Header.Shards})
			}
		}
	}
	all := &Journal{Header: first.Header}
	all.Header.Shard, all.Header.Shards = 1, 1
	for _, i := range by {
		all.Records = append(all.Records, journals[i].Records...)
	}
	return all, nil
}
