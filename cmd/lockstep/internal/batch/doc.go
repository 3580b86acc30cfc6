// Package batch has what the commands explore, conformance and merge share, which make many runs: shards and results in a
// journal to resume from, and the forms of a report: text, JSON, JUnit XML and HTML.
//
// A command gives it records and a [Reporter]. Journals are those of package sweep. It makes no run and has no command.
package batch
