// Package trace keeps what happens in a launch, or in launches that pipes
// connect, on the schedule's logical clock and writes it for people: as a file in Chrome's trace event format, which
// Perfetto and chrome://tracing open, and as text for a terminal.
//
// A [Recorder] is told of work-groups, turns of waves, barriers, packets and waits
// at pipes by package scheduler, and of transfers, async marks and their waits by
// package dma; package emu connects them and says, with a [LaunchInfo] and a [PipeInfo],
// what instructions, memory and pipes are called. The recorder decides nothing and changes nothing: a launch that is
// traced does what it does without, though its groups run one after the other.
//
// Time is ticks of the logical clock: one for each instruction that a wave
// issues, and more where a wave waits for a transfer. It is no time of a clock
// on the wall and no product's timing; so the same run gives the same bytes on
// every machine.
package trace
