// Package reprise holds the words and the pure rules of Reprise: what a frame,
// a message, a call and a session are, how raw bytes become frames, how frames
// are read as JSON-RPC, how requests meet their responses, where the values in their arguments
// came from (provenance), which of them a filter selects, and what must not
// leave the machine.
//
//	bytes ──Framer──▶ Frame ──ReadMessages──▶ Message ──Pairer──▶ Call ──Tracer──▶ Value, Use
//	        (facts)                (readings)              (derived)
//
// It promises that every rule is a state machine without I/O, goroutine or
// clock: fed one item at a time it gives the same answer live and offline, so
// that all that is derived can be deleted and rebuilt from the frames.
// It does not promise that the bytes make sense. Nothing here changes them.
//
// It imports the standard library and gjson only. The rooms around it (proxy,
// recorder, …) import it and never each other.
package reprise
