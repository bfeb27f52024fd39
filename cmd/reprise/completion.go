package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

func (p *program) completionCommand() *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "write a completion script for a shell",
		ArgsUsage: "bash|zsh|fish",
		Category:  keepCategory,
		Description: `Examples:
  source <(reprise completion bash)                          in ~/.bashrc
  source <(reprise completion zsh)                           in ~/.zshrc
  reprise completion fish > ~/.config/fish/completions/reprise.fish`,
		Action: atMost(1, func(c *cli.Context) error {
			if !c.Args().Present() {
				return missing("the shell", "reprise completion bash")
			}
			return p.completion(c.Args().First())
		}),
	}
}

func (p *program) completion(shell string) error {
	scripts := map[string]func([]*cli.Command) string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}
	script, ok := scripts[shell]
	if !ok {
		return hint(usage(fmt.Errorf("no completion for shell %q", shell)), "there is one for bash, zsh and fish")
	}
	var visible []*cli.Command
	for _, c := range p.commands() {
		if !c.Hidden {
			p.finish(c)
			visible = append(visible, c)
		}
	}
	_, err := fmt.Fprint(p.stdout, script(visible))
	return err
}

// bashScript completes commands, their flags, and files. Behind a flag that wants a value nothing else can stand.
func bashScript(commands []*cli.Command) string {
	var cases, names strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&names, "%s ", c.Name)
		fmt.Fprintf(&cases, "    %s) words=%q values=%q files=%q wants=%q ;;\n", c.Name, strings.Join(flagWords(c), " "), valuesOf(c), pattern(wanting(c, true)), pattern(wanting(c, false)))
	}
	fmt.Fprintf(&cases, "    help) values=%q ;;\n", strings.TrimSpace(names.String()))
	names.WriteString("help")
	return fmt.Sprintf(`_reprise() {
  local words values files wants cur="${COMP_WORDS[COMP_CWORD]}" before=" ${COMP_WORDS[COMP_CWORD-1]} "
  case "${COMP_WORDS[1]}" in
%s  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W %q -- "$cur"))
  elif [[ "$files" == *"$before"* ]]; then
    COMPREPLY=()
  elif [[ "$wants" == *"$before"* ]]; then
    COMPREPLY=()
    compopt +o default
  elif [[ "$cur" == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$values" -- "$cur"))
  fi
}
complete -o default -F _reprise reprise
`, cases.String(), names.String())
}

func zshScript(commands []*cli.Command) string {
	var cases, names strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&names, "    %s\n", quote(c.Name+":"+c.Usage))
		fmt.Fprintf(&cases, "    %s) flags=(%s) values=(%s) files=(%s) wants=(%s) ;;\n", c.Name, strings.Join(flagWords(c), " "), valuesOf(c),
			strings.Join(wanting(c, true), " "), strings.Join(wanting(c, false), " "))
	}
	return fmt.Sprintf(`#compdef reprise
_reprise() {
  local -a commands flags values files wants
  commands=(
%s  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case $words[2] in
%s  esac
  if (( ${files[(Ie)${words[CURRENT-1]}]} )); then
    _files
  elif (( ${wants[(Ie)${words[CURRENT-1]}]} )); then
    return 1
  elif [[ $PREFIX == -* ]]; then
    compadd -- $flags
  else
    compadd -- $values
    _files
  fi
}
compdef _reprise reprise
`, names.String(), cases.String())
}

func fishScript(commands []*cli.Command) string {
	var b strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&b, "complete -c reprise -n __fish_use_subcommand -a %s -d %s\n", c.Name, quote(c.Usage))
		if values := valuesOf(c); values != "" {
			fmt.Fprintf(&b, "complete -c reprise -n '__fish_seen_subcommand_from %s' -a %s\n", c.Name, quote(values))
		}
		files, wants := wanting(c, true), wanting(c, false)
		for _, name := range longFlags(c) {
			value := ""
			switch {
			case slices.Contains(files, "--"+name):
				value = " -r -F"
			case slices.Contains(wants, "--"+name):
				value = " -x"
			}
			fmt.Fprintf(&b, "complete -c reprise -n '__fish_seen_subcommand_from %s' -l %s%s\n", c.Name, name, value)
		}
	}
	return b.String()
}

// valuesOf are the words, other than files, that may stand behind a command.
func valuesOf(c *cli.Command) string {
	switch {
	case c.Name == "completion":
		return "bash zsh fish"
	case c.Name == "finding":
		return strings.Join(findingVerbs(), " ")
	case strings.HasPrefix(strings.TrimPrefix(c.ArgsUsage, "["), "HOST"):
		return strings.Join(hostIDs(), " ")
	case strings.HasPrefix(strings.TrimPrefix(c.ArgsUsage, "["), "S"):
		return "last"
	}
	return ""
}

// wanting are the flags that want a value: a file, or anything else.
func wanting(c *cli.Command, file bool) (words []string) {
	for _, f := range c.Flags {
		d, ok := f.(cli.DocGenerationFlag)
		if !ok || !d.TakesValue() || file != (strings.Contains(d.GetUsage(), "`PATH`") || strings.Contains(d.GetUsage(), "`FILE`")) {
			continue
		}
		for _, name := range f.Names() {
			words = append(words, "--"[:min(len(name), 2)]+name)
		}
	}
	return words
}

// pattern has a blank on both sides of every word.
func pattern(words []string) string { return " " + strings.Join(words, " ") + " " }

func flagWords(c *cli.Command) []string {
	words := longFlags(c)
	for i := range words {
		words[i] = "--" + words[i]
	}
	return words
}

func longFlags(c *cli.Command) []string {
	listed := slices.DeleteFunc(slices.Clone(c.Flags), func(f cli.Flag) bool {
		_, shown := f.(cli.DocGenerationFlag)
		return !shown
	})
	return slices.DeleteFunc(flagNames(listed), func(name string) bool { return len(name) == 1 })
}

// quote makes a word for a shell. Our texts may have an apostrophe.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
