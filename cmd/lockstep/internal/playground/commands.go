package playground

import (
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/debugcmd"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/dispatch"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/explorecmd"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/gradecmd"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/infocmd"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/launch"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/toolchain"
)

// commands returns the commands that the page has, in the order of the overview. What they import is downloaded: the
// others need programs, terminals, a network or the judges of OpenCL implementations.
func commands() cmdline.Table {
	return cmdline.Table{
		launch.Command, debugcmd.Command, explorecmd.Command, toolchain.CCCommand,
		toolchain.CompileCommand, toolchain.LinkCommand, infocmd.Command, toolchain.ISACommand,
		toolchain.ValidateCommand, toolchain.DisCommand, toolchain.AsmCommand, gradecmd.Command,
		dispatch.VersionCommand, dispatch.HelpCommand,
	}
}
