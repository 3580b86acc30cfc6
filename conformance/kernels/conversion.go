package kernels

func conversionKernels() []*Kernel { return nil }
