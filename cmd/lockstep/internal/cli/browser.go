//go:build browser

package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/lockstep-gpu/lockstep/isa"
)

// This file stands in the place of what the playground in a browser does not have: programs, terminals, the judges of
// OpenCL implementations, reports in HTML and XML, and the packages behind these. Its bytes are downloaded.

// Commands returns the commands in the order of the overview.
func Commands() Table {
	return Table{
		runCommand, debugCommand, exploreCommand, ccCommand, compileCommand, linkCommand, infoCommand, isaCommand,
		validateCommand, disCommand, asmCommand, gradeCommand, versionCommand, helpCommand,
	}
}

// frontEnd would run clang.
type frontEnd interface{}

// compileSource refuses what only clang compiles.
func compileSource(_ context.Context, _ *Env, m *module, what string, _ bool) error {
	return fmt.Errorf("%s is %s, and programs cannot be started here", m.name, what)
}

// write refuses JUnit XML.
func (s *junitSuite) write(io.Writer) error { return notInBrowser("-junit") }

// writeHTML refuses a page.
func (d *exploreDocument) writeHTML(io.Writer) error { return notInBrowser("-html") }

// writePage refuses a page.
func writePage(io.Writer, string, any) error { return notInBrowser("-html") }

// writePage refuses the page of -report.
func (r *run) writePage(*Env, *outcome) error {
	if r.o.report == "" {
		return nil
	}
	return notInBrowser("-report")
}

// write refuses machine code.
func (m machineCode) write(*Env, *isa.Program, []*isa.Kernel) error { return notInBrowser("-native") }

// notInBrowser is the error for a flag that needs what a browser does not download.
func notInBrowser(flag string) error {
	return usagef("", "%s is not part of the playground; lockstep on a command line has it", flag)
}
