package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
)

// TestResume cuts the file of -resume at many places, as a kill does, and runs the command again: it makes
// what is missing, and the report is the same.
func TestResume(t *testing.T) {
	for _, line := range []string{
		"explore explore.cl -kernel last -global 8 -local 4 -arg zero:i32:1 -subgroup 4,8 -runs 12 -jobs 1 -shard 2/3 -resume r.jsonl",
		"explore explore.cl -kernel past -global 8 -local 4 -arg zero:i32:8 -runs 6 -jobs 1 -resume r.jsonl",
		"conformance -dir cases -engine interp -quick -jobs 1 -resume r.jsonl",
	} {
		w := &world{written: map[string][]byte{}}
		want, errs, status := w.run(context.Background(), strings.Fields(line), nil)
		if status == cmdline.ExitUsage {
			t.Fatalf("%s: %s", line, errs)
		}
		file := bytes.Clone(w.written["r.jsonl"])
		header := bytes.IndexByte(file, '\n') + 1
		records := bytes.Count(file, []byte("\n"))
		for cut := header; cut < len(file); cut += 1 + (len(file)-header)/25 {
			w.written["r.jsonl"] = bytes.Clone(file[:cut])
			whole := bytes.Count(file[:cut], []byte("\n"))
			got, errs, again := w.run(context.Background(), strings.Fields(line), nil)
			if got != want || again != status {
				t.Fatalf("%s, cut at %d of %d: exit status %d\n%s%s\nwant %d\n%s", line, cut, len(file), again, got, errs, status, want)
			}
			now := w.written["r.jsonl"]
			if !bytes.HasPrefix(now, file[:cut]) {
				t.Fatalf("%s, cut at %d: what was there has changed", line, cut)
			}
			// What was whole is not made again: at most a line cut short, and an outcome before it, stand
			// there once more.
			if n := bytes.Count(now, []byte("\n")); n < records || n > records+2 {
				t.Fatalf("%s, cut at %d behind %d lines: the file has %d lines, was %d\n%s", line, cut, whole, n, records, now)
			}
			if _, errs, status := w.run(context.Background(), strings.Fields("merge r.jsonl"), nil); (status == cmdline.ExitUsage) != strings.Contains(line, "-shard") {
				t.Fatalf("%s, cut at %d: merge: exit status %d, %s", line, cut, status, errs)
			}
		}
		// A result that is missing is told by merge.
		w.written["r.jsonl"] = file[:header]
		if _, errs, status := w.run(context.Background(), strings.Fields("merge r.jsonl"), nil); status != cmdline.ExitUsage || !strings.Contains(errs, "missing: ") {
			t.Errorf("%s: merge of nothing: exit status %d, %s", line, status, errs)
		}
	}
}
