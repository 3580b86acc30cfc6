// Package conformancecmd is lockstep conformance: it selects cases of package conformance, has them run, also in shards,
// and reports results, lists and the matrix of clauses.
//
// The cases and their runner are in package conformance. Launches of users are not its business.
package conformancecmd
