package main

import (
	"os"
	"runtime"
	"strings"
)

// Machine is where the numbers come from.
type Machine struct {
	CPU  string `json:"cpu"`
	CPUs int    `json:"cpus"`
	OS   string `json:"os"`
	Arch string `json:"arch"`
	Go   string `json:"go"`
}

func thisMachine() Machine {
	m := Machine{CPU: "unknown CPU", CPUs: runtime.NumCPU(), OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version()}
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return m // not Linux: the architecture has to do
	}
	if name := cpuModel(string(info)); name != "" {
		m.CPU = name
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
