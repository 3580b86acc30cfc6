//go:build !unix

package hostcmd

import "os"

// terminate ends a process.
func terminate(p *os.Process) error { return p.Kill() }

// signalOf returns 0: there are no signals.
func signalOf(*os.ProcessState) int { return 0 }
