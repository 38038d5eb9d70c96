Plain lines have the same setup (ON-3). Without a terminal, the message says what to do.

--- model
{"turns": [{"text": "Here I am."}], "accepted_key": "sk-ant-right-0001"}
--- env ANTHROPIC_API_KEY=
--- env OPENAI_API_KEY=
--- run cutonce -p hello
--- exit 1
--- stderr
cutonce: No model is configured. Set ANTHROPIC_API_KEY or OPENAI_API_KEY, run `cutonce setup`, or choose one with --model provider/name, such as --model ollama/qwen3.
Providers: anthropic, openai, openrouter, deepseek, groq, xai, openai-chat, ollama, llamacpp, lmstudio, vllm.

--- run cutonce setup
--- exit 2
--- stderr
cutonce: setup asks on a terminal; without one, set ANTHROPIC_API_KEY or use `cutonce key NAME < FILE`

--- pty 80x24 cutonce --plain
--- keys
< Number:
> 1
press enter
< it is not shown
paste sk-ant-right-0001
press enter
< Anthropic accepts the key
< >
> hello
press enter
< Here I am.
> /exit
press enter
--- exit 0
