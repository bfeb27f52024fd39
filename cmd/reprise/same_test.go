package main

import "testing"

func TestSameLine(t *testing.T) {
	const ours = `{"n":12,"token":"a\"b","text":"x secret y other z","last":"q"}`
	for line, want := range map[string]bool{
		ours: true,
		`{"n":"«redacted:own:1»","token":"«redacted:token:1»","text":"x «redacted:a-b:1» y «redacted:own:2» z","last":"«redacted:own:3»"}`: true,
		`{"n":12,"token":"a\"b","text":"«redacted:own:1»«redacted:own:2»","last":"q"}`:                                                     true,
		`{"n":12,"token":"«redacted:token:1»","last":"q"}`:                                                                                 false, // a member is gone
		`{"n":12,"token":"a\"b","text":"x «redacted:own:1» z","last":"q","more":1}`:                                                        false,
		`{"n":12,"token":"a\"b","text":"«redacted:own:1» Y","last":"q"}`:                                                                   false,
		`{"n":12`: false,
		"":        false,
	} {
		if got := sameLine(line, ours, true); got != want {
			t.Errorf("%s is the same: %v, want %v", line, got, want)
		}
	}
	if sameLine(`{"n":"«redacted:own:1»"}`, `{"n":"x"}`, false) {
		t.Error("a placeholder stands for something in a file that is not redacted")
	}
}
