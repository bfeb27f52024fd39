package replay

import (
	"bytes"
	"fmt"
	"testing"

	"reprise"
)

// large is a capture file of n calls.
func large(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"reprise":"capture","version":1,"session":{"id":"x","server":"large","transport":"stdio","complete":false}}` + "\n")
	for i := range n {
		fmt.Fprintf(&b, `{"seq":%d,"t":%d.5,"dir":"c2s","frame":{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get_issue","arguments":{"issueId":"ISS-%d","full":true}}}}`+"\n", 2*i+1, i, i, i)
		fmt.Fprintf(&b, `{"seq":%d,"t":%d.7,"dir":"s2c","frame":{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"{\"id\":\"ISS-%d\",\"title\":\"Something or other\"}"}]}}}`+"\n", 2*i+2, i, i, i)
	}
	return b.Bytes()
}

func BenchmarkOpen(b *testing.B) {
	data := large(100_000)
	for b.Loop() {
		c, err := reprise.LoadCapture(bytes.NewReader(data))
		if err != nil {
			b.Fatal(err)
		}
		NewServer(c).newRun()
	}
}

func BenchmarkReceive(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c, err := reprise.LoadCapture(bytes.NewReader(large(n)))
			if err != nil {
				b.Fatal(err)
			}
			s := NewServer(c)
			lines := framesOf(c, reprise.ClientToServer)
			var r *run
			for i := range b.N {
				if i%n == 0 {
					b.StopTimer()
					r = s.newRun()
					b.StartTimer()
				}
				if len(r.receive([]byte(lines[i%n]))) != 1 {
					b.Fatal("no answer")
				}
			}
		})
	}
}
