// Package recorder keeps frames: in a journal first, in SQLite from it.
//
//	Observe ──▶ journal/<session> ──filler──▶ frames, stderr, gaps     (facts)
//	            one write per chunk               │
//	                                          derivation ──▶ messages, calls, provenance
//
// What was handed to Observe and came back is in the page cache: it survives
// the kill of the process. So a killed proxy and a locked, slow, full, corrupt or
// deleted database are one case: the journal waits, and whoever opens the
// database next takes it in. What could not be kept anywhere is counted as a gap.
// What is derived is read from the stored frames alone, beside the facts, which never wait for it.
// A session has ended when it is derived.
//
// Readers see SQLite only. Nothing here knows where the bytes came from.
package recorder
