package main

import (
	"cmp"
	"os/exec"
	"path/filepath"
	"strings"

	"reprise"
)

// startable is the command as it can be started. Some hosts hand a command to a shell, and people therefore write
// "npx -y some-server" or "~/bin/server" for it. As it is written comes first; only if there is no such program
// it is read as a shell would: split at blanks outside quotes, the home folder put in. Nothing else is expanded.
func startable(command []string, home func() (string, error)) []string {
	first := command[0]
	if !strings.ContainsAny(first, " \t~") {
		return command
	}
	if _, err := exec.LookPath(first); err == nil {
		return command
	}
	words := shellWords(first)
	if len(words) == 0 {
		return command
	}
	if rest, ok := strings.CutPrefix(words[0], "~/"); ok {
		if dir, err := home(); err == nil {
			words[0] = filepath.Join(dir, rest)
		}
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return command // the error then tells of what was written
	}
	return append(words, command[1:]...)
}

// programName is what to call a server by its command: the name of the program, whatever else stands in the text.
func programName(command string) string {
	if strings.ContainsAny(command, " \t") {
		if _, err := exec.LookPath(command); err != nil {
			command = firstWord(command)
		}
	}
	name := filepath.Base(reprise.RedactCommand([]string{command})[0])
	return cmp.Or(strings.TrimSuffix(name, filepath.Ext(name)), name)
}

func firstWord(line string) string {
	words := shellWords(line)
	if words == nil {
		words = strings.Fields(line)
	}
	if len(words) == 0 {
		return line
	}
	return words[0]
}

// shellWords are the words of the line, none where a quote is not closed.
func shellWords(line string) []string {
	var words []string
	var word strings.Builder
	inside, quoted := false, rune(0)
	for _, r := range line {
		switch {
		case quoted != 0 && r == quoted:
			quoted = 0
		case quoted == 0 && (r == '\'' || r == '"'):
			inside, quoted = true, r
		case quoted == 0 && (r == ' ' || r == '\t'):
			if inside {
				words = append(words, word.String())
				word.Reset()
			}
			inside = false
		default:
			inside = true
			word.WriteRune(r)
		}
	}
	if quoted != 0 {
		return nil
	}
	if inside {
		words = append(words, word.String())
	}
	return words
}
