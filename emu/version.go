package emu

// Version is the version of lockstep, as in CHANGELOG.md. It follows Semantic Versioning.
const Version = "0.1.0"
