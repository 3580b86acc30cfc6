package trace

// Check is check, for tests of whole launches.
var Check = func(doc string) error {
	_, err := check(doc)
	return err
}
