package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"reprise/analysis"
	"reprise/recorder"

	"github.com/urfave/cli/v2"
)

func (p *program) findingCommand() *cli.Command {
	return &cli.Command{
		Name:      "finding",
		Usage:     "say that a finding is mended, and have it watched",
		ArgsUsage: "claim F… | release F… | list",
		Category:  judgeCategory,
		Description: "F is the fingerprint that `reprise analyze` shows, or four digits of it or more.\n" +
			`Three sessions that exercise the place of a claimed finding without it close it;
one that shows it again opens it again. release takes a claim back, list has
those that there are. docs/findings.md tells more.

Examples:
  reprise finding claim 3f2a91
  reprise finding list
  reprise finding release 3f2a91`,
		Action: func(c *cli.Context) error {
			return p.finding(c.Context, sharedOptions(c), c.Args().First(), c.Args().Tail())
		},
	}
}

// finding does what its first word says.
func (p *program) finding(ctx context.Context, o shared, verb string, words []string) error {
	const example = "reprise finding claim 3f2a91"
	switch {
	case verb == "":
		return missing("claim, release or list", example)
	case verb == "list" && len(words) > 0:
		return hint(usage(fmt.Errorf("unexpected argument %q", words[0])), "`reprise finding list` lists every claim")
	case verb == "list":
		return p.withDatabase(ctx, o, p.listClaims)
	case verb != "claim" && verb != "release":
		err := usage(fmt.Errorf("no such thing to do: %q", verb))
		if near := nearest(verb, findingVerbs()); near != "" {
			return hint(err, "did you mean `reprise finding %s`?", near)
		}
		return hint(err, "it is claim, release or list")
	case len(words) == 0:
		return missing("the fingerprint of a finding", "reprise finding "+verb+" 3f2a91")
	}
	refs, err := fingerprintRefs(words)
	if err != nil {
		return err
	}
	return p.withDatabase(ctx, o, func(ctx context.Context, o shared, db *recorder.DB) error {
		if verb == "claim" {
			return p.claim(ctx, o, db, refs)
		}
		return p.release(ctx, o, db, refs)
	})
}

// findingVerbs are the words that may stand behind `finding`.
func findingVerbs() []string { return []string{"claim", "release", "list"} }

func (p *program) withDatabase(ctx context.Context, o shared, do func(context.Context, shared, *recorder.DB) error) error {
	db, err := p.openThere(ctx, o)
	if err != nil {
		return err
	}
	defer db.Close()
	return do(ctx, o, db)
}

const (
	fingerprintDigits = 12
	fewestDigits      = 4 // that may stand for a fingerprint
)

// fingerprintRefs are fingerprints and beginnings of them as they were typed.
func fingerprintRefs(words []string) (refs []string, err error) {
	for _, word := range words {
		ref := strings.ToLower(word)
		if !regexp.MustCompile(fmt.Sprintf(`^[0-9a-f]{%d,%d}$`, fewestDigits, fingerprintDigits)).MatchString(ref) {
			return nil, hint(usage(fmt.Errorf("%q is no fingerprint", word)), "it has %d digits from 0 to f, of which the first %d may do", fingerprintDigits, fewestDigits)
		}
		refs = append(refs, ref)
	}
	return refs, nil
}

// resolve gives the fingerprints that are meant, each once. A whole one need not be among the known.
func resolve(refs, known []string, elsewhere string) (meant []string, err error) {
	for _, ref := range refs {
		var found []string
		for _, one := range known {
			if strings.HasPrefix(one, ref) {
				found = append(found, one)
			}
		}
		switch {
		case len(ref) == fingerprintDigits:
			found = []string{ref}
		case len(found) == 0:
			return nil, hint(usage(fmt.Errorf("no finding begins with %s", ref)), "%s", elsewhere)
		case len(found) > 1:
			slices.Sort(found)
			return nil, hint(usage(fmt.Errorf("%s begins %d findings", ref, len(found))), "say more of it: %s", strings.Join(few(found, 4), ", "))
		}
		if !slices.Contains(meant, found[0]) {
			meant = append(meant, found[0])
		}
	}
	return meant, nil
}

// claim notes that findings are mended as of now. All are known before the first is noted.
func (p *program) claim(ctx context.Context, o shared, db *recorder.DB, refs []string) error {
	known, err := p.findings(ctx, o, db)
	if err != nil {
		return err
	}
	meant, err := resolve(refs, slices.Collect(maps.Keys(known)), "`reprise analyze --since 90d` shows them; a whole fingerprint is taken as it is")
	if err != nil {
		return err
	}
	screen, now := p.screen(o), p.now().UTC()
	for _, fingerprint := range meant {
		found, ok := known[fingerprint]
		if !ok {
			p.warn(o, fmt.Sprintf("no session of the last 90 days shows the finding %s: claimed all the same", fingerprint))
		}
		if err := db.Claim(ctx, fingerprint, now); err != nil {
			return errors.Join(err, screen.Flush())
		}
		if err := screen.claimed(o, fingerprint, now, found); err != nil {
			return err
		}
	}
	return screen.Flush()
}

func (s *screen) claimed(o shared, fingerprint string, at time.Time, found analysis.Finding) error {
	switch {
	case o.json:
		return claimRow(fingerprint, at).writeTo(s)
	case found.Rule == "":
		s.note("%s is claimed.", fingerprint)
	default:
		s.note("%s is claimed: %s", fingerprint, short(strings.TrimSpace(found.Rule+" "+found.Tool)))
	}
	return nil
}

// release takes claims back.
func (p *program) release(ctx context.Context, o shared, db *recorder.DB, refs []string) error {
	const elsewhere = "`reprise finding list` lists what is claimed"
	claims, err := db.Claims(ctx)
	if err != nil {
		return err
	}
	meant, err := resolve(refs, slices.Collect(maps.Keys(claims)), elsewhere)
	if err != nil {
		return err
	}
	for _, fingerprint := range meant {
		if _, ok := claims[fingerprint]; !ok {
			return hint(usage(fmt.Errorf("%s is not claimed", fingerprint)), elsewhere)
		}
	}
	screen := p.screen(o)
	for _, fingerprint := range meant {
		if err := db.Unclaim(ctx, fingerprint); err != nil {
			return errors.Join(err, screen.Flush())
		}
		if o.json {
			claimRow(fingerprint, time.Time{}).writeTo(screen)
		} else {
			screen.note("%s is no longer claimed.", fingerprint)
		}
	}
	return screen.Flush()
}

// listClaims lists every claim, the newest first.
func (p *program) listClaims(ctx context.Context, o shared, db *recorder.DB) error {
	claims, err := db.Claims(ctx)
	if err != nil {
		return err
	}
	list := slices.SortedFunc(maps.Keys(claims), func(a, b string) int {
		return cmp.Or(claims[b].Compare(claims[a]), strings.Compare(a, b))
	})
	screen := p.screen(o)
	for _, fingerprint := range list {
		if o.json {
			claimRow(fingerprint, claims[fingerprint]).writeTo(screen)
		} else {
			screen.line("%s  claimed %s", fingerprint, claims[fingerprint].Local().Format(time.DateTime))
		}
	}
	if len(list) == 0 && !o.json {
		screen.note("No finding is claimed.")
	}
	return screen.Flush()
}

// claimRow is a claim as JSON.
func claimRow(fingerprint string, at time.Time) *object {
	row := newObject()
	row.set("fingerprint", fingerprint)
	row.moment("claimed_at", at)
	return row
}

// findingAge is how far back findings are looked for: as long as sessions are kept.
const findingAge = "90d"

// findings analyses the sessions that agents made lately, and gives what they show by fingerprint.
func (p *program) findings(ctx context.Context, o shared, db *recorder.DB) (map[string]analysis.Finding, error) {
	list, err := p.chosenSubjects(ctx, db, "since:"+findingAge)
	if err != nil {
		return nil, err
	}
	found := map[string]analysis.Finding{}
	_, err = p.judgeAll(ctx, analyzeOptions{shared: o}, inTime(list), analysis.Options{History: &analysis.History{}}, func(r *analysis.Report) error {
		for _, f := range r.Findings {
			found[f.Fingerprint] = f
		}
		return nil
	})
	return found, err
}
