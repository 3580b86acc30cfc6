package dma

import (
	"testing"
)

// orderTracer checks the order of what it is told.
type orderTracer struct {
	t           *testing.T
	cfg         Config
	open        map[uint64]*Transfer
	issued, now uint64
	waits       int
}

func (o *orderTracer) Issue(x *Transfer) {
	if o.issued++; x.ID != o.issued || x.Issued < o.now || x.Engine < 0 || x.Engine >= o.cfg.Engines || x.Bytes > 0 && len(x.Items) == 0 {
		o.t.Errorf("transfer %d is issued: %+v", o.issued, x)
	}
	o.now = x.Issued
	o.open[x.ID] = x
}

func (o *orderTracer) Complete(x *Transfer) {
	if o.open[x.ID] == nil || x.Start < x.Issued || x.Done < x.Start || x.PC != o.open[x.ID].PC {
		o.t.Errorf("transfer %d is complete: %+v", x.ID, x)
	}
	if o.cfg.Completion == Early && x.Done != x.Issued {
		o.t.Errorf("transfer %d is not early: %+v", x.ID, x)
	}
	delete(o.open, x.ID)
}

func (o *orderTracer) Mark(now uint64, pc, wave, seq int, items Items) {}

func (o *orderTracer) Wait(from, to uint64, pc, wave int, what string, upTo uint64) {
	if o.waits++; to < from {
		o.t.Errorf("a wait for %s from %d to %d", what, from, to)
	}
}

// TestTracer checks that each transfer is issued and completed once, in an order
// of time that makes sense.
func TestTracer(t *testing.T) {
	for _, c := range []Completion{Early, Late, Seeded, Paced} {
		for seed := range uint64(5) {
			p := write(t, seed, 400)
			cfg := Config{Completion: c, Seed: seed, Engines: 1 + int(seed), QueueDepth: 2, BytesPerStep: 8}
			tracer := &orderTracer{t: t, cfg: cfg, open: map[uint64]*Transfer{}}
			cfg.Tracer = tracer
			b := newBed(t, cfg, p.items, p.subgroup)
			p.run(b)
			if len(tracer.open) > 0 || tracer.issued < 10 || tracer.waits < 10 {
				t.Errorf("%v: %d transfers, %d left open, %d waits", c, tracer.issued, len(tracer.open), tracer.waits)
			}
		}
	}
}
