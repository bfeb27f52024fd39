package replay

import (
	"bufio"
	"bytes"
	"errors"
)

// longestLine is how much of a line is kept. What is longer ends the conversation: no memory holds a line without an end.
const longestLine = 256 << 20

var errLongLine = errors.New("the line is too long")

// readLine gives a line without its end; the last one may lack that. It is the reader's own memory where it fits, valid
// until the next one.
func readLine(in *bufio.Reader) ([]byte, error) {
	line, err := readWhole(in)
	return bytes.TrimRight(line, "\r\n"), err
}

// readWhole gives a line with its end.
func readWhole(in *bufio.Reader) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	whole := bytes.Clone(line)
	for errors.Is(err, bufio.ErrBufferFull) && len(whole) <= longestLine {
		line, err = in.ReadSlice('\n')
		whole = append(whole, line...)
	}
	if len(whole) > longestLine {
		return nil, errLongLine
	}
	return whole, err
}
