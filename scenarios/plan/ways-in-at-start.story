A session can start in plan mode, by flag or by settings; the earlier mode is the one it would else have started in (PM-26). The flag wins over the settings. A mode that is not available here is refused with the reason (PM-100).

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}, "permissions": {"defaultMode": "acceptEdits"}}
--- model
{"turns": [{"text": "one"}, {"text": "two"}, {"text": "three"}]}
--- run cutonce --plain --permission-mode plan
--- talk
< >
> /mode
< The mode is plan
> /plan off
< the mode is now acceptEdits
> /exit
--- exit 0
--- stderr
The mode is plan. Others: default, acceptEdits.
mode: acceptEdits
Left plan mode; the mode is now acceptEdits.

--- transcript
session {"slug":"<slug>"}
mode {"from":"acceptEdits","to":"plan","by":"start"}
mode {"from":"plan","to":"acceptEdits","by":"user"}

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}, "permissions": {"defaultMode": "plan"}}
--- run cutonce --plain
--- talk
< >
> /mode
< The mode is plan
> /plan off
< the mode is now default
> /exit
--- exit 0
--- stderr
The mode is plan. Others: default, acceptEdits.
mode: default
Left plan mode; the mode is now default.

--- run cutonce --plain --permission-mode acceptEdits
--- talk
< >
> /mode
< The mode is acceptEdits
> /exit
--- exit 0
--- stderr
The mode is acceptEdits. Others: default, plan.

--- run cutonce --plain --permission-mode plan --allow-dangerously-skip-permissions
--- talk
< >
> /mode bypassPermissions
< The mode is now bypassPermissions.
> /plan
< Enabled plan mode
> /plan off
< the mode is now bypassPermissions
> /exit
--- exit 0
--- stderr
mode: bypassPermissions
The mode is now bypassPermissions.
mode: plan
Enabled plan mode
mode: bypassPermissions
Left plan mode; the mode is now bypassPermissions.

