Where the plan file could not be created there is no plan mode: a change to it leaves the old mode and says why (PM-100), and a start in it fails with the reason. Plans that can't be saved are not approved (PM-77).

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- file ~/.cutonce/plans
a file, not a folder
--- model
{"turns": [
  {"calls": [{"name": "EnterPlanMode", "input": {}}]},
  {"text": "went on"}
]}
--- run cutonce --plain
--- talk
< >
> /plan
< The mode is still default
> /mode plan
< The mode is still default
> try it yourself
< went on
< >
> /mode
< The mode is default
> /exit
--- exit 0
--- stdout

> 
> 
> went on

> 
>

--- stderr
error: The mode is still default: the plan file could not be created: can't reserve a name for the plan: $HOME/.cutonce/plans/.reserved/<slug>: Not a directory
error: The mode is still default: the plan file could not be created: can't reserve a name for the plan: $HOME/.cutonce/plans/.reserved/<slug>: Not a directory
error: The mode is still default: the plan file could not be created: can't reserve a name for the plan: $HOME/.cutonce/plans/.reserved/<slug>: Not a directory
The mode is default. Others: acceptEdits, plan.

--- seen
request 1
  user: try it yourself
request 2
  assistant: call EnterPlanMode {}
  user: error: Plan mode could not be entered; the user knows why. Continue without it.

--- run cutonce plan "task"
--- exit 1
--- stderr
cutonce: plan mode needs a plan file, but none could be created: can't reserve a name for the plan: $HOME/.cutonce/plans/.reserved/<slug>: Not a directory

