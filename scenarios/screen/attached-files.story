A file after `@` and the output of a `!` line reach the model, bounded (DU-8). Secret files, files outside, long and binary files do not, and a line says why.

--- file a.txt
alpha
--- file .env
TOKEN=hidden
--- file my notes.txt
beta
--- sh
seq 20000 > long.txt
printf 'a\0b' > data.bin
--- model
{"turns": [{"text": "Seen."}]}
--- pty 80x24 cutonce
--- keys
< claude-sonnet-5-5
> !echo shell$((1+1))
press enter
< shell2
< ›
> look at @a.txt, @.env and @/etc/hosts please
> , with @my
< my notes.txt
press tab
> and @long.txt @data.bin @missing.txt
press enter
< @.env was not sent along: the agent may not read it (a secret, or a deny
< @/etc/hosts was not sent along: it is outside the workspace
< @long.txt was not sent along: 106.3 KB is more than 32.0 KB
< @data.bin was not sent along: it is not a text file
< Seen.
gone esc to interrupt
press ctrl+d
--- exit 0
--- seen
request 1
  user: <system-reminder>
        The user ran this in their own shell: echo shell$((1+1))
        It printed:
        
        shell2
        </system-reminder>
  user: look at @a.txt, @.env and @/etc/hosts please, with @"my notes.txt" and @long.txt @data.bin @missing.txt
  user: <system-reminder>
        The user mentions the file a.txt. Its content:
        
        alpha
        </system-reminder>
  user: <system-reminder>
        The user mentions the file my notes.txt. Its content:
        
        beta
        </system-reminder>

