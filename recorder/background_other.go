//go:build !linux

package recorder

// stepBack lets the goroutine give way to all that is in a hurry, where threads have a priority.
func stepBack() {}
