package hosts

import "slices"

// editorHosts are editors, and agents that live in one. VS Code, what runs in it, and Zed start their servers with
// the environment of a login shell, so they do not count as windows.
func editorHosts() []Host {
	return slices.Concat(
		[]Host{cursor()}, vsCodes(),
		[]Host{windsurf(), zed(), cline(), roo(), continueDev(), junie(), jetbrains(), kiro(), amazonQ(), antigravity(), qoder(), trae()},
	)
}

func cursor() Host {
	return Host{
		ID: "cursor", Label: "Cursor",
		Places:   slices.Concat(user("~/.cursor/mcp.json"), project(".cursor/mcp.json")),
		Shape:    mcpServers(),
		Advice:   "Switch the server off and on under Cursor Settings, MCP, or restart Cursor.",
		Approval: asksAnew,
		Note:     "A project's entry wins over the user's of the same name. VS Code can take over these servers.",
	}
}

// vsCodes are the builds of VS Code. They share a project's files, which stand with the first.
func vsCodes() []Host {
	stable := vsCode("vscode", "VS Code", "Code", ".vscode-server")
	stable.Aliases = []string{"code", "vs-code"}
	stable.Places = slices.Concat(stable.Places, project(".vscode/mcp.json"), oldVSCode(project(".vscode/settings.json")))
	insiders := vsCode("vscode-insiders", "VS Code Insiders", "Code - Insiders", ".vscode-server-insiders")
	insiders.Aliases = []string{"code-insiders"}
	vscodium := vsCode("vscodium", "VSCodium", "VSCodium", ".vscodium-server")
	vscodium.Aliases = []string{"codium"}
	for _, h := range []*Host{&insiders, &vscodium} {
		h.Note += " Project files (.vscode/mcp.json) are listed with vscode."
	}
	return []Host{stable, insiders, vscodium}
}

func vsCode(id, label, folder, server string) Host {
	return Host{
		ID: id, Label: label,
		Places: slices.Concat(
			user("{support}/"+folder+"/User/mcp.json"),
			noted("a profile", user("{support}/"+folder+"/User/profiles/*/mcp.json")),
			noted("for remote windows", user("~/"+server+"/data/User/mcp.json")),
			oldVSCode(user("{support}/"+folder+"/User/settings.json")),
		),
		Shape:    vsCodeShape(),
		Advice:   "Run \"MCP: Restart Server\"; \"MCP: Reset Cached Tools\" when tools are missing.",
		Approval: "It asks whether to trust the server again, because the entry has changed.",
		Note:     "VS Code can also read .mcp.json, Copilot CLI's file, and those of Claude Desktop, Cursor and Windsurf.",
	}
}

func vsCodeShape() Shape {
	s := *mcpServers().in([]string{"servers"})
	s.Doubts = []Doubt{
		{[]string{"dev", "debug"}, "it is debugged, which VS Code can do only while its own command stands there"},
		{[]string{"sandboxEnabled"}, "it runs in a sandbox, where the database may not be writable"},
	}
	return s
}

func oldVSCode(all []Place) []Place {
	return noted("the form before version 1.102", with(vsCodeShape().in([]string{"mcp", "servers"}), all))
}

func windsurf() Host {
	return Host{
		ID: "windsurf", Aliases: []string{"devin", "devin-desktop"}, Label: "Windsurf, Devin Desktop",
		Places: slices.Concat(
			user("~/.codeium/windsurf/mcp_config.json"),
			noted("the plugin for JetBrains", user("~/.codeium/mcp_config.json")),
			on("unix", user("{config}/devin/mcp_config.json")),
			on("windows", user("{appdata}/devin/mcp_config.json")),
			project(".devin/mcp_config.json"),
		),
		Shape:    mcpServers("disabled"),
		Advice:   "Press Refresh in the list of MCP servers.",
		Approval: "A team's list of allowed servers compares the command: it refuses a wrapped one.",
		Note:     "VS Code can take over these servers.",
	}
}

func zed() Host {
	return Host{
		ID: "zed", Label: "Zed",
		Places: slices.Concat(
			on("linux", user("{config}/zed/settings.json")),
			noted("Flatpak", on("linux", user("~/.var/app/dev.zed.Zed/config/zed/settings.json"))),
			on("darwin", user("~/.config/zed/settings.json")),
			on("windows", user("{appdata}/Zed/settings.json")),
			project(".zed/settings.json"),
		),
		Shape: Shape{
			Format:     JSON,
			Containers: [][]string{{"context_servers"}},
			Command:    [][]string{{"command"}, {"command", "path"}},
			Args:       "args",
			URL:        []string{"url"},
			Off:        []string{"!enabled"},
		},
		Advice: "Zed restarts the server by itself.",
		Note:   "Servers of extensions have no command here and cannot be wrapped.",
	}
}

// storage is where extensions of VS Code keep their files, in every editor that runs them. The editors are named: a look
// into every application's folder would make macOS ask whether we may see the person's contacts.
func storage(file string) []Place {
	var all []Place
	for _, editor := range []string{"Code*", "VSCodium", "Cursor", "Windsurf"} {
		all = append(all, user("{support}/"+editor+"/User/globalStorage/"+file)...)
	}
	return append(all, noted("for remote windows", user(
		"~/.vscode-server*/data/User/globalStorage/"+file,
		"~/.cursor-server/data/User/globalStorage/"+file,
		"~/.windsurf-server/data/User/globalStorage/"+file,
	))...)
}

func cline() Host {
	shape := mcpServers("disabled")
	shape.Command = [][]string{{"command"}, {"transport", "command"}}
	return Host{
		ID: "cline", Label: "Cline",
		Places: slices.Concat(
			user("{$CLINE_DATA_DIR|~/.cline/data}/settings/cline_mcp_settings.json"),
			storage("saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
		),
		Shape:  shape,
		Advice: "Cline reads the file again by itself; restart the server in its list when it does not.",
		Note:   "Cline writes the whole file itself when a setting is changed in its window. Newer versions read ~/.cline, older ones the editor's folder.",
	}
}

func roo() Host {
	return Host{
		ID: "roo", Aliases: []string{"roo-code"}, Label: "Roo Code",
		Places: slices.Concat(storage("rooveterinaryinc.roo-cline/settings/mcp_settings.json"), project(".roo/mcp.json")),
		Shape:  mcpServers("disabled"),
		Advice: "Roo Code reads the file again by itself.",
		Note:   "Roo Code is no longer made.",
	}
}

func continueDev() Host {
	list := *mcpServers().as(YAML)
	list.Named = true
	const folder = "{$CONTINUE_GLOBAL_DIR|~/.continue}"
	return Host{
		ID: "continue", Label: "Continue",
		Places: slices.Concat(
			instead("config", user(folder+"/config.yaml")),
			instead("config", with(list.as(JSON), user(folder+"/config.json"))),
			user(folder+"/mcpServers/*.yaml", folder+"/mcpServers/*.yml"),
			with(list.as(JSON), user(folder+"/mcpServers/*.json")),
			project(".continue/mcpServers/*.yaml", ".continue/mcpServers/*.yml"),
			with(list.as(JSON), project(".continue/mcpServers/*.json")),
		),
		Shape:  list,
		Advice: "Reload the window, or the config in Continue.",
		Note:   "Servers under experimental.modelContextProtocolServers have no names and cannot be wrapped.",
	}
}

func junie() Host {
	return Host{
		ID: "junie", Label: "Junie",
		Places: slices.Concat(user("~/.junie/mcp/mcp.json"), project(".junie/mcp/mcp.json")),
		Shape:  mcpServers(),
		Advice: "Start the server again under Settings, Tools, Junie, MCP Settings.",
	}
}

func jetbrains() Host {
	return Host{
		ID: "jetbrains", Aliases: []string{"jetbrains-ai", "intellij"}, Label: "JetBrains AI Assistant",
		Shape:  mcpServers(),
		Advice: "Paste the entry under Settings, Tools, AI Assistant, Model Context Protocol.",
		Note:   "It keeps its servers in the IDE's settings, not in a file: `reprise wrap jetbrains --print` writes what to paste there.",
	}
}

func kiro() Host {
	return Host{
		ID: "kiro", Label: "Kiro",
		Places: slices.Concat(
			user("~/.kiro/settings/mcp.json"),
			noted("an agent", user("~/.kiro/agents/*.json")),
			project(".kiro/settings/mcp.json"),
			noted("an agent", project(".kiro/agents/*.json")),
		),
		Shape:  mcpServers("disabled"),
		Advice: "Kiro reads the file again by itself; in a terminal, start a new session.",
	}
}

func amazonQ() Host {
	return Host{
		ID: "amazon-q", Aliases: []string{"amazonq", "q"}, Label: "Amazon Q Developer",
		Places: slices.Concat(
			user("~/.aws/amazonq/mcp.json", "~/.aws/amazonq/default.json"),
			noted("an agent", user("~/.aws/amazonq/agents/*.json", "~/.aws/amazonq/cli-agents/*.json")),
			project(".amazonq/mcp.json", ".amazonq/default.json"),
			noted("an agent", project(".amazonq/agents/*.json", ".amazonq/cli-agents/*.json")),
		),
		Shape:  mcpServers("disabled"),
		Advice: "Start a new session, or restart the IDE.",
	}
}

func antigravity() Host {
	return Host{
		ID: "antigravity", Label: "Antigravity",
		Places: slices.Concat(
			user("~/.gemini/config/mcp_config.json"),
			noted("older versions", user("~/.gemini/antigravity/mcp_config.json", "~/.gemini/antigravity-cli/mcp_config.json")),
			project(".agents/mcp_config.json"),
		),
		Shape:  mcpServers("disabled"),
		Advice: "Press Refresh under Manage MCP Servers.",
	}
}

func qoder() Host {
	return Host{
		ID: "qoder", Label: "Qoder",
		Places: slices.Concat(
			user("{support}/Qoder*/SharedClientCache/mcp.json", "{support}/Qoder*/*/SharedClientCache/mcp.json", "~/.qoder/mcp.json"),
			noted("Qoder CLI", user("{$QODERCLI_CONFIG_DIR|~/.qoder}/settings.json")),
		),
		Shape:  mcpServers("disabled"),
		Advice: "Switch the server off and on in Qoder's settings, or restart Qoder.",
		Note:   "Qoder CLI also reads a project's .mcp.json, which is listed with claude-code.",
	}
}

func trae() Host {
	return Host{
		ID: "trae", Label: "Trae",
		Places: slices.Concat(
			user("{support}/Trae*/User/mcp.json", "{support}/TRAE SOLO*/User/mcp.json"),
			noted("for remote windows", user("~/.trae*-server/data/Machine/mcp.json")),
			project(".trae/mcp.json"),
		),
		Shape:  mcpServers("disabled"),
		Advice: "Switch the server off and on in Trae's list of MCP servers, or restart Trae.",
	}
}
