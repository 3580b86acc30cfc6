package memory

// Global is a device's global memory.
type Global struct{}

// Local is a work-group's LDS.
type Local struct{}

// Fault is a bad access.
type Fault struct{}
