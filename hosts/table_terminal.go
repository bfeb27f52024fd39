package hosts

import "slices"

// terminalHosts are the agents of the command line.
func terminalHosts() []Host {
	return []Host{claudeCode(), codex(), geminiCLI(), openCode(), copilotCLI(), amp(), factory(), kimi(), mistralVibe()}
}

func claudeCode() Host {
	shape := mcpServers()
	one := shape
	shape.Containers = append(shape.Containers, []string{"projects", "*", "mcpServers"})
	managed := slices.Concat(
		on("linux", system("/etc/claude-code/managed-mcp.json")),
		on("darwin", system("/Library/Application Support/ClaudeCode/managed-mcp.json")),
		on("windows", system("{programfiles}/ClaudeCode/managed-mcp.json")),
	)
	return Host{
		ID: "claude-code", Label: "Claude Code",
		Places: slices.Concat(user("{$CLAUDE_CONFIG_DIR|~}/.claude.json"), with(&one, project(".mcp.json")), with(&one, managed)),
		Shape:  shape,
		Advice: newSession,
		Trust:  "It may ask again whether to use a server of .mcp.json, because the entry has changed.",
		Note: "Running sessions write ~/.claude.json all the time: end them first if you can. Servers of plugins cannot be wrapped. " +
			"Copilot CLI, Kimi, Qoder CLI and VS Code can read .mcp.json too.",
	}
}

func codex() Host {
	const folder = "{$CODEX_HOME|~/.codex}"
	return Host{
		ID: "codex", Aliases: []string{"codex-cli"}, Label: "Codex",
		Places: slices.Concat(
			user(folder+"/config.toml"),
			noted("a profile", user(folder+"/*.config.toml")),
			project(".codex/config.toml"),
			on("unix", system("/etc/codex/config.toml")),
			on("windows", system("{programdata}/OpenAI/Codex/config.toml")),
		),
		Shape: Shape{
			Format:     TOML,
			Containers: [][]string{{"mcp_servers"}},
			Command:    [][]string{{"command"}},
			Args:       "args",
			URL:        []string{"url"},
			Off:        []string{"!enabled"},
		},
		Advice: newSession,
		Note:   trusted + " `codex mcp add` writes all entries anew and drops comments. A server has 10 seconds to start.",
	}
}

func geminiCLI() Host {
	const settings = "{$GEMINI_CLI_SYSTEM_SETTINGS_PATH|"
	const defaults = "{$GEMINI_CLI_SYSTEM_DEFAULTS_PATH|"
	return Host{
		ID: "gemini-cli", Aliases: []string{"gemini"}, Label: "Gemini CLI",
		Places: slices.Concat(
			user("{$GEMINI_CLI_HOME|~}/.gemini/settings.json"),
			project(".gemini/settings.json"),
			on("linux", system(settings+"/etc/gemini-cli/settings.json}", defaults+"/etc/gemini-cli/system-defaults.json}")),
			on("darwin", system(settings+"/Library/Application Support/GeminiCli/settings.json}", defaults+"/Library/Application Support/GeminiCli/system-defaults.json}")),
			on("windows", system(settings+"{programdata}/gemini-cli/settings.json}", defaults+"{programdata}/gemini-cli/system-defaults.json}")),
		),
		Shape:  mcpServers(),
		Advice: newSession,
		Note: trusted + " Servers of extensions cannot be wrapped. " +
			"Variables whose names look secret reach the server only when they are in the entry's env.",
	}
}

func openCode() Host {
	shape := Shape{
		Format:     JSON,
		Containers: [][]string{{"mcp"}},
		Command:    [][]string{{"command"}},
		Args:       "args",
		URL:        []string{"url"},
		Off:        []string{"!enabled"},
		List:       true,
		Fixed:      []string{`"type": "local"`},
	}
	shared := mcpServers("disabled")
	return Host{
		ID: "opencode", Aliases: []string{"open-code"}, Label: "opencode",
		Places: slices.Concat(
			user("{config}/opencode/opencode.jsonc", "{config}/opencode/opencode.json", "{config}/opencode/config.json"),
			user("~/.opencode/opencode.jsonc", "~/.opencode/opencode.json"),
			user("{$OPENCODE_CONFIG}", "{$OPENCODE_CONFIG_DIR}/opencode.jsonc", "{$OPENCODE_CONFIG_DIR}/opencode.json"),
			noted("named by some", on("windows", user(
				"{appdata}/opencode/opencode.jsonc", "{appdata}/opencode/opencode.json",
				"{localappdata}/opencode/opencode.jsonc", "{localappdata}/opencode/opencode.json",
			))),
			project("opencode.jsonc", "opencode.json", ".opencode/opencode.jsonc", ".opencode/opencode.json"),
			with(&shared, project(".agents/mcp.json")),
			on("linux", system("/etc/opencode/opencode.jsonc", "/etc/opencode/opencode.json")),
			on("darwin", system("/Library/Application Support/opencode/opencode.jsonc", "/Library/Application Support/opencode/opencode.json")),
			on("windows", system("{programdata}/opencode/opencode.jsonc", "{programdata}/opencode/opencode.json")),
		),
		Shape:  shape,
		Advice: newSession,
		Trust:  "It may ask for approval of a project's server again, because the entry has changed.",
		Note:   "opencode reads all its files: where .jsonc and .json have the same server, that of .jsonc counts. Other hosts read .agents/mcp.json too.",
	}
}

func copilotCLI() Host {
	shape := mcpServers()
	shape.Fixed = []string{`"type": "local"`, `"tools": ["*"]`}
	return Host{
		ID: "copilot-cli", Aliases: []string{"copilot", "github-copilot"}, Label: "GitHub Copilot CLI",
		Places: slices.Concat(user("{$COPILOT_HOME|~/.copilot}/mcp-config.json"), project(".mcp.json", ".github/mcp.json")),
		Shape:  shape,
		Advice: newSession,
		Note:   "Claude Code and others read .mcp.json too, VS Code this host's own file. Of the environment a server gets only PATH and what its entry names.",
	}
}

func amp() Host {
	// The dot is part of the key.
	shape := mcpServers().in([]string{"amp.mcpServers"})
	return Host{
		ID: "amp", Label: "Amp",
		Places: slices.Concat(
			on("unix", user("~/.config/amp/settings.json", "~/.config/amp/settings.jsonc")),
			on("windows", user("{appdata}/amp/settings.json", "{appdata}/amp/settings.jsonc")),
			noted("named by some", on("windows", user("~/.config/amp/settings.json"))),
			project(".amp/settings.json", ".amp/settings.jsonc"),
		),
		Shape:  *shape,
		Advice: newSession,
		Trust:  "It may ask for approval of a project's server again, because the entry has changed.",
		Note:   "In an editor Amp reads amp.mcpServers in the editor's settings.json: name that file with --config.",
	}
}

func factory() Host {
	return Host{
		ID: "factory", Aliases: []string{"droid", "factory-droid"}, Label: "Factory Droid",
		Places: slices.Concat(user("~/.factory/mcp.json"), project(".factory/mcp.json")),
		Shape:  mcpServers("disabled"),
		Advice: "Droid reads the file again by itself; start a new session when it does not.",
	}
}

func kimi() Host {
	return Host{
		ID: "kimi", Aliases: []string{"kimi-cli", "kimi-code"}, Label: "Kimi Code",
		Places: slices.Concat(
			user("{$KIMI_CODE_HOME|~/.kimi-code}/mcp.json"),
			noted("kimi-cli", user("{$KIMI_SHARE_DIR|~/.kimi}/mcp.json")),
			project(".kimi-code/mcp.json"),
		),
		Shape:  mcpServers("!enabled"),
		Advice: newSession,
		Note:   trusted + " Kimi also reads a project's .mcp.json, which is listed with claude-code.",
	}
}

func mistralVibe() Host {
	return Host{
		ID: "mistral-vibe", Aliases: []string{"vibe"}, Label: "Mistral Vibe",
		Places: slices.Concat(user("{$VIBE_HOME|~/.vibe}/config.toml"), project(".vibe/config.toml")),
		Shape: Shape{
			Format:     TOML,
			Containers: [][]string{{"mcp_servers"}}, // an array of tables, with names
			Command:    [][]string{{"command"}},     // a list, or a line that Vibe splits as a shell does
			Args:       "args",
			URL:        []string{"url"},
			Off:        []string{"disabled"},
			Shell:      true,
			Named:      true,
			Fixed:      []string{`transport = "stdio"`},
		},
		Advice: newSession,
		Note:   trusted + " Vibe splits a command at its spaces: a path with spaces to this program does not work there.",
	}
}
