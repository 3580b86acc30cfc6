package emu

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// adviseStopped says what a launch that the time limit ended may have waited for, and which flag lets it go on. OpenCL
// promises progress neither between the work-items of a sub-group nor between work-groups (OpenCL API 3.2.1).
func (p *prepared) adviseStopped(code finding.Code, sr *scheduler.Result, total uint64) []string {
	if code != finding.TimeLimit {
		return nil
	}
	var running []scheduler.Waiting
	for i := range sr.Stopped {
		running = append(running, sr.Stopped[i].Running...)
	}
	help, spins := p.adviseLoops(running, total-min(total, sr.Groups+uint64(len(sr.Stopped))), total)
	if !spins {
		help = append(help, "if the kernel needs more time, raise -timeout (Launch.Timeout)")
	}
	return help
}

// adviseSpins is adviseStopped for a group that makes no progress when so many have begun.
func (p *prepared) adviseSpins(running []scheduler.Waiting, begun uint64) []string {
	total := p.launch.Groups[0] * p.launch.Groups[1] * p.launch.Groups[2]
	help, _ := p.adviseLoops(running, total-min(total, begun), total)
	return help
}

// adviseLoops says which flags let loops go on in which work-items wait for one another, or for one of the left
// work-groups of total that have not begun; and whether there are such loops.
func (p *prepared) adviseLoops(running []scheduler.Waiting, left, total uint64) (help []string, spins bool) {
	apart := false
	for _, r := range running {
		if r.PC >= 0 && scheduler.SpinsAt(p.launch.Kernel, r.PC) {
			spins, apart = true, apart || r.Apart
		}
	}
	if apart && p.launch.SubgroupSize > 1 {
		help = append(help, "work-items of one sub-group wait for each other in this loop, and OpenCL promises no progress between them; "+
			"with -subgroup 1 (DeviceOptions.SubgroupSize) each of them goes on by itself")
	}
	if spins && left > 0 {
		help = append(help, fmt.Sprintf("%s not begun, and this loop may wait for them; OpenCL does not promise that work-groups run at the same time; "+
			"-parallel always -workers %d (Launch.Parallel, DeviceOptions.Workers) starts all of them", counted(left, "work-group")+haveOrHas(left), total))
	}
	return help, spins
}

// haveOrHas is the verb behind a number of things.
func haveOrHas(n uint64) string {
	if n == 1 {
		return " has"
	}
	return " have"
}
