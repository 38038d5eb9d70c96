Errors are plain sentences: no codes of the system and no names of libraries, whichever command reports them (CL-3).

--- run cutonce remote add lab nats://127.0.0.1:1
--- stdout
Added the remote lab: nats://127.0.0.1:1
--- stderr
cutonce: stored, but not connected yet: can't connect to nats://127.0.0.1:1: Connection refused; is the server running, and is the address right?

--- run cutonce jobs
--- exit 1
--- stderr
cutonce: can't connect to nats://127.0.0.1:1: Connection refused; is the server running, and is the address right?

--- run cutonce implement no-such-plan
--- exit 1
--- stderr
cutonce: no-such-plan is neither a plan (see `cutonce plans list`) nor a readable file: No such file or directory

--- run cutonce mcp login no-such-server
--- exit 1
--- stderr
cutonce: can't log in to "no-such-server" (`cutonce mcp list` lists the servers; one of a host needs --url URL): there is no MCP server "no-such-server"
