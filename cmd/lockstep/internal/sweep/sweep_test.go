package sweep

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func TestShard(t *testing.T) {
	for _, c := range []struct {
		text string
		want Shard
		bad  bool
	}{
		{"", Whole, false}, {"1/1", Whole, false}, {"2/8", Shard{2, 8}, false}, {"8/8", Shard{8, 8}, false},
		{"0/8", Shard{}, true}, {"9/8", Shard{}, true}, {"2", Shard{}, true}, {"/", Shard{}, true}, {"a/b", Shard{}, true}, {"1/99999999999", Shard{}, true}, {"-1/2", Shard{}, true},
	} {
		got, err := ParseShard(c.text)
		if (err != nil) != c.bad || got != c.want {
			t.Errorf("%q: %v, %v", c.text, got, err)
		}
	}
	for of := 1; of < 9; of++ {
		for total := range 40 {
			sum := 0
			for number := 1; number <= of; number++ {
				s, n := Shard{number, of}, 0
				for i := range total {
					if s.Has(i) {
						n++
					}
				}
				if n != s.Count(total) {
					t.Errorf("shard %v of %d: has %d, Count says %d", s, total, n, s.Count(total))
				}
				sum += n
			}
			if sum != total {
				t.Errorf("%d shards of %d have %d", of, total, sum)
			}
		}
	}
}

// file is a buffer that can be closed.
type file struct{ bytes.Buffer }

func (*file) Close() error { return nil }

// written returns a journal of a shard with records of the results that it has.
func written(t *testing.T, h Header, records ...string) []byte {
	t.Helper()
	var f file
	w, err := NewWriter(&f, &h, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := w.Append("result", r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return f.Bytes()
}

func TestJournal(t *testing.T) {
	h := Header{Command: "explore", Version: "1", Work: "w", Total: 5, Shard: 1, Shards: 2, About: []byte(`{}`)}
	text := written(t, h, "a", "b", "c")
	j, err := Read(bytes.NewReader(text))
	if err != nil || len(j.Records) != 3 || string(j.Records[2].Data) != `"c"` || j.Torn || j.Header.Part() != (Shard{1, 2}) {
		t.Fatalf("%+v, %v", j, err)
	}
	if err := j.Continues(&h); err != nil {
		t.Error(err)
	}
	other := h
	other.Shard = 2
	if err := j.Continues(&other); err == nil {
		t.Error("a shard continues another one")
	}
	// Cut short and continued.
	cut := text[:len(text)-4]
	if j, err = Read(bytes.NewReader(cut)); err != nil || len(j.Records) != 2 || !j.Torn {
		t.Fatalf("%+v, %v", j, err)
	}
	var f file
	f.Write(cut)
	w, err := NewWriter(&f, &h, j)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append("result", "c"); err != nil {
		t.Fatal(err)
	}
	if j, err = Read(&f); err != nil || len(j.Records) != 3 || j.Torn {
		t.Errorf("continued: %+v, %v", j, err)
	}
	for text, want := range map[string]string{
		"kernel void k() {}": "not a journal", "{}": "not a journal", "{\"journal\":1}": "makes no sense", "{\"journal\":7}": "form 7",
		`{"journal":1,"shard":1,"shards":1,"total":-1}`: "makes no sense",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if j, err := Read(strings.NewReader("\n")); j != nil || err != nil {
		t.Errorf("an empty file: %+v, %v", j, err)
	}
}

func TestMerge(t *testing.T) {
	read := func(changes ...func(*Header)) (names []string, list []*Journal) {
		for i, change := range changes {
			h := Header{Command: "explore", Version: "1", Work: "w", Total: 6, Shard: 1, Shards: 3, About: []byte(`{}`)}
			change(&h)
			j, err := Read(bytes.NewReader(written(t, h, fmt.Sprint("of shard ", h.Shard))))
			if err != nil {
				t.Fatal(err)
			}
			names, list = append(names, fmt.Sprint("file ", i)), append(list, j)
		}
		return names, list
	}
	shard := func(n int) func(*Header) { return func(h *Header) { h.Shard = n } }
	all, err := Merge(read(shard(3), shard(1), shard(2)))
	if err != nil || len(all.Records) != 3 || string(all.Records[0].Data) != `"of shard 1"` || string(all.Records[2].Data) != `"of shard 3"` || all.Header.Part() != Whole {
		t.Errorf("%+v, %v", all, err)
	}
	for _, c := range []struct {
		want    string
		changes []func(*Header)
	}{
		{"missing: 1 of 3 shards, the first of them 2/3", []func(*Header){shard(3), shard(1)}},
		{"missing: 999998 of 1000000 shards, the first of them 1/1000000", []func(*Header){func(h *Header) { h.Shard, h.Shards = 2, 1000000 }, func(h *Header) { h.Shard, h.Shards = 3, 1000000 }}},
		{"file 0 and file 2 are both shard 3/3", []func(*Header){shard(3), shard(1), shard(3)}},
		{"different modules", []func(*Header){shard(1), shard(2), func(h *Header) { h.Shard, h.Work = 3, "x" }}},
		{"different modules", []func(*Header){shard(1), shard(2), func(h *Header) { h.Shard, h.Total = 3, 7 }}},
		{"version 1, the other of version 2", []func(*Header){shard(1), shard(2), func(h *Header) { h.Shard, h.Version = 3, "2" }}},
		{"part of 3, the other of 4", []func(*Header){shard(1), shard(2), func(h *Header) { h.Shard, h.Shards = 3, 4 }}},
		{"lockstep explore, the other of lockstep conformance", []func(*Header){shard(1), func(h *Header) { h.Command = "conformance" }}},
	} {
		if _, err := Merge(read(c.changes...)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// FuzzRead holds that any file is a journal, or an error, and that what was read goes together with itself.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"journal":1,"command":"explore","version":"1","work":"w","total":2,"shard":1,"shards":1,"about":{}}` + "\n" + `{"kind":"run","data":{"run":0}}` + "\n" + `{"kind":"r`))
	f.Add([]byte("\n\n{\"journal\":1,\"shards\":16777216,\"shard\":1}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		j, err := Read(bytes.NewReader(data))
		if err != nil || j == nil {
			return
		}
		if _, err := Merge([]string{"a"}, []*Journal{j}); (err == nil) != (j.Header.Shards == 1) {
			t.Errorf("%+v alone: %v", j.Header, err)
		}
	})
}
