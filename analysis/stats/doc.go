// Package stats says what repeated runs of an agent allow to be said: intervals, comparisons, tests.
//
//	runs ──▶ Tally{Passed, Runs} ──▶ Wilson ─────────▶ how sure are we of one story?
//	           base, candidate ────▶ Newcombe, Fisher ─▶ has one story become worse?
//	stories ──▶ runs by story ─────▶ Cluster, Paired ──▶ how sure are we of a suite?
//	           differences by story ▶ Bootstrap, SignFlip ─▶ has the suite become worse?
//
// All of these are functions of their arguments alone: what needs chance is given a seed, and the same seed gives the same
// draws on every system. Rates, shares and probabilities are between 0 and 1; a score has the unit that its caller gives it.
//
// No function gives NaN or an infinity. What is undefined (a mean of nothing, pass^5 of three runs, numbers that
// cannot be counts) has an ok that is false beside it, and is to be shown as "–" or "no data", never as 0.
//
// It promises the formulas and their published values, not that a sample is a fair one: runs that a recorder did not see, or that nobody
// could test, are to be left out of the counts by whoever makes them, and to be told beside them.
package stats
