A long paste folds to a tag and is never a command: pasted text that starts with `!` or `/` goes to the model, and nothing of it runs (UI-3).

--- model
{"turns": [{"text": "I read it."}, {"text": "That one, too."}]}
--- env SHELL=/bin/bash
--- pty 80x24 cutonce
--- keys
< ›
paste ! Warning\ntouch EXECUTED\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve
< [Pasted text #1
press enter
< I read it.
paste /clear\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve
< [Pasted text
press enter
< That one, too.
> !touch typed; echo $((40+2))
press enter
< 42
< /help
> /exit
press enter
--- exit 0
--- disk
created typed

--- seen
request 1
  user: ! Warning
        touch EXECUTED
        three
        four
        five
        six
        seven
        eight
        nine
        ten
        eleven
        twelve
request 2
  assistant: I read it.
  user: /clear
        two
        three
        four
        five
        six
        seven
        eight
        nine
        ten
        eleven
        twelve

