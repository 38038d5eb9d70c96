`/agents` (SA-3, UI-9) lists all agents with their source. A broken file is listed with its error and opens in the editor. A new agent is created in
the user's folder and opens there; the list then contains it.

--- file bin/editor
#!/bin/sh
case "$1" in
*bad.md) printf -- '---\nname: bad\ndescription: Mended.\n---\nDo it.\n' > "$1" ;;
*) printf 'Say hello.\n' >> "$1" ;;
esac
--- file ~/.cutonce/agents/bad.md
---
name: bad
color: none of these
---
x
--- sh
chmod +x bin/editor
--- env EDITOR=$WS/bin/editor
--- model
{"turns": [{"text": "Hi."}]}
--- pty 80x24 cutonce
--- keys
< claude-
> /agents
press enter
< n new (user)
press end
< enter edit in $EDITOR
--- shows
 Agents
  Explore          built-in · small
  Plan             built-in · plan
  general-purpose  built-in · inherit
› bad.md           line 3: `color`: expected one of red, orange, yellow, green,…

  $HOME/.cutonce/agents/bad.md

  line 3: `color`: expected one of red, orange, yellow, green, cyan, blue,
  purple, violet, pink, got `none of these`













 enter edit in $EDITOR · n new (user) · p new (project) · esc back

--- keys
press enter
< applies from the next session
press n
< name of an agent for all your projects
> greeter
press enter
< greeter
< applies from the next session
--- shows
 Agents
  Explore          built-in · small
  Plan             built-in · plan
  general-purpose  built-in · inherit
  bad              user · inherit
› greeter          user · inherit

  When to use this agent. The model chooses agents by this sentence.

  tools  Read, Grep, Glob
  model  inherit
  file   $HOME/.cutonce/agents/greeter.md

  Describe what the agent does, how it works, and what its answer must contain.
  Say hello.








 Agents are loaded when a session starts; this applies from the next session.

--- keys
press esc
gone greeter
press ctrl+d
--- exit 0
--- sh
grep -q 'description: Mended.' ~/.cutonce/agents/bad.md
grep -q '^name: greeter$' ~/.cutonce/agents/greeter.md
grep -q '^Say hello.$' ~/.cutonce/agents/greeter.md
