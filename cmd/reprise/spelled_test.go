package main

import "testing"

func TestSpelled(t *testing.T) {
	in := "{\"a\":\"x\u009by\u202ez\u200b grüße 読 🎉\",\"b\":\t1}\n"
	want := `{"a":"x\u009by\u202ez\u200b grüße 読 🎉","b":` + "\t1}" + "\n"
	if got := string(spelled([]byte(in))); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
