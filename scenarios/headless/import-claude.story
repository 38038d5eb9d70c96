What was configured for Claude Code is taken over after it was shown: rules, model, variables, hooks and servers. Keys, broken rules and what has no counterpart are named and left out. A value of the user's own stays. Commands are read in place, of the project only after trust.

--- file ~/.claude/settings.json
{"model": "opus", "permissions": {"allow": ["Bash(git log:*)", "Bash(("], "defaultMode": "acceptEdits"}, "env": {"CI": "1", "DEPLOY_TOKEN": "tok-9f8e7d6c5b4a"},
 "hooks": {"PostToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "true"}]}]}, "statusLine": {"type": "command", "command": "x"}, "outputStyle": "Explanatory"}
--- file ~/.claude.json
{"numStartups": 9, "mcpServers": {"files": {"command": "srv", "args": ["."], "env": {"FILES_KEY": "key-4d3c2b1a"}}}}
--- file .claude/settings.local.json
{"permissions": {"allow": ["Bash(make:*)"]}}
--- file .claude/commands/team/greet.md
Say hello to $1.
--- file ~/.cutonce/settings.json
{"model": {"main": "haiku"}}
--- run cutonce import claude
--- exit 0
--- stdout
Adds to $WS/.cutonce/settings.local.json:
  permissions.allow: Bash(make:*)
Adds to $HOME/.cutonce/settings.json:
  permissions.allow: Bash(git log:*)
  permissions.defaultMode: acceptEdits
  env.CI: 1
  hooks.PostToolUse: {"matcher":"Edit","hooks":[{"type":"command","command":"true"}]}
  statusLine.type: command
  statusLine.command: x
  mcpServers.files: {"command":"srv","args":["."],"env":{"FILES_KEY":"…"}}
Used where they are:
  $WS/.claude/commands
Not taken over:
  $HOME/.claude/settings.json: no counterpart: outputStyle
  $HOME/.claude/settings.json: DEPLOY_TOKEN looks like a secret; store a key with `cutonce key DEPLOY_TOKEN`
  $HOME/.claude/settings.json: `Bash((` is not a valid rule
Nothing was written. `cutonce import claude --yes` writes it.

--- sh
test "$(cat "$HOME/.cutonce/settings.json")" = '{"model": {"main": "haiku"}}'
! test -e .cutonce
--- run cutonce import claude --yes
--- exit 0
--- sh
! grep -q tok-9f8e "$HOME/.cutonce/settings.json"
grep -q '"main": "haiku"' "$HOME/.cutonce/settings.json"
grep -q '"Bash(make:\*)"' .cutonce/settings.local.json
--- run cutonce import claude
--- exit 0
--- stdout
Used where they are:
  $WS/.claude/commands
Not taken over:
  $HOME/.claude/settings.json: no counterpart: outputStyle
  $HOME/.claude/settings.json: DEPLOY_TOKEN looks like a secret; store a key with `cutonce key DEPLOY_TOKEN`
  $HOME/.claude/settings.json: `Bash((` is not a valid rule
Nothing to write.

--- run cutonce import claud
--- exit 2
--- stderr
error: invalid value 'claud' for '<SOURCE>'
  [possible values: claude]

  tip: a similar value exists: 'claude'

For more information, try '--help'.

--- run cutonce trust
--- exit 0
--- model
{"turns": [{"text": "Hello Ada."}]}
--- run cutonce --plain
--- talk
> /greet Ada
< Hello Ada.
> /exit
--- exit 0
--- seen
request 1
  user: Say hello to Ada.

