package replay

import (
	"testing"

	"reprise"
)

// TestACancelledSubscriptionEnds: a server that answers the cancellation of a subscription does so again, though
// nothing else was said after it.
func TestACancelledSubscriptionEnds(t *testing.T) {
	listening := requestLine(1, listen, `{"notifications":{}}`)
	ended := resultLine(1, `{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":1}}`)
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	call, answer := callLine(2, "a", "{}"), resultLine(2, textResult("x"))
	for _, recorded := range [][]string{
		{">" + listening, ">" + cancel, "<" + ended},
		{">" + listening, ">" + call, ">" + cancel, "<" + ended, "<" + answer},
		{">" + listening, ">" + cancel, ">" + call, "<" + ended, "<" + answer},
	} {
		s := NewServer(captureOf(t, reprise.EndedByClient, recorded...))
		wants(t, s, []string{listening, cancel}, ended)
	}
}
