A plan file that is gone is restored from the first of four sources: the last snapshot, the plan in the last ExitPlanMode call, the planContent of a user message, a plan_file_reference reminder (PM-48).

--- file ~/.cutonce/settings.json
{"plan": {"shell": "readonly"}}
--- model
{"turns": [
  {"calls": [{"name": "Write", "input": {"file_path": "{plan}", "content": "# From the snapshot\n"}}, {"name": "ExitPlanMode", "input": {}}]},
  {"text": "never"}
]}
--- run cutonce plan "task"
--- sh
cd $HOME/.cutonce
transcript=$(ls projects/*/*.jsonl)
sed -i 's/,"sum":"[0-9a-f]*"}$/}/' $transcript
sed -i 's/"plan":"# From the snapshot/"plan":"# From the call/; /"type":"tool"/s/From the snapshot/From the call/g' $transcript
printf '%s\n' '{"type":"user","id":"u1","parent":null,"at":"2026-01-01T00:00:00Z","text":"implement","planContent":"# From the message\n","meta":true}' '{"type":"reminder","id":"r1","parent":null,"at":"2026-01-01T00:00:00Z","kind":"plan_file_reference","text":"There is a plan. Its text:\n\n# From the reminder"}' >> $transcript
cp $transcript $HOME/kept.jsonl
rm $PLAN
--- run cutonce --plain --continue
--- talk
< >
> /plan
< From the snapshot
> /exit
--- stderr
cutonce: The plan file was missing and has been restored from its last snapshot in the transcript.

--- sh
cd $HOME/.cutonce
grep -v '"file_snapshot"' $HOME/kept.jsonl > $(ls projects/*/*.jsonl)
rm $PLAN
--- run cutonce --plain --continue
--- talk
< >
> /plan
< From the call
> /exit
--- stderr
cutonce: The plan file was missing and has been restored from the last submission in the transcript.

--- sh
cd $HOME/.cutonce
grep -v '"file_snapshot"' $HOME/kept.jsonl | grep -v '"type":"tool"' > $(ls projects/*/*.jsonl)
rm $PLAN
--- run cutonce --plain --continue
--- talk
< >
> /plan
< From the message
> /exit
--- stderr
cutonce: The plan file was missing and has been restored from the message that began its implementation.

--- sh
cd $HOME/.cutonce
grep -v '"file_snapshot"' $HOME/kept.jsonl | grep -v '"type":"tool"' | grep -v planContent > $(ls projects/*/*.jsonl)
rm $PLAN
--- run cutonce --plain --continue
--- talk
< >
> /plan
< From the reminder
> /exit
--- stderr
cutonce: The plan file was missing and has been restored from a reminder in the transcript.

