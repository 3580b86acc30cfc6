package main

import (
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Machine is where the numbers come from.
type Machine struct {
	CPU  string `json:"cpu"`
	CPUs int    `json:"cpus"`
	OS   string `json:"os"`
	Arch string `json:"arch"`
	Go   string `json:"go"`
	// Load is the mean number of processes that wanted to run in the minute
	// before the measurement; -1 where the system does not say. Above a
	// fraction of one, elapsed times are those of a busy machine.
	Load float64 `json:"load"`
}

func thisMachine() Machine {
	m := Machine{CPU: "unknown CPU", CPUs: runtime.NumCPU(), OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version(), Load: -1}
	// Systems without these files name neither model nor load.
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if name := cpuModel(string(info)); name != "" {
			m.CPU = name
		}
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		first, _, _ := strings.Cut(string(load), " ")
		if v, err := strconv.ParseFloat(first, 64); err == nil {
			m.Load = v
		}
	}
	return m
}

// cpuModel finds the model's name in the text of /proc/cpuinfo.
func cpuModel(info string) string {
	for line := range strings.Lines(info) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
