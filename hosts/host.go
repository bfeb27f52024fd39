package hosts

// Host is one row of the table: what is known of an agent host's config files. It is data alone.
type Host struct {
	ID      string   // "claude-desktop": what is typed, and what `record --host` gets
	Aliases []string // what is typed too
	Label   string   // "Claude Desktop"
	Places  []Place  // a user's before a project's
	Shape   Shape

	Advice   string // what to do after a change, one sentence: restart it, refresh it
	Approval string // what it may ask again, or refuse, when an entry changes; "" if nothing is known
	Trust    string // the same, where it asks for a project's entries only
	Note     string // what cannot be wrapped there, or has to be known; ""
	OwnNode  bool   // it can run node and npx with a Node of its own, where the command is one of them
}

// Scope is whose a config file is.
type Scope string

const (
	User    Scope = "user"    // this user's, on this machine
	Project Scope = "project" // a folder's, and often shared through git
	System  Scope = "system"  // the machine's, written by an administrator
)

// Place is where a config file may be.
//
// Path is a template with slashes on every system, and may have `*` as or in one of its steps. It begins with
//
//	~               the home folder
//	{support}       the folder for applications' data: %APPDATA%, ~/Library/Application Support, {config}
//	{config}        $XDG_CONFIG_HOME or ~/.config, on every system
//	{appdata}, {localappdata}, {programdata}, {programfiles}   folders of Windows
//	{project}       the current folder, or the nearest above it that has the file
//	{$NAME}         a variable's value; the place is none when it has none
//	{$NAME|~/x}     a variable's value, or that path when it has none
//	/               the root
type Place struct {
	OS    string // "" for all, else a GOOS; "unix" for all but windows
	Scope Scope
	Path  string
	Shape *Shape // when it is not the host's

	// Instead says that only the first file there is of all with the same word is read by the host. The others are shown, and not edited.
	Instead string
	Note    string // shown with the file: "the form before version 1.102"
}

// Shape is where servers stand in a file, and how one is written.
type Shape struct {
	Format     Format
	Containers [][]string // keys down to the servers; "*" is any key. A list of servers has their names in `name`.
	Command    [][]string // keys in an entry down to the command: a string, or a list with the arguments
	Args       string     // the key beside the command
	URL        []string   // keys that make it a remote server
	Off        []string   // keys that switch a server off: "disabled", "!enabled" (off when false)
	Doubts     []Doubt
	List       bool     // an entry's command is usually one list with its arguments
	Shell      bool     // the host splits a command that is a text as a shell does
	Named      bool     // servers are usually a list, with their names in it
	Fixed      []string // settings that a new entry has to have, as they are spelt
	FirstOnly  bool     // only the first container counts that has servers
}

// Doubt is why a server should not be wrapped unasked: its entry has something at the keys that is neither false nor null.
type Doubt struct {
	Keys []string
	Why  string
}
