package emu

// Compiled says whether the kernel has been compiled for the device's engine.
func Compiled(k *Kernel) bool { return k.runner != nil }
