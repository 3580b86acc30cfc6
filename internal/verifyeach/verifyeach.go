// Package verifyeach is a switch for tests: with it on, isa/lower verifies every
// kernel after each pass, whoever lowers it. Tests of packages that lower kernels
// turn it on in an init function; nothing else does. It holds no verifier.
package verifyeach

// On makes isa/lower verify kernels after each pass. It must not be changed once
// something is lowered.
var On bool
