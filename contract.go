package reprise

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// ContractVersion is the version of the contract files that are written.
const ContractVersion = 1

// ErrNoContract says that a file is not a contract, ErrNewerContract that it is from the future.
var (
	ErrNoContract    = errors.New(`no contract: it begins with {"reprise":"contract",…}`)
	ErrNewerContract = errors.New("made by a newer Reprise: please upgrade")
)

// Contract is a surface in a file, to be reviewed and kept under version control.
type Contract struct {
	Surface *Surface
	// Redaction is the header's note on the masking of secrets: raw JSON, "" when nothing was masked.
	Redaction string
}

// Append adds the contract as indented JSON. Everything in it has its place, by name, and is spelt as Canonical does,
// so that two contracts differ where their surfaces do. A list that is not known is not there; one that is known in
// part only is named in "partial".
func (c *Contract) Append(b []byte) ([]byte, error) {
	var o object
	o.raw("reprise", `"contract"`)
	o.raw("version", strconv.Itoa(ContractVersion))
	s := c.Surface
	o.given("redaction", c.Redaction)
	o.given("server", s.Server)
	o.given("protocol", s.Protocol)
	o.given("instructions", s.Instructions)
	if s.Greeted {
		o.raw("capabilities", string(Canonical(cmp.Or(s.Capabilities, "{}"))))
	}
	o.given("partial", s.partial())
	for _, k := range listKinds() {
		if l := k.in(s); l.Asked {
			o.raw(k.list, l.contract(k.key))
		}
	}
	out := bytes.NewBuffer(b)
	if err := json.Indent(out, o.end(), "", "  "); err != nil {
		return nil, fmt.Errorf("write contract: %w", err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// given adds what there is, in its canonical spelling.
func (o *object) given(key, value string) {
	if value != "" && value != "null" {
		o.raw(key, string(Canonical(value)))
	}
}

// partial names the lists that are known in part.
func (s *Surface) partial() string {
	var names []string
	for _, k := range listKinds() {
		if l := k.in(s); l.Asked && !l.Whole {
			names = append(names, strconv.Quote(k.list))
		}
	}
	if names == nil {
		return ""
	}
	return "[" + strings.Join(names, ",") + "]"
}

// contract lists the entries by their names, and first in each what names it.
func (l *Listing) contract(key string) string {
	entries := make([]Listed, len(l.Entries))
	for i, e := range l.Entries {
		entries[i] = Listed{e.Name, plainOf(e.JSON)}
	}
	slices.SortFunc(entries, func(a, b Listed) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.JSON, b.JSON))
	})
	list := make([]string, len(entries))
	for i, e := range entries {
		if e.JSON != string(Canonical(e.JSON)) {
			list[i] = e.JSON
			continue
		}
		members := objectOf(e.JSON)
		var o object
		if name := members[key]; name != "" {
			o.raw(key, name)
			delete(members, key)
		}
		for _, member := range slices.Sorted(maps.Keys(members)) {
			o.raw(member, members[member])
		}
		list[i] = string(o.end())
	}
	return "[" + strings.Join(list, ",") + "]"
}

// ReadContract reads a contract file. Its errors are ErrNoContract, ErrNewerContract, and others that say what is wrong with it.
func ReadContract(r io.Reader) (*Contract, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read contract: %w", err)
	}
	text, err := contractJSON(strings.TrimPrefix(string(data), "\ufeff"))
	if err != nil {
		return nil, fmt.Errorf("read contract: %w", err)
	}
	members := objectOf(text)
	version := gjson.Parse(members["version"])
	switch {
	case members["reprise"] != `"contract"`:
		return nil, fmt.Errorf("read contract: %w", ErrNoContract)
	case version.Type != gjson.Number || version.Num < 1:
		return nil, errors.New("read contract: no format version")
	case version.Num > ContractVersion:
		return nil, fmt.Errorf("read contract: format version %s: %w", version.Raw, ErrNewerContract)
	}
	s, err := contractSurface(members)
	if err != nil {
		return nil, fmt.Errorf("read contract: %w", err)
	}
	return &Contract{Surface: s, Redaction: members["redaction"]}, nil
}

// contractJSON gives the JSON object of a text without its blanks, or says what keeps it from being one, and in which line.
func contractJSON(text string) (string, error) {
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return "", ErrNoContract
	}
	if depthOf(bytesOf(text)) > MaxDepth {
		return "", fmt.Errorf("nested deeper than %d", MaxDepth)
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal([]byte(text), &json.RawMessage{}); errors.As(err, &syntax) {
		before := text[:min(int(syntax.Offset), len(text))]
		return "", fmt.Errorf("line %d: %w", 1+strings.Count(before, "\n"), err)
	}
	var compact bytes.Buffer
	err := json.Compact(&compact, []byte(text))
	return compact.String(), err
}

func contractSurface(members map[string]string) (*Surface, error) {
	s := &Surface{
		Greeted:  isObject(members["capabilities"]),
		Protocol: members["protocol"], Server: members["server"],
		Instructions: members["instructions"], Capabilities: members["capabilities"],
	}
	partial := namesOf(members["partial"])
	for _, k := range listKinds() {
		raw := members[k.list]
		if raw == "" || raw == "null" {
			continue
		}
		list := gjson.Parse(raw)
		if !list.IsArray() {
			return nil, fmt.Errorf("%s is no list", k.list)
		}
		l := listing([]page{{entries: list.Array()}}, k.key)
		if len(l.Entries) != len(list.Array()) {
			return nil, fmt.Errorf("%s has an entry twice, or one that is no object", k.list)
		}
		l.Whole, l.Ordered = !partial[k.list], false
		*k.in(s) = l
	}
	return s, nil
}
