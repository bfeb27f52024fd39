// Package proxy moves bytes between a host and a server unchanged, showing
// each chunk to a tap first.
//
//	            ┌──────── tap ────────┐
//	host stdin  ──▶ pump in  ──▶ server stdin
//	host stdout ◀── pump out ◀── server stdout
//	host stderr ◀── pump err ◀── server stderr   (bounded buffer: never waits for the host for long)
//
// It promises:
//   - Every byte goes on, unchanged and in order, as soon as it comes. There is
//     no line, no limit and no queue: a reader that is slow makes its writer wait, as it would without us.
//   - The three pumps wait neither for each other nor, for longer than 75 ms, for a tap that hangs.
//   - The server runs as it would without us: same environment, same folder, same
//     extra descriptors; but in a process group of its own, so that its children can be ended with it.
//   - However it ends, the server's last bytes are delivered, nothing of its
//     process group is left, and the exit code is the server's.
//
// It does not promise that the bytes mean anything: it knows no message, answers
// for nobody, and sets no timeout on anything but the ending. What leaves the
// process group (setsid) is not ours to end. When we are killed ourselves with
// SIGKILL, the server sees the end of its stdin, and on Linux dies with us.
//
// Dial and Accept give one side alone as a connection, the server and the host, for
// those who play the other.
package proxy
