package hosts

import "slices"

// desktopHosts are the apps that have a window and edit no code.
func desktopHosts() []Host {
	return []Host{claudeDesktop(), goose(), lmStudio(), warp()}
}

func claudeDesktop() Host {
	return Host{
		ID: "claude-desktop", Label: "Claude Desktop", OwnNode: true,
		Places: slices.Concat(
			// The installer of Windows gives the app a folder of its own. The other file is what "Edit config" opens.
			instead("claude", on("windows", user(
				"{localappdata}/Packages/Claude_*/LocalCache/Roaming/Claude/claude_desktop_config.json",
				"{appdata}/Claude/claude_desktop_config.json",
			))),
			on("unix", user("{support}/Claude/claude_desktop_config.json")),
		),
		Shape:  mcpServers(),
		Advice: "Quit Claude Desktop completely, in the tray or the menu bar too, and open it again.",
		Note: "Extensions (.mcpb) and connectors are not in this file and cannot be wrapped. The app writes the file itself and may drop changes: " +
			"look again after a restart. VS Code and JetBrains can take over these servers.",
	}
}

func goose() Host {
	return Host{
		ID: "goose", Label: "Goose",
		Places: slices.Concat(
			on("unix", user("{config}/goose/config.yaml")),
			on("windows", user("{appdata}/Block/goose/config/config.yaml")),
			noted("named by some", on("windows", user("~/AppData/Block/goose/config/config.yaml"))),
		),
		Shape: Shape{
			Format:     YAML,
			Containers: [][]string{{"extensions"}},
			Command:    [][]string{{"cmd"}},
			Args:       "args",
			URL:        []string{"uri"},
			Off:        []string{"!enabled"},
			Fixed:      []string{"enabled: true", "type: stdio"},
		},
		Advice: newSession,
		Note:   "Only extensions of the type stdio can be wrapped. Goose writes the file itself, and drops comments.",
	}
}

func lmStudio() Host {
	return Host{
		ID: "lm-studio", Aliases: []string{"lmstudio"}, Label: "LM Studio",
		Places: user("~/.lmstudio/mcp.json"),
		Shape:  mcpServers(),
		Advice: "LM Studio reads the file again by itself.",
	}
}

func warp() Host {
	return Host{
		ID: "warp", Label: "Warp",
		Places: slices.Concat(user("~/.warp/.mcp.json"), project(".warp/.mcp.json")),
		Shape:  mcpServers(),
		Advice: "Start the server again under Settings, MCP servers.",
		Note:   "Warp also finds servers in other hosts' files. Those in Warp Drive are in no file and cannot be wrapped.",
	}
}
