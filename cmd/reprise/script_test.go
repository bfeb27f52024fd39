package main

import (
	"os"
	"path/filepath"
	"testing"

	"reprise/fixtures/fixturetest"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"reprise": main})
}

// TestScripts runs testdata/*.txtar, which are meant to be read as a manual.
func TestScripts(t *testing.T) {
	servers := filepath.Dir(fixturetest.Bin(t, "fixture"))
	fixturetest.Bin(t, "tracker") // beside it
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", e.Getenv("PATH")+string(os.PathListSeparator)+servers)
			e.Setenv("REPRISE_DB", filepath.Join(e.WorkDir, "state", "reprise.db"))
			e.Setenv("COLUMNS", "80")
			e.Setenv("TZ", "UTC")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "mode": mode, "edit": edit},
	})
}
