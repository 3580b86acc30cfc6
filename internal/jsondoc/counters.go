// Package jsondoc has what JSON documents about launches share: those of the command line, and those about the
// launches of OpenCL host programs.
//
// It takes what package emu returns and gives values that encoding/json writes. It writes no document itself.
package jsondoc

import "github.com/lockstep-gpu/lockstep/emu"

// Counters are the counters of launches in JSON documents.
type Counters struct {
	WorkGroups    uint64 `json:"work_groups"`
	Waves         uint64 `json:"waves"`
	Instructions  uint64 `json:"instructions"`
	LaneOps       uint64 `json:"lane_operations"`
	Blocks        uint64 `json:"blocks"`
	Barriers      uint64 `json:"barriers"`
	Loads         uint64 `json:"loads"`
	Stores        uint64 `json:"stores"`
	Atomics       uint64 `json:"atomics"`
	ZeroDivisions uint64 `json:"divisions_by_zero"`
}

// NewCounters returns the counters for a document.
func NewCounters(groups uint64, c *emu.Counters) Counters {
	return Counters{groups, c.Waves, c.Instructions, c.LaneOps, c.Blocks, c.Barriers, c.Loads, c.Stores, c.Atomics, c.ZeroDivisions}
}
