In default mode, headless, a command runs only if it provably reads inside the workspace (PR-1, PR-4, PR-5). Denied: reopened descriptors, variables
that redirections set, functions that bash calls or that replace commands, `case` fallthrough, folders that look like a repository to git, project
programs with names of system programs, options after operands, names that gzip completes. The last command, an ordinary one, runs.

--- sh
mkdir ../outside && echo TOPSECRET > ../outside/secret.txt
echo hello > a.txt
mkdir -p sub/a 10 bin
printf '#!/bin/sh\ntouch evil\n' > 10/ls && chmod +x 10/ls && cp 10/ls bin/gpg
git init -q -b main . && git -c user.name=a -c user.email=a@b add a.txt && git -c user.name=a -c user.email=a@b commit -qm one
mkdir -p sub/objects sub/refs/heads && ln -s refs/heads/main sub/HEAD
printf '[core]\nrepositoryformatversion=0\nbare=false\nworktree=..\nfsmonitor=touch ../evil; false\n' > sub/config
ln -s sub/a link && ln -s ../outside/secret.txt foo.gz && ln -s ../outside/secret.txt -- -F
ln -s ../outside/secret.txt "$(printf 'odd\nname')"
--- model
{"turns": [
  {"calls": [{"name": "Bash", "input": {"command": "echo pwned 3< a.txt > /dev/fd/3", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "exec 5<a.txt; echo y >/dev/fd/5", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "echo z 1<a.txt 2>/dev/stdout >&2", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "tee /dev/fd/3 3<a.txt", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": ": {PATH}</dev/null; ls", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "case a in a) cd .. ;& b) cat outside/secret.txt ;; esac", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "command_not_found_handle() { cat outside/secret.txt; }; cd .. ; nawk 'BEGIN{}'", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "builtin() { :; }; builtin cd sub && cat ../../outside/secret.txt", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "gawk 'BEGIN{SYMTAB[\"AR\" \"GV\"][1]=\"../outside/secret.txt\"} {print}' a.txt", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "awk '{print}' -F ../outside/secret.txt", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "zcat -f foo", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "cat $'odd\\nname'", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "git config core.fsmonitor 'touch evil; false' -l", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "git branch --abbrev evil", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "xxd a.txt -C", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "env -u GIT_CONFIG_COUNT git status", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "cd sub", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "git status", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "cd ../link", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "git status", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "cd ../..", "description": "probe"}}]},
  {"calls": [{"name": "Bash", "input": {"command": "f() { echo hi; }; echo done > /dev/stderr; while read l; do echo $l; done < a.txt; git log --oneline | wc -l && git diff --stat && cat a.txt | tee /dev/stderr && echo fine", "description": "probe"}}]},
  {"text": "Done."}
]}
--- run cutonce -p "look around"
--- exit 0
--- disk
nothing changed

--- transcript
session {"branch":"main"}
user {"text":"look around"}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0001_00","name":"Bash","input":{"command":"echo pwned 3< a.txt > /dev/fd/3","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0001_00","name":"Bash","input":{"command":"echo pwned 3< a.txt > /dev/fd/3","description":"probe"},"output":[{"type":"text","text":"Not allowed: it writes to a protected place, which only the user can allow, and this session can't ask. Continue without it, or tell the user what you would hav…"}],"isError":true,"decision":{"behavior":"deny","reason":"Edits of protected files need your OK in default mode (`echo pwned`); this session can't ask"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0002_00","name":"Bash","input":{"command":"exec 5<a.txt; echo y >/dev/fd/5","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0002_00","name":"Bash","input":{"command":"exec 5<a.txt; echo y >/dev/fd/5","description":"probe"},"output":[{"type":"text","text":"Not allowed: it writes to a protected place, which only the user can allow, and this session can't ask. Continue without it, or tell the user what you would hav…"}],"isError":true,"decision":{"behavior":"deny","reason":"Edits of protected files need your OK in default mode (`echo y`); this session can't ask"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0003_00","name":"Bash","input":{"command":"echo z 1<a.txt 2>/dev/stdout >&2","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0003_00","name":"Bash","input":{"command":"echo z 1<a.txt 2>/dev/stdout >&2","description":"probe"},"output":[{"type":"text","text":"Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it."}],"isError":true,"decision":{"behavior":"deny","reason":"Can't tell what this runs: `/dev/stdout` or `/dev/stderr` may be a file that was opened for reading; this session can't ask"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0004_00","name":"Bash","input":{"command":"tee /dev/fd/3 3<a.txt","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0004_00","name":"Bash","input":{"command":"tee /dev/fd/3 3<a.txt","description":"probe"},"output":[{"type":"text","text":"Not allowed: it writes to a protected place, which only the user can allow, and this session can't ask. Continue without it, or tell the user what you would hav…"}],"isError":true,"decision":{"behavior":"deny","reason":"Edits of protected files need your OK in default mode (`tee /dev/fd/3`); this session can't ask"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0005_00","name":"Bash","input":{"command":": {PATH}</dev/null; ls","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0005_00","name":"Bash","input":{"command":": {PATH}</dev/null; ls","description":"probe"},"output":[{"type":"text","text":"Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it."}],"isError":true,"decision":{"behavior":"deny","reason":"Can't tell what this runs: a redirection sets an unsafe variable; this session can't ask"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0006_00","name":"Bash","input":{"command":"case a in a) cd .. ;& b) cat outside/secret.txt ;; esac","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0006_00","name":"Bash","input":{"command":"case a in a) cd .. ;& b) cat outside/secret.txt ;; esac","description":"probe"},"output":[{"type":"text","text":"Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it."}],"isError":true,"decision":{"behavior":"deny","reason":"Commands that may read outside the workspace need your OK in default mode (`cat outside/secret.txt`); this session can't ask"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0007_00","name":"Bash","input":{"command":"command_not_found_handle() { cat outside/secret.txt; }; cd .. ; nawk 'BEGIN{}'","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0007_00","name":"Bash","input":{"command":"command_not_found_handle() { cat outside/secret.txt; }; cd .. ; nawk 'BEGIN{}'","description":"probe"},"output":[{"type":"text","text":"Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it."}],"isError":true,"decision":{"behavior":"deny","reason":"Can't tell what this runs: a function replaces a command; this session can't ask"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0008_00","name":"Bash","input":{"command":"builtin() { :; }; builtin cd sub && cat ../../outside/secret.txt","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0008_00","name":"Bash","input":{"command":"builtin() { :; }; builtin cd sub && cat ../../outside/secret.txt","description":"probe"},"output":[{"type":"text","text":"Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it."}],"isError":true,"decision":{"behavior":"deny","reason":"Can't tell what this runs: a function replaces a command; this session can't ask"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0009_00","name":"Bash","input":{"command":"gawk 'BEGIN{SYMTAB[\"AR\" \"GV\"][1]=\"../outside/secret.txt\"} {print}' a.txt","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0009_00","name":"Bash","input":{"command":"gawk 'BEGIN{SYMTAB[\"AR\" \"GV\"][1]=\"../outside/secret.txt\"} {print}' a.txt","description":"probe"},"output":[{"type":"text","text":"Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it."}],"isError":true,"decision":{"behavior":"deny","reason":"Commands that may change things need your OK in default mode (`gawk 'BEGIN{SYMTAB[\"AR\" \"GV\"][1]=\"../outside/secret.txt\"} {print}' a.txt`); this session can't as…"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0010_00","name":"Bash","input":{"command":"awk '{print}' -F ../outside/secret.txt","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0010_00","name":"Bash","input":{"command":"awk '{print}' -F ../outside/secret.txt","description":"probe"},"output":[{"type":"text","text":"Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it."}],"isError":true,"decision":{"behavior":"deny","reason":"Commands that may change things need your OK in default mode (`awk '{print}' -F ../outside/secret.txt`); this session can't ask"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0011_00","name":"Bash","input":{"command":"zcat -f foo","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0011_00","name":"Bash","input":{"command":"zcat -f foo","description":"probe"},"output":[{"type":"text","text":"Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it."}],"isError":true,"decision":{"behavior":"deny","reason":"Commands that may read outside the workspace need your OK in default mode (`zcat -f foo`); this session can't ask"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0012_00","name":"Bash","input":{"command":"cat $'odd\\nname'","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0012_00","name":"Bash","input":{"command":"cat $'odd\\nname'","description":"probe"},"output":[{"type":"text","text":"Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it."}],"isError":true,"decision":{"behavior":"deny","reason":"Commands that may read outside the workspace need your OK in default mode (`cat 'odd\nname'`); this session can't ask"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0013_00","name":"Bash","input":{"command":"git config core.fsmonitor 'touch evil; false' -l","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0013_00","name":"Bash","input":{"command":"git config core.fsmonitor 'touch evil; false' -l","description":"probe"},"output":[{"type":"text","text":"Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it."}],"isError":true,"decision":{"behavior":"deny","reason":"Commands that may change things need your OK in default mode (`git config core.fsmonitor 'touch evil; false' -l` changes the repository); this session can't ask"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0014_00","name":"Bash","input":{"command":"git branch --abbrev evil","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0014_00","name":"Bash","input":{"command":"git branch --abbrev evil","description":"probe"},"output":[{"type":"text","text":"Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it."}],"isError":true,"decision":{"behavior":"deny","reason":"Commands that may change things need your OK in default mode (`git branch --abbrev evil` changes the repository); this session can't ask"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0015_00","name":"Bash","input":{"command":"xxd a.txt -C","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0015_00","name":"Bash","input":{"command":"xxd a.txt -C","description":"probe"},"output":[{"type":"text","text":"Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it."}],"isError":true,"decision":{"behavior":"deny","reason":"Commands that may change things need your OK in default mode (`xxd a.txt -C`); this session can't ask"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0016_00","name":"Bash","input":{"command":"env -u GIT_CONFIG_COUNT git status","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0016_00","name":"Bash","input":{"command":"env -u GIT_CONFIG_COUNT git status","description":"probe"},"output":[{"type":"text","text":"Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it."}],"isError":true,"decision":{"behavior":"deny","reason":"Commands that may change things need your OK in default mode (`env -u GIT_CONFIG_COUNT git status`); this session can't ask"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0017_00","name":"Bash","input":{"command":"cd sub","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0017_00","name":"Bash","input":{"command":"cd sub","description":"probe"},"output":[{"type":"text","text":"(no output)\n\nThe working folder is now $WS/sub."}],"isError":false,"decision":{"behavior":"allow","reason":"Read-only commands are allowed in default mode"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0018_00","name":"Bash","input":{"command":"git status","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0018_00","name":"Bash","input":{"command":"git status","description":"probe"},"output":[{"type":"text","text":"Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it."}],"isError":true,"decision":{"behavior":"deny","reason":"Commands that may change things need your OK in default mode (`git status`); this session can't ask"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0019_00","name":"Bash","input":{"command":"cd ../link","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0019_00","name":"Bash","input":{"command":"cd ../link","description":"probe"},"output":[{"type":"text","text":"(no output)\n\nThe working folder is now $WS/sub/a."}],"isError":false,"decision":{"behavior":"allow","reason":"Read-only commands are allowed in default mode"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0020_00","name":"Bash","input":{"command":"git status","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0020_00","name":"Bash","input":{"command":"git status","description":"probe"},"output":[{"type":"text","text":"Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it."}],"isError":true,"decision":{"behavior":"deny","reason":"Commands that may change things need your OK in default mode (`git status`); this session can't ask"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0021_00","name":"Bash","input":{"command":"cd ../..","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0021_00","name":"Bash","input":{"command":"cd ../..","description":"probe"},"output":[{"type":"text","text":"(no output)\n\nThe working folder is now $WS."}],"isError":false,"decision":{"behavior":"allow","reason":"Read-only commands are allowed in default mode"}}
assistant {"blocks":[{"type":"tool_use","id":"toolu_0022_00","name":"Bash","input":{"command":"f() { echo hi; }; echo done > /dev/stderr; while read l; do echo $l; done < a.txt; git log --oneline | wc -l && git diff --stat && cat a.txt | tee /dev/stderr &…","description":"probe"}}],"stop":"tool_use"}
tool {"callId":"toolu_0022_00","name":"Bash","input":{"command":"f() { echo hi; }; echo done > /dev/stderr; while read l; do echo $l; done < a.txt; git log --oneline | wc -l && git diff --stat && cat a.txt | tee /dev/stderr &…","description":"probe"},"output":[{"type":"text","text":"done\nhello\n1\nhello\nhello\nfine"}],"isError":false,"decision":{"behavior":"allow","reason":"Read-only commands are allowed in default mode"}}
assistant {"blocks":[{"type":"text","text":"Done."}],"stop":"end_turn"}

