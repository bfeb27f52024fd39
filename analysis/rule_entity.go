package analysis

import (
	"cmp"
	"fmt"
	"strings"

	"reprise"
)

var crossEntity = &Analyzer{
	Name: "cross-entity",
	Doc: "A call failed on an identifier that an earlier result had given for something else: the id of a team where that of a project is asked for. " +
		"Calls that succeed are left alone, for then the two are the same thing. Source: S25.",
	Severity: Medium,
	Sphere:   OfCalls,
	Run: func(p *Pass) {
		kept, room := holdBack(p), placeRoom{}
		p.Calls(func(e *Exchange) {
			if !plainCall(e) || !e.Status.Failed() {
				return
			}
			for _, u := range e.Uses {
				if place := withoutIndices(u.Path); crossedUse(u) && faultOf(e, u) && room.room(e.Name, place) {
					kept.add(crossedFinding(e, u, place, p.judge.ledger.gave(u)))
				}
			}
		})
	},
}

// crossedUse says whether an argument is the identifier of another entity than the one it asks for. A short number may be
// the same by chance, one that may have changed since proves nothing, and a text or a list of names may speak of anything.
func crossedUse(u *reprise.Use) bool {
	chance := len(u.JSON) < 3 || u.JSON[0] != '"' && len(u.JSON) < 4
	return u.Source == reprise.SourceHarvested && u.Relation == reprise.RelationOther && u.Ground == "" && !u.Stale && !chance &&
		u.ValueEntity != "" && pinpoints(u) && idKey(u.Path) && idKey(u.ValuePath)
}

func crossedFinding(e *Exchange, u *reprise.Use, place string, birth *entry) Finding {
	source, seqs := "an earlier result", []int64{u.ValueSeq, e.Seq, e.Response}
	if birth != nil {
		source, seqs = quote(birth.tool), append(seqs, birth.seq)
	}
	entity, key := u.ValueEntity, cmp.Or(keyName(u.ValuePath), "id")
	return Finding{
		Tool:  e.Name,
		Place: place,
		What: fmt.Sprintf("%s failed on %s %s, which %s had given as the %s of the entity %s: %s.",
			quote(e.Name), shownPath(place), shownValue(u.JSON), source, shownPath(key), shownPath(entity), quote(strings.TrimSpace(e.Said()))),
		Consequence: fmt.Sprintf("The agent took the identifier of one thing (%s) for that of another, and the failure looks like a broken look-up.", shownPath(entity)),
		Suggestion: fmt.Sprintf("Name identifiers in results after what they identify, and say in the description of %s which tool gives its values.",
			shownPath(place)),
		Evidence: seqs,
	}
}

// keyName is the last member of a path, as it is spelt.
func keyName(path string) string {
	if end := strings.IndexByte(path, '['); end > 0 && strings.HasSuffix(path, "]") {
		path = path[:end]
	}
	return path[strings.LastIndexByte(path, '.')+1:]
}
