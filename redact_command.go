package reprise

import "strings"

// RedactCommand gives a command line as it may be stored: the values of secret
// flags and variables, secret headers, credentials in URLs and token shapes are masked.
// An argument may hold a command line of its own, as text for a shell or as a list in JSON.
func RedactCommand(args []string) []string {
	var r Redactor
	masked := make([]string, len(args))
	for i, arg := range args {
		r.learnArgument(args, i, arg)
	}
	for i, arg := range args {
		masked[i] = string(r.Mask([]byte(arg)))
		masked[i] = r.replaced(masked[i], r.argument(args, i, masked[i]))
	}
	return masked
}

// replaced gives the text with placeholders for the secrets, which are in order.
func (r *Redactor) replaced(text string, spans []secret) string {
	if len(spans) == 0 {
		return text
	}
	var b strings.Builder
	done := 0
	for _, s := range spans {
		b.WriteString(text[done:s.from])
		b.WriteString(r.placeholder(s))
		done = s.to
	}
	b.WriteString(text[done:])
	return b.String()
}

func (r *Redactor) learnArgument(args []string, i int, arg string) {
	for _, s := range r.argument(args, i, arg) {
		r.placeholder(s)
	}
	r.Learn([]byte(arg))
}

// argument finds the secrets in an argument that its name or the flag before it tells of.
func (r *Redactor) argument(args []string, i int, arg string) []secret {
	before := ""
	if i > 0 {
		before = args[i-1]
	}
	spans := inWord(before, arg, 0)
	if len(spans) == 0 {
		return nil
	}
	return r.settle(arg, spans)
}

// inWord finds the secrets in a word of a command line, which the word before may be the flag of.
func inWord(before, word string, nesting int) []secret {
	if nesting > maxNesting || word == "" {
		return nil
	}
	if spans := byName(before, word, nesting > 0); len(spans) > 0 {
		return spans
	}
	if sign := strings.IndexByte(word, '='); sign > 0 && word[0] == '-' && !strings.ContainsAny(word[:sign], blanks) {
		return shifted(inWord(word[:sign], word[sign+1:], nesting+1), sign+1)
	}
	if list := isList(word); list || strings.ContainsAny(word, blanks) {
		return inLine(word, list, nesting+1)
	}
	return nil
}

// byName finds the secret that a word is by its name or by the flag before it:
// --api-key=X, --api-key X, KEY=X, -H "Name: X". Any value counts, however short. In a line
// that may be prose, "name:" alone does not.
func byName(before, word string, inside bool) []secret {
	flag := strings.HasPrefix(before, "-")
	if name, assigned := strings.CutSuffix(before, "="); (flag || assigned) && !strings.HasPrefix(word, "--") {
		if kind, ok := secretFlag(name); ok && !(inside && isProse(word)) {
			return secretValue(word, kind)
		}
	}
	sign := strings.IndexAny(word, "=:")
	if sign <= 0 || sign+1 == len(word) || strings.HasPrefix(word[sign:], "://") || strings.Contains(word[:sign], " -") {
		return nil // no name, or one that stands further on in a line
	}
	kind, ok := secretFlag(word[:sign])
	if word[sign] == ':' && word[0] != '-' { // a header, or the beginning of a sentence
		kind, ok = secretName(word[:sign])
		ok = ok && (flag || !inside)
	}
	if !ok {
		return nil
	}
	from := sign + 1 + run(word[sign+1:], " ")
	return shifted(secretValue(word[from:], kind), from)
}

// secretValue is the part of a value that is secret.
func secretValue(value, kind string) []secret {
	from, to := unquoted(value, 0, len(value))
	value = value[from:to]
	switch {
	case kind == "auth" && isAuthWay(value):
		return nil
	case kind == "auth":
		kind = "token"
	case kind == "dsn":
		return shifted(dataSourceLogin(value), from)
	}
	return shifted(credential(value, kind), from)
}

// dataSourceLogin finds the password in user:password@tcp(host)/name. Those of URLs are found in any text.
func dataSourceLogin(source string) []secret {
	at := strings.LastIndexByte(source[:strings.LastIndexByte(source, '/')+1], '@')
	if at < 0 {
		at = strings.LastIndexByte(source, '@')
	}
	from := strings.IndexByte(source, ':') + 1
	if from == 0 || from >= at || strings.Contains(source, "://") {
		return nil
	}
	return shifted(credential(source[from:at], "password"), from)
}

func shifted(spans []secret, by int) []secret {
	for i := range spans {
		spans[i].from, spans[i].to = spans[i].from+by, spans[i].to+by
	}
	return spans
}

const (
	blanks    = " \t\r\n"
	operators = ";&|)" // of a shell, where a command ends
)

// isList says whether the text looks like JSON that may hold a command line.
func isList(text string) bool {
	text = strings.Trim(text, blanks)
	return len(text) > 1 && (text[0] == '[' && text[len(text)-1] == ']' || text[0] == '{' && text[len(text)-1] == '}')
}

// inLine finds the secrets in the words of a command line that stands in one text.
func inLine(line string, list bool, nesting int) (spans []secret) {
	stops := blanks
	if list {
		stops += "[]{},"
	}
	before := ""
	for at := 0; at < len(line); {
		if n := run(line[at:], stops); n > 0 {
			at += n
			continue
		}
		w := wordAt(line, at, stops)
		spans = append(spans, shifted(inWord(before, line[w.from:w.to], nesting), w.from)...)
		before, at = line[w.from:w.to], w.next
		if w.last {
			before = ""
		}
	}
	return spans
}

// lineWord is the place of a word in a command line, free of its quotes.
type lineWord struct {
	from, to, next int
	last           bool // of its command
}

func wordAt(line string, at int, stops string) lineWord {
	if w, ok := quotedAt(line, at, stops); ok {
		return w
	}
	end := at
	for end < len(line) && strings.IndexByte(stops, line[end]) < 0 {
		end++
		if word := line[at:end]; word == ":" || strings.IndexByte(word, '=') == len(word)-1 { // a value in quotes is a word
			if _, ok := quotedAt(line, end, stops); ok {
				break
			}
		}
	}
	word := strings.TrimRight(line[at:end], operators)
	from, to := unquoted(line, at, at+len(word))
	return lineWord{from: from, to: to, next: end, last: at+len(word) < end}
}

// longestQuoted bounds the search for a closing quote, which an apostrophe does not have.
const longestQuoted = 1 << 13

// quotedAt finds the word in quotes that begins there, and has an end that another word can follow.
func quotedAt(line string, at int, stops string) (w lineWord, ok bool) {
	slashes := run(line[at:], `\`)
	q := at + slashes
	if q >= len(line) || slashes > 3 || line[q] != '"' && line[q] != '\'' {
		return w, false
	}
	w.from = q + 1
	w.to = w.from + endOfQuoted(line[w.from:min(len(line), w.from+longestQuoted)], line[q], slashes)
	w.next = w.to + slashes + 1
	if w.next > len(line) || line[w.next-1] != line[q] {
		return w, false
	}
	return w, w.next == len(line) || strings.IndexByte(stops+operators+":", line[w.next]) >= 0
}

// unquoted leaves out the quotes around a part of a text, escaped or not, even if there is only one.
func unquoted(text string, from, to int) (int, int) {
	word := text[from:to]
	for _, quote := range []string{`\"`, `\'`, `"`, `'`} {
		if rest, ok := strings.CutPrefix(word, quote); ok {
			from, word = from+len(quote), rest
			break
		}
	}
	for _, quote := range []string{`\"`, `\'`, `"`, `'`} {
		if rest, ok := strings.CutSuffix(word, quote); ok {
			word = rest
			break
		}
	}
	return from, from + len(word)
}
