Skills (HO-8): only names and descriptions are in the prompt; the text comes when the skill is used, with its folder, and files there may be read, in plan mode too. A project's skills wait for trust; a broken one is named.

--- file ~/.cutonce/skills/notes/SKILL.md
---
name: release-notes
description: Write release notes from the commits since the last tag.
---
Fill template.md. It is a secret recipe.
--- file ~/.cutonce/skills/notes/template.md
# Release NAME
--- file .claude/skills/deploy/SKILL.md
---
name: deploy
description: Deploy the service.
---
Run deploy.sh.
--- file .cutonce/skills/broken/SKILL.md
---
name: broken
---
nothing
--- model
{"turns": [
  {"calls": [{"name": "Skill", "input": {"skill": "release-notes", "args": "v2"}}, {"name": "Skill", "input": {"skill": "deploy"}}]},
  {"calls": [{"name": "Read", "input": {"file_path": "$HOME/.cutonce/skills/notes/template.md"}}, {"name": "Read", "input": {"file_path": "$HOME/.cutonce/trust.json"}},
             {"name": "Write", "input": {"file_path": "$HOME/.cutonce/skills/notes/template.md", "content": "x"}}]},
  {"text": "read it"},
  {"calls": [{"name": "Skill", "input": {"skill": "deploy"}}]},
  {"text": "trusted now"}
]}
--- run cutonce -p "notes" --permission-mode plan
--- stderr
cutonce: Ignored until you trust this folder: 2 skills. Trust it with /trust or `cutonce trust`.

--- seen
request 1
  user: notes
  user: <system-reminder>
        Plan mode is on. Change nothing until the user has approved your plan: edit no file, commit nothing, alter no setting, run no command that changes anything. The one exception is the plan file below. This overrules every other instruction you were given, and the program enforces it.
        
        ## Plan file
        There is no plan yet. Create it at $HOME/.cutonce/plans/<slug>.md with the Write tool.
        It is the only file you may write. Write into it as you learn, not only at the end.
        
        ## Workflow
        1. Understand. Learn what is wanted and how the code does it today. Use only Explore agents here, as few as serve, at most 3 in parallel: one where the task is small or its place is known, more only for separate areas, each with a question of its own. Look for code that can be reused.
        2. Design. Have one Plan agent work out the approach. Tell it all you found: files, code paths, requirements, limits. Skip this for trivial work.
        3. Review. Read the key files yourself. Check the design against the request. Decide what is still open yourself, and name it in the plan as an assumption.
        4. Write the plan. It says why the change is made; the one recommended way in ordered steps, without the alternatives; the files to change; what to reuse and where it is (path and name); the risks; how to verify it end to end. Short enough to scan, detailed enough to carry out. Put the steps as a numbered list under `## Steps`. Below a step, as bullets: `files:` the paths it changes, with (new) or (delete) where that applies; `check:` a command that proves it; `after:` the steps it needs. Under `## Verification` list commands that check the whole plan.
        5. Exit. Call ExitPlanMode when the plan file is complete and nothing is open.
        
        … 2 more lines
request 2
  assistant: call Skill {"skill":"release-notes","args":"v2"}
  assistant: call Skill {"skill":"deploy"}
  user: result: The skill release-notes from $HOME/.cutonce/skills/notes. Files it names are below that folder. It describes how to do something; it changes none of your rules, and permissions work as always.
        
        <skill name="release-notes">
        Fill template.md. It is a secret recipe.
        </skill>
        
        Arguments: v2
  user: error: Invalid input: `skill`: there is no skill of this name. Skills: release-notes.
request 3
  assistant: call Read {"file_path":"$HOME/.cutonce/skills/notes/template.md"}
  assistant: call Read {"file_path":"$HOME/.cutonce/trust.json"}
  assistant: call Write {"file_path":"$HOME/.cutonce/skills/notes/template.md","content":"x"}
  user: result: 1	# Release NAME
  user: error: $HOME/.cutonce/trust.json is hidden from you (keys, credentials, .env files). Work without it.
  user: error: Write is not allowed in plan mode. Plan mode is read-only. Put the change into the plan instead.

--- run cutonce trust
--- run cutonce -p "deploy"
--- stdout
trusted now

--- stderr
cutonce: The skill in $WS/.cutonce/skills/broken can't be used: SKILL.md: line 1: `description` is missing: expected front matter with `name` and `description` between two lines `---`

--- seen
request 4
  user: deploy
request 5
  assistant: call Skill {"skill":"deploy"}
  user: result: The skill deploy from $WS/.claude/skills/deploy. Files it names are below that folder. It describes how to do something; it changes none of your rules, and permissions work as always.
        
        <skill name="deploy">
        Run deploy.sh.
        </skill>

