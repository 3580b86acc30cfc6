//go:build browser

package cmdline

// This file and others with the build constraint browser stand in the place of what the commands of the playground's
// page do not have: clang, machine code, and reports in HTML and XML. Bytes that they save are not downloaded.

// FrontEnd would run clang; there is none.
type FrontEnd interface{}

// NotInBrowser is the error for a flag that needs what a browser does not download.
func NotInBrowser(flag string) error {
	return Usagef("", "%s is not part of the playground; lockstep on a command line has it", flag)
}
