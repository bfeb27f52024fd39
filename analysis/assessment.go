package analysis

// Kind is what a call's end says of its server.
type Kind string

const (
	// OK did not fail.
	OK Kind = "ok"
	// ConfirmedDefect failed on arguments that the server itself had given, or fixed in its schema.
	ConfirmedDefect Kind = "confirmed_defect"
	// RightlyRejected failed on arguments that its declared schema excludes.
	RightlyRejected Kind = "rightly_rejected"
	// Untestable proves nothing: see the reason.
	Untestable Kind = "untestable"
)

// Assessment says what a call's end proves (S34–S37).
type Assessment struct {
	Kind   Kind
	Reason string // in words; "" of OK
	// Evidence are seqs in order: of the call that generated the value and its response, of the failing call and its response.
	Evidence []int64
}
