package hosts

// Memo is what is remembered of one config file: what each wrap replaced, to the byte. Nothing depends on it but
// that: what stands behind `--` in a wrapped entry is the original.
type Memo struct {
	File   string `json:"file"`             // the config file, links followed
	Wraps  []Wrap `json:"wraps"`            // one for each wrapped server
	Backup string `json:"backup,omitempty"` // the file as it was before the first wrap: a name in the folder of backups
}

// Wrap is what one server's entry had before and has now.
type Wrap struct {
	Container []string `json:"container"`
	Server    string   `json:"server"`
	Binary    string   `json:"binary"`  // the reprise that the entry runs
	Command   Piece    `json:"command"` // at the command's value
	Args      Piece    `json:"args"`    // at the first item of the list of arguments; both empty where there was no list
}

// Piece is a text that took the place of another.
type Piece struct {
	Wrapped  string `json:"wrapped"`
	Original string `json:"original"`
}
