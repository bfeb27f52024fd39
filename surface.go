package reprise

// Surface is what a server offers: what it calls itself, and its tools, prompts, resources and templates.
type Surface struct {
	// Greeted says that the server's answer to initialize or server/discover is known: what follows is of it.
	Greeted      bool
	Protocol     string // version
	Server       string // raw JSON of serverInfo; "" where absent, as below
	Instructions string // raw JSON
	Capabilities string // raw JSON

	Tools, Prompts, Resources, Templates Listing
}

// Listing is what is known of one of the server's lists.
type Listing struct {
	// Asked says that at least one page of it is known.
	Asked bool
	// Whole says that it was walked to its end: what is not in it is not there.
	Whole bool
	// Entries are in the server's order, each name once: the last counts.
	Entries []Listed
}

// Listed is a tool, prompt, resource or template as it stands in its list.
type Listed struct {
	Name string // or uri, or uriTemplate
	JSON string // raw
}

// Find gives the raw JSON of an entry, "" where there is none of that name.
func (l *Listing) Find(name string) string {
	for i := range l.Entries {
		if l.Entries[i].Name == name {
			return l.Entries[i].JSON
		}
	}
	return ""
}

// SurfaceOf reads the surface that a capture shows: of each list the latest that was walked to its end.
func SurfaceOf(c *Capture) *Surface {
	return &Surface{}
}
