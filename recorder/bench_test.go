package recorder

import (
	"fmt"
	"testing"

	"reprise"
)

// BenchmarkObserve is what recording adds to a message.
func BenchmarkObserve(b *testing.B) {
	for _, size := range []int{200, 64 << 10} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			l := startLive(b, newPath(b), nil)
			data := make([]byte, size)
			for i := range data {
				data[i] = 'x'
			}
			data[size-1] = '\n'
			b.SetBytes(int64(size))
			for b.Loop() {
				l.Observe(reprise.Chunk{Data: data, At: l.elapsed()})
			}
			b.StopTimer()
			l.End(reprise.EndedByClient, nil, 0)
		})
	}
}

// BenchmarkFill is how fast the database takes a journal in, per frame.
func BenchmarkFill(b *testing.B) {
	l := startLive(b, newPath(b), nil)
	for i := range b.N { // b.Loop would not count the end, at which most is stored
		l.send(reprise.ClientToServer, fmt.Sprintf("{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"get\",\"arguments\":{\"id\":\"ISS-%d\",\"padding\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}}}\n", i, i))
		l.send(reprise.ServerToClient, fmt.Sprintf("{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}]}}\n", i))
	}
	l.end()
}
