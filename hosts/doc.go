// Package hosts edits the config files of agent hosts: it puts Reprise in front of one server there, and takes it
// out again.
//
// What it promises: one entry's bytes change and nothing else; a file that cannot be read is not written; what
// another program writes at the same moment is not lost, where the file system can exchange two files; unwrapping
// gives the same bytes, or, where somebody has edited the entry, the same meaning with their edits. What it
// does not: to know every host's every version. The table is what is known of them, and any file can be named.
//
//	Table, Machine     which hosts there are, and where their files lie
//	Parse ▸ Server     what stands in a file: which servers, and what is to be done with each
//	Plan.Do            new bytes for old ones: pure, and may be asked again with newer bytes
//	Store.Edit         the file itself: lock, backup, exchange, a look at what came out
//
// The file is never written from what was understood of it. Parsers give places, edits go to places, and then
// the whole text is read again, by the library's own decoder, and has to say what was intended and no more.
package hosts
