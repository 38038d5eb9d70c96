SessionStart and UserPromptSubmit add text for the model, UserPromptSubmit can block a message, Stop can make a turn continue, PreCompact adds to the
summary, Notification runs when something waits for the user (HO-7). Text of hooks is marked as such.

--- file ~/.cutonce/settings.json
{"hooks": {
  "SessionStart": [{"matcher": "startup", "hooks": [{"type": "command", "command": "echo the build is green"}]},
                   {"matcher": "resume", "hooks": [{"type": "command", "command": "echo welcome back"}]}],
  "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "if grep -q password; then echo 'no passwords here' >&2; exit 2; else echo it is Friday; fi"}]}],
  "Stop": [{"hooks": [{"type": "command", "command": "if grep -q '\"stop_hook_active\":false.*all done'; then echo '{\"decision\":\"block\",\"reason\":\"run the tests first\"}'; fi"}]}],
  "PreCompact": [{"hooks": [{"type": "command", "command": "cat >> ~/compact; echo '{\"additionalContext\":\"keep the ticket number\"}'"}]}],
  "Notification": [{"hooks": [{"type": "command", "command": "cat >> ~/waits"}]}]
 }}
--- model
{"turns": [
  {"text": "all done"},
  {"text": "tests pass"},
  {"calls": [{"name": "Write", "input": {"file_path": "a.txt", "content": "x\n"}}]},
  {"text": "written"},
  {"text": "the summary"},
  {"text": "here again"}
]}
--- run cutonce --plain "begin"
--- talk
< tests pass
< >
> the password is x
< no passwords here
< >
> write
< answer:
> 1
< written
< >
> /compact
< compacted
> /exit
--- exit 0
--- stdout
all done
tests pass

> 
> 
> 
? Write wants to create: Edits need your OK in default mode
  | --- /dev/null
  | +++ a.txt
  | @@ -0,0 +1 @@
  | +x
  1 yes
  2 yes, and don't ask again here for Edit(./a.txt) (stored in .cutonce/settings.local.json)
  2a yes, and don't ask again in this session for Edit(./a.txt)
  2b yes, and don't ask again in this session for Edit(./**)
  3 no (add text to tell the agent why)
answer: written

> compacting; Ctrl+C cancels

>

--- stderr
warning: Not sent: a hook blocked your message: no passwords here
● Write a.txt
compacted: 5747 → 5045 tokens

--- transcript
session {}
reminder {"kind":"hook","text":"From the user's SessionStart hook:\nthe build is green"}
user {"text":"begin"}
reminder {"kind":"hook","text":"From the user's UserPromptSubmit hook:\nit is Friday"}
assistant {"blocks":[{"type":"text","text":"all done"}],"stop":"end_turn"}
user {"text":"The user's hook wants more before this turn ends: run the tests first","meta":true}
assistant {"blocks":[{"type":"text","text":"tests pass"}],"stop":"end_turn"}
user {"text":"write"}
reminder {"kind":"hook","text":"From the user's UserPromptSubmit hook:\nit is Friday"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0003_00","name":"Write","input":{"file_path":"a.txt","content":"x\n"}}],"stop":"tool_use"}
ask {"askId":"<id>","kind":"permission"}
ask {"askId":"<id>","kind":"permission","answer":{"kind":"permission","behavior":"allow","remember":[]}}
file_snapshot {"key":"before","path":"$WS/a.txt"}
tool {"callId":"toolu_0003_00","name":"Write","input":{"file_path":"a.txt","content":"x\n"},"output":[{"type":"text","text":"Created a.txt (1 line)."}],"isError":false,"decision":{"behavior":"allow","reason":"the user allowed it"}}
assistant {"blocks":[{"type":"text","text":"written"}],"stop":"end_turn"}
compaction {"summary":"the summary","kept":"# The user's messages so far, oldest first\n<message>\nbegin\n</message>\n<message>\nwrite\n</message>\n# Files in work, latest first (read again before editing)\n- a.t…"}

--- run cutonce -p --continue "hello"
--- stdout
here again

--- seen whole
request 1
  user: <system-reminder>
        From the user's SessionStart hook:
        the build is green
        </system-reminder>
  user: begin
  user: <system-reminder>
        From the user's UserPromptSubmit hook:
        it is Friday
        </system-reminder>
request 2
  assistant: all done
  user: The user's hook wants more before this turn ends: run the tests first
request 3
  assistant: tests pass
  user: write
  user: <system-reminder>
        From the user's UserPromptSubmit hook:
        it is Friday
        </system-reminder>
request 4
  assistant: call Write {"file_path":"a.txt","content":"x\n"}
  user: result: Created a.txt (1 line).
request 5
  assistant: written
  user: The conversation is about to be replaced by your summary because it has grown too long. Do not call tools. Write, for yourself, everything you need to continue without interruption:
        
        1. What the user wants, in their terms, with every constraint and preference they stated.
        2. What was found: the files, functions and facts that matter, with paths and line numbers.
        3. What was done: each file changed and how; commands run and their outcome.
        4. Errors met and how they were resolved; what was tried and rejected, and why.
        5. The current state of the work, what is half done, and the exact next step.
        
        Be complete but dense; no courtesy. The user's own messages and the open todos are kept together with your summary, so refer to them rather than repeat them.
        
        The user asks you to keep above all: keep the ticket number
request 6
  user: <system-reminder>
        The earlier part of this conversation was replaced by this summary. Continue from there; do not start over and do not greet.
        </system-reminder>
        
        # Summary
        the summary
        
        # The user's messages so far, oldest first
        <message>
        begin
        </message>
        <message>
        write
        </message>
        # Files in work, latest first (read again before editing)
        - a.txt
  user: <system-reminder>
        From the user's SessionStart hook:
        welcome back
        </system-reminder>
  user: hello
  user: <system-reminder>
        From the user's UserPromptSubmit hook:
        it is Friday
        </system-reminder>

--- sh
grep -q '"trigger":"manual"' ~/compact; grep -q '"notification_type":"permission"' ~/waits
