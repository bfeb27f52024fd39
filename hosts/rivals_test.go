package hosts

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// These tests run this binary again as another program: one that writes the same file, or one that is killed.

const (
	rivalEnv     = "REPRISE_TEST_RIVAL" // what it is to do
	rivalFileEnv = "REPRISE_TEST_FILE"
	rivalDirEnv  = "REPRISE_TEST_STORE"
)

// shared is a file that two programs write, each its own member.
type shared struct {
	Theirs int    `json:"theirs"`
	Ours   int    `json:"ours"`
	Filler string `json:"filler"`
}

// rival starts the other program. Its input is closed to end it.
func rival(t *testing.T, what, file, dir string) (*exec.Cmd, io.Closer, *bufio.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestRival$")
	cmd.Env = append(os.Environ(), rivalEnv+"="+what, rivalFileEnv+"="+file, rivalDirEnv+"="+dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, in, bufio.NewReader(out)
}

// TestRival is the other program.
func TestRival(t *testing.T) {
	what, file := os.Getenv(rivalEnv), os.Getenv(rivalFileEnv)
	switch what {
	case "":
		t.Skip("it is run by other tests")
	case "edit":
		toggleForever(Store{Dir: os.Getenv(rivalDirEnv)}, file)
	default:
		rewrite(file, map[string]func(string, []byte) error{"rename": renameTo, "inplace": inPieces}[what])
	}
	os.Exit(0)
}

// rewrite counts in the file every ten milliseconds, keeps what others have written, and says what it found wrong.
func rewrite(file string, write func(string, []byte) error) {
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(ended)
	}()
	fmt.Println("ready")
	last, writes := 0, 0
	for {
		select {
		case <-ended:
			fmt.Printf("writes %d\n", writes)
			return
		case <-time.After(10 * time.Millisecond):
		}
		data, err := os.ReadFile(file)
		var now shared
		if err == nil {
			err = json.Unmarshal(data, &now)
		}
		if err != nil || now.Theirs != last {
			fmt.Printf("found %d (%v), had written %d\n", now.Theirs, err, last)
		}
		last++
		now.Theirs = last
		if data, err = json.Marshal(now); err == nil {
			err = write(file, data)
		}
		if err != nil {
			fmt.Println("write:", err)
		}
		writes++
	}
}

func renameTo(file string, data []byte) error {
	if err := os.WriteFile(file+".theirs", data, 0o600); err != nil {
		return err
	}
	return rename(file+".theirs", file)
}

// inPieces empties the file and writes it bit by bit.
func inPieces(file string, data []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	for len(data) > 0 && err == nil {
		n := min(len(data), 1000)
		_, err = f.Write(data[:n])
		data = data[n:]
		time.Sleep(100 * time.Microsecond)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

func TestEditsAgainstAnotherProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a replaced file has no name for an instant there, and the other program would have to expect that")
	}
	canExchange(t)
	for _, how := range []string{"rename", "inplace"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			start, _ := json.Marshal(shared{Filler: strings.Repeat("x", 2000)})
			s, file := settings(t, string(start))
			s.patience = time.Minute // how long it takes is not what is tested
			cmd, in, out := rival(t, how, file, "")
			_, _ = out.ReadString('\n')
			stop := func() {}
			if how == "rename" {
				stop = watch(t, file)
			}
			for i := 1; i <= 200; i++ {
				editShared(t, s, file, i)
			}
			stop()
			in.Close()
			said, _ := io.ReadAll(out)
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
			if lines := strings.Count(string(said), "\n"); lines != 1 {
				t.Errorf("the other program said %s", said)
			}
			t.Logf("%s", said)
			wantAlone(t, file)
			wantStored(t, s, 0)
		})
	}
}

func editShared(t *testing.T, s Store, file string, i int) {
	t.Helper()
	edited := mustEdit(t, s, file, func(src []byte, _ *Memo) ([]byte, error) {
		var now shared
		if err := json.Unmarshal(src, &now); err != nil {
			return nil, err
		}
		now.Ours = i
		return json.Marshal(now)
	})
	if len(edited.Kept) > 0 {
		t.Errorf("kept %q", edited.Kept)
	}
}

// watch reads the file again and again, until it is told to stop: it is whole each time.
func watch(t *testing.T, file string) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-end:
				return
			case <-time.After(time.Millisecond):
			}
			if data, err := os.ReadFile(file); err != nil || !json.Valid(data) {
				t.Errorf("a reader saw %d bytes, %v", len(data), err)
			}
		}
	}()
	return func() { close(end); <-ended }
}

// toggleForever edits until it is killed.
func toggleForever(s Store, file string) {
	fmt.Println("ready")
	for {
		_, err := s.Edit(file, func(src []byte, memo *Memo) ([]byte, error) {
			if strings.Contains(string(src), "plain") {
				return wrapIt(src, memo)
			}
			return unwrapIt(src, memo)
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, "edit:", err)
		}
	}
}

func TestKilledAtAnyMoment(t *testing.T) {
	for half := range 2 {
		t.Run(fmt.Sprint(half), func(t *testing.T) {
			t.Parallel()
			s, file := settings(t, plainText)
			for range 100 {
				killed(t, s, file)
			}
		})
	}
}

func killed(t *testing.T, s Store, file string) {
	t.Helper()
	cmd, _, out := rival(t, "edit", file, s.Dir)
	_, _ = out.ReadString('\n')
	time.Sleep(rand.N(25 * time.Millisecond))
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	text := content(t, file)
	if text != plainText && text != wrappedText {
		t.Fatalf("the file has %q", text)
	}
	if memo, err := s.Memo(file); err != nil || len(memo.Wraps) != strings.Count(text, "wrapped") {
		t.Errorf("the file has %q, the memo %+v, %v", text, memo, err)
	}
	edited := mustEdit(t, s, file, nothingToDo)
	wantContent(t, file, text)
	wantStored(t, s, 2*strings.Count(text, "wrapped"))
	if len(edited.Kept) > 0 {
		t.Errorf("kept %q", edited.Kept)
	}
	if entries, _ := os.ReadDir(filepath.Dir(file)); len(entries) != 1 {
		t.Errorf("beside the file are %v", entries)
	}
}
