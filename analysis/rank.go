package analysis

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"reprise/analysis/stats"
)

// Cluster is a finding as many sessions show it.
type Cluster struct {
	// Finding is worded as the latest session has it; its Evidence and Count are of that one alone.
	Finding Finding
	Server  string
	Hosts   []string // that the sessions with it came from, in alphabetical order
	// Sessions are those with it, of those that Exercised its place: only they could show it.
	Sessions, Exercised int
	// Count is how many times it happened in all.
	Count int
	// First and Last are when the first and the last session with it began; zero where nobody knows.
	First, Last time.Time
	// Latest is the id of the last session with it, which Finding's Evidence is from.
	Latest string
	// Lower is the lower bound of Sessions ÷ Exercised (Wilson, 95 %).
	Lower float64
	Rank  float64
	State State
}

// halfLife is how long it takes for a finding that nobody sees any more to weigh half.
const halfLife = 14 * 24 * time.Hour

// rank weighs how surely a finding comes back, how fresh it is, and how widely it is seen.
func rank(lower float64, age time.Duration, hosts, servers int) float64 {
	fresh := math.Exp2(-float64(age) / float64(halfLife))
	return lower * fresh * (1 + math.Log2(float64(max(hosts*servers, 1))))
}

// sortClusters puts what matters most first.
func sortClusters(list []Cluster) {
	slices.SortFunc(list, func(a, b Cluster) int {
		return cmp.Or(cmp.Compare(b.Rank, a.Rank), strings.Compare(a.Finding.Fingerprint, b.Finding.Fingerprint))
	})
}

// Clusters are the findings of all sessions by fingerprint, the highest rank first. Their age is measured from the newest session,
// not from the clock. claims are by fingerprint too.
func (s *Survey) Clusters(claims map[string]Claim) []Cluster {
	list := make([]Cluster, 0, len(s.clusters))
	for fingerprint, k := range s.clusters {
		c, seen := s.cluster(k), s.sightings(k)
		c.Exercised, c.State = len(seen), Open
		if claim, ok := claims[fingerprint]; ok {
			c.State = stateOf(&claim, seen)
		}
		s.rank(&c)
		list = append(list, c)
	}
	sortClusters(list)
	return list
}

// cluster counts what is known of one finding.
func (s *Survey) cluster(k *clusterSums) Cluster {
	c := Cluster{Finding: k.finding, Server: k.server, Sessions: len(k.with), Count: k.count}
	hosts := map[string]bool{}
	for _, i := range k.with {
		session := &s.sessions[i]
		hosts[session.Host] = true
		if at := session.Started; !at.IsZero() {
			c.First, c.Last = earlier(c.First, at), later(c.Last, at)
		}
		c.Latest = session.ID
	}
	for host := range hosts {
		c.Hosts = append(c.Hosts, host)
	}
	slices.Sort(c.Hosts)
	return c
}

// rank ranks a cluster with all its numbers.
func (s *Survey) rank(c *Cluster) {
	in, _ := stats.Wilson(stats.Tally{Passed: c.Sessions, Runs: c.Exercised}) // that a session shows it is no success, but counted alike
	age := time.Duration(0)
	if !c.Last.IsZero() {
		age = s.newest.Sub(c.Last)
	}
	c.Lower = in.Lower
	c.Rank = rank(in.Lower, age, len(c.Hosts), 1) // a fingerprint is of one server
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
