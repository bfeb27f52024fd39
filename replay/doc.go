// Package replay plays one side of a captured session: the server to a live client, or the client to a live server. Diff
// plays neither: it compares two captures as Verify compares a capture with a live server.
//
//	capture ──▶ tape ──▶ run ◀── lines of a live client ──▶ recorded answers      Server
//	capture ──▶ script ─▶ calls to a live server ──▶ what differs                  Verify
//
// As the server it promises that for the same capture and the same client bytes in the same order the same bytes come
// out: what is sent depends on the client's messages alone, never on time, chance or the order of a map. Answers are the
// recorded bytes; only tokens that are the client's own (ids, progress tokens) are put into their places. A request that
// nothing recorded answers is refused aloud, never answered with something made up.
//
// It does not promise the recorded order among answers to calls that were in flight together: an answer comes as
// soon as its call does, or a client that asks one thing after the other would wait for ever.
package replay
