A file after `@` and the output of a `!` line reach the model, bounded (DU-8). Secret files and files outside do not.

--- file a.txt
alpha
--- file .env
TOKEN=hidden
--- model
{"turns": [{"text": "Seen."}]}
--- pty 80x24 cutonce
--- keys
< claude-sonnet-5-5
> !echo shell$((1+1))
press enter
< shell2
< ›
> look at @a.txt, @.env and @../a.txt please
press enter
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
  user: look at @a.txt, @.env and @../a.txt please
  user: <system-reminder>
        The user mentions the file a.txt. Its content:
        
        alpha
        </system-reminder>

