package reprise

import "strings"

// secretName says whether a member, header, variable or flag of that name holds a
// secret, and of what kind. Case and the signs between words do not matter.
func secretName(name string) (kind string, ok bool) {
	var buf [64]byte
	plain := plainName(buf[:0], name)
	for _, n := range secretNames {
		if string(plain) == n.name || n.suffix && len(plain) > len(n.name) && string(plain[len(plain)-len(n.name):]) == n.name {
			return n.kind, n.kind != ""
		}
	}
	return "", false
}

// plainName adds the name in lower case, letters and digits only. Names longer than the buffer are none.
func plainName(b []byte, name string) []byte {
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'A' && c <= 'Z':
			c |= 0x20
		case c == '-' || c == '_' || c == '.' || c == ' ':
			continue
		}
		if len(b) == cap(b) {
			return b[:0]
		}
		b = append(b, c)
	}
	return b
}

// secretNames is read from the top: the first name that fits decides. Some
// tokens only mark a place (progress, pages, text), and have no kind. Left out are names that
// mostly mean something else: key, code, state, signature (of a function), pwd (a folder).
var secretNames = [...]struct {
	name, kind string
	suffix     bool
}{
	{name: "progresstoken"}, {name: "pagetoken", suffix: true}, {name: "nexttoken"}, {name: "continuationtoken"},
	{name: "synctoken", suffix: true}, {name: "eostoken"}, {name: "bostoken"}, {name: "padtoken"}, {name: "unktoken"}, {name: "masktoken"}, {name: "stoptoken"},
	{"authorization", "token", true}, {"token", "token", true}, {"jwt", "token", false},
	{"password", "password", true}, {"passwd", "password", true}, {"passphrase", "password", true}, {"passcode", "password", true},
	{"secret", "secret", true}, {"credential", "secret", false}, {"credentials", "secret", false}, {"connectionstring", "secret", true},
	{"apikey", "api-key", true}, {"accesskey", "api-key", true}, {"secretkey", "api-key", true}, {"authkey", "api-key", true},
	{"signingkey", "api-key", true}, {"encryptionkey", "api-key", true}, {"masterkey", "api-key", true}, {"servicekey", "api-key", true}, {"subscriptionkey", "api-key", true},
	{"privatekey", "private-key", true}, {"cookie", "cookie", true}, {"cookies", "cookie", false},
	{"mcpsessionid", "session", false}, {"lasteventid", "session", false}, {"requeststate", "state", false},
}

// secretParameter is secretName for the query of a URL, where a few more names are secrets.
func secretParameter(name string) (kind string, ok bool) {
	switch strings.ToLower(name) {
	case "key":
		return "api-key", true
	case "code":
		return "code", true
	case "state":
		return "state", true
	case "auth":
		return "token", true
	case "sig", "signature", "x-amz-signature", "x-goog-signature":
		return "signature", true
	}
	return secretName(name)
}

// secretFlag is secretName for what stands before a value on a command line, where a few more names are
// secrets: those of flags, and of variables in capitals. --key stays out, it mostly is the key of a setting.
// Of a "dsn" only the password is a secret, and of "auth" no name of a way to authenticate.
func secretFlag(name string) (kind string, ok bool) {
	flag := strings.TrimLeft(name, "-")
	if kind, ok = secretName(flag); ok {
		return kind, ok
	}
	if flag == name && strings.ToUpper(name) != name {
		return "", false
	}
	plain := strings.ToLower(strings.ReplaceAll(flag, "_", "-"))
	switch plain[strings.LastIndexByte(plain, '-')+1:] {
	case "pass":
		return "password", true
	case "pat":
		return "token", true
	case "dsn":
		return "dsn", true
	}
	switch {
	case strings.HasSuffix(strings.ReplaceAll(plain, "-", ""), "accesskeyid"):
		return "api-key", true
	case flag != name && plain == "bearer":
		return "token", true
	case flag != name && (plain == "auth" || plain == "basic-auth"):
		return "auth", true
	}
	return "", false
}

// isAuthWay says whether the value of --auth names a way, and is no secret.
func isAuthWay(value string) bool {
	switch strings.ToLower(value) {
	case "true", "false", "yes", "no", "on", "off", "none", "auto", "oauth", "oauth2", "oidc", "sso", "saml", "ldap", "basic", "digest",
		"bearer", "token", "jwt", "apikey", "api-key", "api_key", "password", "header", "env", "browser", "kerberos", "ntlm", "mtls":
		return true
	}
	return false
}

// isProse says whether the word is one that follows the name of a flag in a sentence about it.
func isProse(word string) bool {
	switch strings.ToLower(strings.TrimRight(word, ",.:?!")) {
	case "flag", "option", "argument", "parameter", "and", "or", "to", "is", "for", "in", "with", "from", "on", "has", "was", "should", "must", "can", "does":
		return true
	}
	return false
}

// tokenShape is how the tokens of a service look: a prefix, and at least so many of the
// characters behind it.
type tokenShape struct {
	prefix, kind, chars string
	least               int
	digit               bool // one of the characters must be a digit: the prefix is a usual one
}

const (
	digits    = "0123456789"
	alphanum  = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" + digits
	base64url = alphanum + "_-"
)

var tokenShapes = [...]tokenShape{
	{"ghp_", "token", alphanum, 20, false}, {"gho_", "token", alphanum, 20, false}, {"ghu_", "token", alphanum, 20, false},
	{"ghs_", "token", base64url + ".", 20, false}, {"ghr_", "token", alphanum, 20, false}, {"github_pat_", "token", base64url, 20, false},
	{"glpat-", "token", base64url + ".", 16, false}, {"npm_", "token", alphanum, 30, false}, {"pypi-", "token", base64url, 40, false},
	{"hf_", "token", alphanum, 30, false}, {"dckr_pat_", "token", base64url, 20, false}, {"lin_api_", "api-key", alphanum, 20, false},
	{"sk-ant-", "api-key", base64url, 16, false}, {"sk-", "api-key", base64url, 20, true}, {"AIza", "api-key", base64url, 35, false},
	{"ya29.", "token", base64url + ".", 20, false}, {"AKIA", "api-key", "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + digits, 16, false},
	{"ASIA", "api-key", "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + digits, 16, false}, {"SG.", "api-key", base64url + ".", 50, false},
	{"xoxb-", "token", alphanum + "-", 10, false}, {"xoxp-", "token", alphanum + "-", 10, false}, {"xoxa-", "token", alphanum + "-", 10, false},
	{"xoxr-", "token", alphanum + "-", 10, false}, {"xoxs-", "token", alphanum + "-", 10, false}, {"xoxe-", "token", alphanum + "-", 10, false},
	{"xoxe.", "token", alphanum + "-.", 10, false}, {"xoxc-", "token", alphanum + "-", 10, false}, {"xoxd-", "token", base64url + "%/+=", 10, false},
	{"xapp-", "token", alphanum + "-", 10, false},
	{"sk_live_", "api-key", alphanum, 10, false}, {"sk_test_", "api-key", alphanum, 10, false}, {"rk_live_", "api-key", alphanum, 10, false},
	{"rk_test_", "api-key", alphanum, 10, false}, {"whsec_", "secret", alphanum + "+/=", 16, false},
}

// length is how much of the text is a token of that shape, 0 when none is.
func (s *tokenShape) length(text string) int {
	if !strings.HasPrefix(text, s.prefix) {
		return 0
	}
	n := len(s.prefix) + run(text[len(s.prefix):], s.chars)
	if n < len(s.prefix)+s.least || s.digit && !strings.ContainsAny(text[:n], digits) {
		return 0
	}
	return n
}

// run is how many bytes of the text's beginning are among the characters.
func run(text, chars string) int { return len(text) - len(strings.TrimLeft(text, chars)) }

// jwtLength is how much of the text is a JSON Web Token: two or three parts of base64 with JSON in the first two.
func jwtLength(text string) int {
	if !strings.HasPrefix(text, "eyJ") {
		return 0
	}
	header := run(text, base64url)
	if header < 10 || !strings.HasPrefix(text[header:], ".eyJ") {
		return 0
	}
	claims := header + 1 + run(text[header+1:], base64url)
	if claims < len(text) && text[claims] == '.' {
		return claims + 1 + run(text[claims+1:], base64url+".")
	}
	return claims
}

// pemLength is how much of the text is a private key in PEM, which goes on to the text's end when it is cut.
func pemLength(text string) int {
	const begin, mark = "-----BEGIN ", "PRIVATE KEY-----"
	if !strings.HasPrefix(text, begin) {
		return 0
	}
	head := strings.Index(text[:min(len(text), 64)], mark)
	if head < 0 {
		return 0
	}
	end := strings.Index(text[head+len(mark):], mark)
	if end < 0 {
		return len(text)
	}
	return head + len(mark) + end + len(mark)
}
