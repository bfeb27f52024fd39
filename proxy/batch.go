package proxy

import (
	"errors"
	"strings"
)

// isBatch says whether Windows runs a file with cmd.exe. It drops dots and
// blanks at the end of a name (CVE-2024-43402).
func isBatch(path string) bool {
	name := strings.ToLower(strings.TrimRight(path, ". "))
	return strings.HasSuffix(name, ".cmd") || strings.HasSuffix(name, ".bat")
}

// noPercent goes before a percent sign: a percent sign and an empty part of the current folder's name.
const noPercent = "%%cd:~,"

var errUnquotable = errors.New("argument of a batch file has a line end or NUL, which cannot be quoted")

// batchLine is the command line that makes cmd.exe run a batch file with
// exactly these arguments. cmd.exe has its own rules, and the batch file gets to
// apply them again: every argument that is not plain is quoted, a quote is doubled, and each percent
// sign is taken apart so that no %NAME% is ever seen.
// The rules are those of Rust's standard library after CVE-2024-24576 ("BatBadBut").
func batchLine(path string, args []string) (string, error) {
	if strings.ContainsAny(path, "\"\r\n\x00") || strings.HasSuffix(path, `\`) {
		return "", errUnquotable
	}
	var b strings.Builder
	// /e:ON extensions, which %cd:~,% needs; /v:OFF no !NAME!; /d no AutoRun.
	b.WriteString(`cmd.exe /e:ON /v:OFF /d /c ""` + strings.ReplaceAll(path, "%", noPercent+"%") + `"`)
	for _, arg := range args {
		if strings.ContainsAny(arg, "\r\n\x00") {
			return "", errUnquotable
		}
		b.WriteByte(' ')
		quoteBatch(&b, arg)
	}
	b.WriteByte('"')
	return b.String(), nil
}

func quoteBatch(b *strings.Builder, arg string) {
	quote := arg == "" || strings.HasSuffix(arg, `\`) || strings.ContainsFunc(arg, isSpecial)
	if quote {
		b.WriteByte('"')
	}
	backslashes := 0
	for _, c := range arg {
		switch c {
		case '\\':
			backslashes++
		case '"': // as many backslashes again, and the quote itself
			b.WriteString(strings.Repeat(`\`, backslashes) + `"`)
			backslashes = 0
		case '%':
			b.WriteString(noPercent)
			backslashes = 0
		default:
			backslashes = 0
		}
		b.WriteRune(c)
	}
	if quote {
		b.WriteString(strings.Repeat(`\`, backslashes) + `"`)
	}
}

// isSpecial tells which characters have to be quoted: all but those known to mean nothing.
func isSpecial(c rune) bool {
	const plain = `#$*+-./:?@\_`
	letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
	return !letter && !strings.ContainsRune(plain, c)
}
