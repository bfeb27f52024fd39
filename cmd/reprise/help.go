package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// Categories group the commands in the help text, in this order.
const (
	recordCategory = "Record"
	lookCategory   = "Look"
	playCategory   = "Play"
	judgeCategory  = "Judge"
	moveCategory   = "Share"
	keepCategory   = "Keep"
)

// welcome is what `reprise` alone says.
const welcome = `Reprise records every exchange between an MCP host and an MCP server.

  reprise demo                  see it work, with nothing installed
  reprise record -- COMMAND     what to put where your host has the server's command
  reprise sessions              what was recorded
  reprise show last             the newest session, call by call
  reprise help                  everything else

`

const appHelpFoot = `
A session S is an id, the beginning of one, ` + "`last`" + `, or a capture file.
A FILTER is made of terms such as tool:get_* status:*error dur:>500ms "a text".
` + "`reprise help COMMAND`" + ` tells more of one.
`

// appHelp is the help of the whole program.
func appHelp(commands []*cli.Command) string {
	var b strings.Builder
	b.WriteString("Reprise records every exchange between an MCP host and an MCP server.\n\nUsage: reprise COMMAND [FLAG…] [ARGUMENT…]\n")
	for _, category := range []string{recordCategory, lookCategory, playCategory, judgeCategory, moveCategory, keepCategory} {
		fmt.Fprintf(&b, "\n%s\n", category)
		for _, c := range commands {
			if c.Category == category && !c.Hidden {
				fmt.Fprintf(&b, "  %-12s %s\n", c.Name, c.Usage)
			}
		}
	}
	b.WriteString("\nOn every command, before or after its arguments\n")
	describeFlags(&b, sharedFlags())
	b.WriteString(appHelpFoot)
	return literally(b.String())
}

// commandHelp is the help of one command.
func commandHelp(c *cli.Command, flags []cli.Flag) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nUsage: %s\n", sentence(c.Usage), strings.TrimSpace("reprise "+c.Name+" "+c.ArgsUsage))
	if c.Description != "" {
		fmt.Fprintf(&b, "\n%s\n", c.Description)
	}
	if len(flags) > 0 {
		b.WriteString("\nFlags\n")
		describeFlags(&b, flags)
	}
	b.WriteString("\nOn every command\n")
	describeFlags(&b, sharedFlags())
	return literally(b.String())
}

func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] + "." }

// describeFlags writes a line for each flag. Its usage names the value `LIKE THIS` and, where it matters, the default.
func describeFlags(b *strings.Builder, flags []cli.Flag) {
	for _, f := range flags {
		d, ok := f.(cli.DocGenerationFlag)
		if !ok {
			continue
		}
		name := "--" + f.Names()[0]
		text := d.GetUsage()
		if parts := strings.SplitN(text, "`", 3); len(parts) == 3 {
			name += " " + parts[1]
			text = parts[0] + parts[1] + parts[2]
		}
		for _, alias := range f.Names()[1:] {
			name += ", -" + alias
		}
		fmt.Fprintf(b, "  %-18s %s\n", name, text)
	}
}

// literally keeps a text from being read as the template that urfave/cli takes it for.
func literally(text string) string { return strings.ReplaceAll(text, "{{", "{{`{{`}}") }
