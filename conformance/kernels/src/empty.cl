// A kernel that does nothing: what a launch costs by itself.
// addressing: 32

kernel void empty(void) {}
