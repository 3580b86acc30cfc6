// Package mergecmd is lockstep merge: it puts the results of the shards of explore and conformance together and reports
// them as the command itself does.
//
// It reads journals of package sweep and writes reports of packages explorecmd and conformancecmd. It runs nothing.
package mergecmd
