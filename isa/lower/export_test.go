package lower

// CountSteps calls f with the steps of analyses for each kernel that is lowered, until the function that it returns is
// called.
func CountSteps(f func(int)) (end func()) {
	countSteps = f
	return func() { countSteps = nil }
}
