package analysis

import (
	"fmt"

	"reprise"
)

var noiseOnStdout = &Analyzer{
	Name: "noise-on-stdout",
	Doc: "The server writes to stdout what is no message of the protocol: banners, log lines, notices of npm, or JSON that is cut or of a wrong form. Blank lines " +
		"do not count, nor does a last line that the server's end cut off, nor what the record lost a part of. " +
		"Source: the specification's stdio transport (the server MUST NOT write anything else to stdout); go-sdk ends the connection.",
	Severity: Medium,
	Sphere:   OfSession,
	Run: func(p *Pass) {
		seen := map[reprise.Kind]bool{}
		p.Messages(func(f *reprise.Frame, m *reprise.Message, _ *reprise.Call) {
			if m.Kind != reprise.KindNoise && m.Kind != reprise.KindInvalid || !strayed(f, m) {
				return
			}
			finding := Finding{Place: string(m.Kind), Evidence: []int64{f.Seq}}
			if !seen[m.Kind] {
				seen[m.Kind] = true
				finding.describeNoise(m)
			}
			p.Report(finding)
		})
	},
}

// strayed says whether what is no message was written by the server, whole.
func strayed(f *reprise.Frame, m *reprise.Message) bool {
	const ours = reprise.FlagTooDeep | reprise.FlagMany // valid for whoever reads further than we do
	return f.Direction == reprise.ServerToClient && f.Stream == 0 && !f.Truncated && f.EOL != "" && m.Raw != "" && m.Flags&ours == 0
}

// describeNoise says of the first line of a kind what all of them mean.
func (f *Finding) describeNoise(m *reprise.Message) {
	f.What = fmt.Sprintf("The server wrote to stdout what is no message: %s.", quote(m.Raw))
	f.Consequence = "Lenient hosts skip it, and a strict client (go-sdk) ends the connection, so that every tool is gone."
	f.Suggestion = "Write logs and banners to stderr, and silence what the server's launcher prints to stdout."
	if m.Kind == reprise.KindInvalid {
		f.What = fmt.Sprintf("The server wrote a message that is no valid JSON-RPC: %s.", quote(m.Raw))
		f.Suggestion = "Write each message as one JSON object on one line, with a library of the protocol."
	}
}
