package reprise

import "strings"

// RedactCommand gives a command line as it may be stored: the values of secret
// flags and variables, secret headers, credentials in URLs and token shapes are masked.
func RedactCommand(args []string) []string {
	var r Redactor
	masked := make([]string, len(args))
	for i, arg := range args {
		r.learnArgument(args, i, arg)
	}
	for i, arg := range args {
		masked[i] = string(r.Mask([]byte(arg)))
		for _, s := range r.argument(args, i, masked[i]) {
			masked[i] = masked[i][:s.from] + r.placeholder(s) + masked[i][s.to:]
		}
	}
	return masked
}

func (r *Redactor) learnArgument(args []string, i int, arg string) {
	for _, s := range r.argument(args, i, arg) {
		r.placeholder(s)
	}
	r.Learn([]byte(arg))
}

// argument finds the secret that an argument is by its name or by the flag before
// it: --api-key=X, --api-key X, KEY=X, -H "Name: X". In front of a command line any value counts, however short.
func (r *Redactor) argument(args []string, i int, arg string) []secret {
	if i > 0 && strings.HasPrefix(args[i-1], "-") && !strings.HasPrefix(arg, "--") {
		if kind, ok := secretName(strings.TrimLeft(args[i-1], "-")); ok {
			return r.settle(arg, credential(arg, kind))
		}
	}
	sign := strings.IndexAny(arg, "=:")
	if sign <= 0 || sign+1 == len(arg) || strings.HasPrefix(arg[sign:], "://") {
		return nil
	}
	kind, ok := secretName(strings.TrimLeft(arg[:sign], "-"))
	if !ok {
		return nil
	}
	from := sign + 1 + run(arg[sign+1:], " ")
	spans := credential(arg[from:], kind)
	for i := range spans {
		spans[i].from, spans[i].to = spans[i].from+from, spans[i].to+from
	}
	return r.settle(arg, spans)
}
