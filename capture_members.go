package reprise

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// members reads the members of one object. What is absent reads as the zero
// value; the first member of a wrong kind is the error.
type members struct {
	raw string
	all []member
	err error
}

type member struct {
	key, value gjson.Result
	known      bool
}

func membersOf(text []byte) (*members, error) {
	m := &members{}
	return m, m.read(text)
}

// read reads an object in the place of the one before.
func (m *members) read(text []byte) error {
	if len(text) > MaxDepth && depthOf(text) > MaxDepth+8 {
		return errors.New("nested too deep")
	}
	object := gjson.Parse(view(text))
	if !gjson.Valid(view(text)) || !object.IsObject() {
		return errors.New("no valid JSON object")
	}
	m.raw, m.all, m.err = object.Raw, m.all[:0], nil
	object.ForEach(func(k, v gjson.Result) bool {
		m.all = append(m.all, member{key: k, value: v})
		return true
	})
	return nil
}

// get finds a member, the last of duplicates, and marks it as known.
func (m *members) get(key string) gjson.Result {
	var value gjson.Result
	for i := range m.all {
		if m.all[i].key.Str == key {
			m.all[i].known, value = true, m.all[i].value
		}
	}
	return value
}

func (m *members) has(key string) bool {
	for i := range m.all {
		if m.all[i].key.Str == key {
			return true
		}
	}
	return false
}

func (m *members) fail(key, what string) {
	if m.err == nil {
		m.err = fmt.Errorf("%s is %s", key, what)
	}
}

func (m *members) text(key string) string {
	v := m.get(key)
	if !v.Exists() {
		return ""
	}
	var s string
	if v.Type == gjson.String && isPlainText(v) {
		return strings.Clone(v.Str)
	}
	if v.Type != gjson.String || json.Unmarshal([]byte(v.Raw), &s) != nil {
		m.fail(key, "no string")
	}
	return s
}

// isPlainText says whether a string stands in the JSON as it is: almost all do.
func isPlainText(v gjson.Result) bool {
	if len(v.Raw) != len(v.Str)+2 {
		return false
	}
	for i := range len(v.Str) {
		if v.Str[i] >= 0x80 || v.Str[i] == '\\' {
			return false
		}
	}
	return true
}

func (m *members) whole(key string) int64 {
	v := m.get(key)
	if !v.Exists() {
		return 0
	}
	n, err := strconv.ParseInt(v.Raw, 10, 64)
	if err != nil {
		m.fail(key, "no whole number")
	}
	return n
}

func (m *members) truth(key string) bool {
	v := m.get(key)
	if v.Exists() && !v.IsBool() {
		m.fail(key, "neither true nor false")
	}
	return v.Bool()
}

// seconds reads seconds as exact nanoseconds.
func (m *members) seconds(key string) time.Duration {
	v := m.get(key)
	if !v.Exists() {
		return 0
	}
	if d, ok := shortSeconds(v.Raw); ok {
		return d
	}
	n, ok := number(v.Raw)
	if !ok {
		m.fail(key, "no number of seconds")
		return 0
	}
	n.Mul(n, big.NewRat(1e9, 1))
	ns := new(big.Int).Quo(n.Num(), n.Denom())
	if !ns.IsInt64() {
		m.fail(key, "too many seconds")
	}
	return time.Duration(ns.Int64())
}

// shortSeconds reads what we write ourselves: up to nine digits on both sides of the point.
func shortSeconds(text string) (time.Duration, bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	if whole == "" || len(whole) > 9 || len(fraction) > 9 || strings.Trim(whole+fraction, "0123456789") != "" {
		return 0, false
	}
	ns, _ := strconv.ParseInt(whole+(fraction + "000000000")[:9], 10, 64)
	return time.Duration(ns), true
}

func (m *members) object(key string) (*members, error) {
	v := m.get(key)
	if !v.IsObject() {
		return nil, fmt.Errorf("%s is no object", key)
	}
	return membersOf([]byte(v.Raw))
}

func (m *members) list(key string) []string {
	v := m.get(key)
	if v.Exists() && !v.IsArray() {
		m.fail(key, "no list")
		return nil
	}
	var all []string
	for _, item := range v.Array() {
		all = append(all, item.Raw)
	}
	return all
}

// data reads the bytes of a frame or of output, from text, base64 or frame.
func (m *members) data() []byte {
	contents := 0
	for _, key := range []string{"text", "base64", "frame"} {
		if m.has(key) {
			contents++
		}
	}
	switch {
	case contents != 1:
		m.fail("the line", "not of one content")
		return nil
	case m.has("text"):
		return []byte(m.text("text"))
	case m.has("base64"):
		data, err := base64.StdEncoding.DecodeString(m.text("base64"))
		if err != nil {
			m.fail("base64", "no base64")
		}
		return data
	}
	return []byte(m.get("frame").Raw)
}

// unknown gives the members that nobody asked for, each with a comma in front, or nil.
func (m *members) unknown() []byte {
	var b []byte
	for _, mem := range m.all {
		if !mem.known {
			b = append(append(append(append(b, ','), mem.key.Raw...), ':'), mem.value.Raw...)
		}
	}
	return b
}
