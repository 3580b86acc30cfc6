; ModuleID = "k.bc"
source_filename = "k.cl"
target triple = "spir64-unknown-unknown"
