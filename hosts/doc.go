// Package hosts knows every agent host's config file, puts Reprise in front of one server in it, and takes it out again.
package hosts
