// Package analysis judges a capture in code: no model decides anything, no server is asked. It assesses every failing
// call, holds what happened against checks, and collects findings, coverage and statistics.
//
//	CaptureItem ──Judge──▶ Exchange ──Analyzers──▶ Finding ─┐
//	               └─ assess ─▶ Assessment ─────────────────┴─▶ Report ──Survey──▶ Ranking
//
// A Judge is a state machine, fed one item of a session at a time, the same live, offline and of a session that
// we drove ourselves. It derives calls and provenance from the frames with the rules of the root package, so that an old
// capture can be judged again by a new rule. A rule about what could be better is an Analyzer: a value in an explicit list, of which
// the Judge knows nothing but its hooks.
//
// It promises that the same frames give the same report, byte for byte; that a failure is a confirmed defect only
// where provenance leaves the server no excuse that we know of; and that what was not seen is counted. It does not promise to
// find every defect: where the agent may have guessed, it says untestable, and why.
package analysis
