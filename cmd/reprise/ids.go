package main

import (
	"context"
	"slices"

	"reprise"
	"reprise/recorder"
)

// shortID is as much of a UUIDv7 as holds its milliseconds.
const shortID = 13

// idsIn gives for each id of the database as much of it as is shown.
func idsIn(ctx context.Context, db *recorder.DB) (map[string]string, error) {
	var ids []string
	for s, err := range db.Sessions(ctx, &reprise.Filter{}) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, s.ID)
	}
	return shortIDs(ids), nil
}

// shortIDs cuts each id to what tells it from all the others, and will do so
// tomorrow: the whole timestamp, and more where several began in the same millisecond.
func shortIDs(ids []string) map[string]string {
	slices.Sort(ids)
	short := make(map[string]string, len(ids))
	for i, id := range ids {
		n := shortID
		if i > 0 {
			n = max(n, 1+alike(id, ids[i-1]))
		}
		if i+1 < len(ids) {
			n = max(n, 1+alike(id, ids[i+1]))
		}
		short[id] = id[:min(n, len(id))]
	}
	return short
}

// alike is how many bytes at their beginnings are the same.
func alike(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
