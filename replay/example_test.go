package replay_test

import (
	"context"
	"fmt"
	"net"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reprise"
	"reprise/replay"
)

// A test of a client in Go plays the server in its own process: over a pipe here, over any io.ReadWriteCloser.
func ExampleNewServer() {
	file, err := os.Open("../fixtures/e2e/ci/tracker.capture.jsonl")
	if err != nil {
		panic(err)
	}
	defer file.Close()
	capture, err := reprise.LoadCapture(file)
	if err != nil {
		panic(err)
	}

	ctx := context.Background()
	here, there := net.Pipe()
	done := make(chan *replay.Report)
	go func() {
		report, _ := replay.NewServer(capture).Serve(ctx, there)
		done <- report
	}()

	// Below is what is tested. It knows nothing of the record.
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1.0.0"}, nil)
	session, err := client.Connect(ctx, &mcp.IOTransport{Reader: here, Writer: here}, nil)
	if err != nil {
		panic(err)
	}
	made, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "create_issue",
		Arguments: map[string]any{"project": "WEB", "title": "Find the cause of ISS-1"}})
	if err != nil {
		panic(err)
	}
	fmt.Println(made.StructuredContent.(map[string]any)["id"])
	_, err = session.CallTool(ctx, &mcp.CallToolParams{Name: "delete_issue", Arguments: map[string]any{"issueId": "ISS-9"}})
	fmt.Println(err)
	session.Close()

	report := <-done
	fmt.Println(report.Answered, "answered,", len(report.Misses), "missed")
	// Output:
	// ISS-9
	// calling "tools/call": reprise: no recorded answer to tools/call delete_issue: it was never called in the session; nearest is seq 14, which differs at name: recorded "assign_issue", got "delete_issue"
	// 2 answered, 1 missed
}
