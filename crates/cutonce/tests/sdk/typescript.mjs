// The TypeScript SDK drives cutonce, unchanged. Each `tests.ho_…` is one test: `node typescript.mjs NAME`.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const modules = join(process.env.SDK_FOLDER, "node_modules");
const { SYSTEM_PROMPT_DYNAMIC_BOUNDARY, createSdkMcpServer, query, tool } = await import(join(modules, "@anthropic-ai/claude-agent-sdk/sdk.mjs"));
const { z } = await import(join(modules, "zod/index.js"));
const BIN = process.env.CUTONCE_BIN;
const tests = {};
const stages = [];

/** A workspace, a home, and a model that says what the script says. */
class Stage {
  static async with(...turns) {
    const stage = new Stage();
    stage.root = realpathSync(mkdtempSync(join(tmpdir(), "sdk-")));
    for (const name of ["ws", "home"]) mkdirSync((stage[name] = join(stage.root, name)));
    stage.record = join(stage.root, "seen");
    const script = join(stage.root, "script.json");
    writeFileSync(script, JSON.stringify({ turns }));
    stage.server = spawn(BIN, ["scenario-server", script, "--record", stage.record], { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: stage.server.stdout });
    stage.url = await new Promise((found) => lines.once("line", (line) => found("http://" + line.split(" ").at(-1))));
    stages.push(stage);
    return stage;
  }

  options(more = {}) {
    const env = { ...process.env, ANTHROPIC_BASE_URL: this.url, ANTHROPIC_API_KEY: "sk-scripted", CUTONCE_HOME: this.home, HOME: this.root };
    return { pathToClaudeCodeExecutable: BIN, cwd: this.ws, env, ...more };
  }

  /** The requests that the model got; ends the model. */
  async seen() {
    if (this.server.exitCode === null) {
      const ended = new Promise((done) => this.server.once("exit", done));
      this.server.stdin.end();
      await ended;
    }
    if (!existsSync(this.record)) return [];
    return readdirSync(this.record).sort().map((name) => JSON.parse(readFileSync(join(this.record, name), "utf8")));
  }

  file(name) {
    const path = join(this.ws, name);
    return existsSync(path) ? readFileSync(path, "utf8") : null;
  }
}

const call = (name, input = {}) => ({ calls: [{ name, input }] });

async function run(messages) {
  const got = [];
  try {
    for await (const message of messages) got.push(message);
  } catch (error) {
    got.push(error);
  }
  return got;
}

const result = (got) => got.findLast((message) => message.type === "result");
const blocks = (got, type) =>
  got.flatMap((message) => (Array.isArray(message.message?.content) ? message.message.content : [])).filter((block) => block.type === type);
const said = (text) => ({ type: "user", message: { role: "user", content: text }, parent_tool_use_id: null, session_id: "" });

/** A stream of prompts that stays open until it is closed. */
function inbox() {
  const queue = [];
  let wake = () => {}, open = true;
  return {
    say(text) { this.push(said(text)); },
    push(message) { queue.push(message); wake(); },
    close() { open = false; wake(); },
    async *[Symbol.asyncIterator]() {
      while (open || queue.length) {
        if (queue.length) yield queue.shift();
        else await new Promise((woken) => (wake = woken));
      }
    },
  };
}

tests.ho_1_one_shot = async () => {
  const stage = await Stage.with({ text: "Hello." });
  const got = await run(query({ prompt: "hi", options: stage.options() }));
  assert.deepEqual(got.map((message) => message.type), ["system", "assistant", "result"]);
  assert.equal(result(got).result, "Hello.");
  assert.match(JSON.stringify(await stage.seen()), /hi/);
};

tests.ho_1_streamed_input_is_one_session = async () => {
  const stage = await Stage.with({ text: "one" }, { text: "two" });
  const prompts = inbox();
  prompts.say("first");
  const got = [];
  for await (const message of query({ prompt: prompts, options: stage.options() })) {
    got.push(message);
    if (message.type === "result" && message.result === "one") prompts.say("second");
    if (message.type === "result" && message.result === "two") prompts.close();
  }
  const ends = got.filter((message) => message.type === "result");
  assert.deepEqual(ends.map((end) => end.result), ["one", "two"]);
  assert.equal(ends[0].session_id, ends[1].session_id);
};

tests.ho_1_options_that_take_rights_away_are_obeyed = async () => {
  const write = call("Write", { file_path: "a.txt", content: "A" });
  const policy = await Stage.with(write, { text: "done" });
  const managedSettings = { permissions: { deny: ["Write"] } };
  await run(query({ prompt: "go", options: policy.options({ managedSettings, permissionMode: "acceptEdits" }) }));
  assert.equal(policy.file("a.txt"), null);

  const main = await Stage.with(write, { text: "done" });
  const agents = { ro: { description: "d", prompt: "I only read.", tools: ["Read"] } };
  await run(query({ prompt: "go", options: main.options({ agent: "ro", agents, permissionMode: "acceptEdits" }) }));
  const [request] = await main.seen();
  assert.match(JSON.stringify(request.system), /I only read/);
  assert.deepEqual(request.tools.map((tool) => tool.name), ["Read"]);
  assert.equal(main.file("a.txt"), null);

  const unasked = await Stage.with(write, { text: "done" });
  const asked = [];
  const canUseTool = async (tool, input) => (asked.push(tool), { behavior: "allow", updatedInput: input });
  const got = await run(query({ prompt: "go", options: unasked.options({ permissionPrompts: "none", canUseTool }) }));
  assert.deepEqual([asked, unasked.file("a.txt"), result(got).permission_denials.length], [[], null, 1]);
};

tests.ho_1_a_policy_may_come_with_initialize = async () => {
  const stage = await Stage.with(call("Write", { file_path: "a.txt", content: "A" }), { text: "done" });
  const flags = ["--output-format", "stream-json", "--input-format", "stream-json", "--managed-settings-in-initialize", "--permission-mode", "acceptEdits"];
  const drive = async (initialize) => {
    const child = spawn(BIN, flags, { cwd: stage.ws, env: stage.options().env, stdio: ["pipe", "pipe", "ignore"] });
    const ended = new Promise((done) => child.once("exit", done));
    // One that refuses may be gone before all is written.
    child.stdin.on("error", () => {});
    child.stdin.write(JSON.stringify({ type: "control_request", request_id: "1", request: { subtype: "initialize", ...initialize } }) + "\n");
    child.stdin.end(JSON.stringify(said("go")) + "\n");
    let out = "";
    for await (const piece of child.stdout) out += piece;
    return [await ended, out];
  };
  const [refused, words] = await drive({});
  assert.equal(refused, 1);
  assert.match(words, /has no `managedSettings`/);
  const [code, out] = await drive({ managedSettings: { permissions: { deny: ["Write"] } } });
  assert.equal(code, 0);
  assert.match(out, /permission_denials":\[\{/);
  assert.equal(stage.file("a.txt"), null);
};

tests.ho_1_a_session_that_is_not_persisted_leaves_nothing = async () => {
  const stage = await Stage.with({ text: "Hello." });
  const got = await run(query({ prompt: "hi", options: stage.options({ persistSession: false }) }));
  assert.equal(result(got).result, "Hello.");
  const left = readdirSync(stage.home, { recursive: true }).filter((name) => name.endsWith(".jsonl"));
  assert.deepEqual(left, []);
};

tests.ho_1_prompts_of_several_parts_and_an_own_workflow = async () => {
  const stage = await Stage.with({ text: "done" });
  const systemPrompt = ["FIRST", SYSTEM_PROMPT_DYNAMIC_BOUNDARY, "SECOND"];
  await run(query({ prompt: "go", options: stage.options({ systemPrompt, permissionMode: "plan", planModeInstructions: "MYWORKFLOW" }) }));
  const [request] = await stage.seen();
  const system = JSON.stringify(request.system);
  assert.ok(/FIRST.*SECOND/.test(system) && !system.includes("BOUNDARY"), system);
  const words = JSON.stringify(request.messages);
  assert.ok(words.includes("MYWORKFLOW") && words.includes("Plan mode is on") && !words.includes("Explore agents"), words);
};

tests.ho_1_partial_messages = async () => {
  const stage = await Stage.with({ text: "Hello there.", delta: 3 });
  const got = await run(query({ prompt: "hi", options: stage.options({ includePartialMessages: true }) }));
  const pieces = got.filter((message) => message.type === "stream_event" && message.event.type === "content_block_delta");
  assert.equal(pieces.map((piece) => piece.event.delta.text).join(""), "Hello there.");
};

tests.ho_1_can_use_tool_allows_denies_and_changes = async () => {
  const stage = await Stage.with(
    call("Write", { file_path: "a.txt", content: "A" }), call("Write", { file_path: "b.txt", content: "B" }),
    call("Write", { file_path: "c.txt", content: "C" }), { text: "done" });
  const asked = [];
  const canUseTool = async (tool, input, { toolUseID }) => {
    asked.push([tool, input.file_path, typeof toolUseID]);
    if (input.file_path === "a.txt") return { behavior: "allow", updatedInput: input };
    if (input.file_path === "b.txt") return { behavior: "deny", message: "not b" };
    return { behavior: "allow", updatedInput: { ...input, file_path: "d.txt" } };
  };
  const got = await run(query({ prompt: "go", options: stage.options({ canUseTool }) }));
  assert.deepEqual(asked, ["a", "b", "c"].map((name) => ["Write", `${name}.txt`, "string"]));
  assert.deepEqual(["a", "b", "c", "d"].map((name) => stage.file(`${name}.txt`)), ["A", null, null, "C"]);
  assert.equal(blocks(got, "tool_result")[1].content, "not b");
  assert.equal(result(got).permission_denials.length, 1);
};

tests.ho_1_changed_permissions = async () => {
  const stage = await Stage.with(call("Bash", { command: "mkdir one" }), call("Bash", { command: "mkdir two" }), { text: "done" });
  const asked = [];
  const canUseTool = async (tool, input) => {
    asked.push(input.command);
    const rules = [{ toolName: "Bash", ruleContent: "mkdir:*" }];
    return { behavior: "allow", updatedInput: input, updatedPermissions: [{ type: "addRules", rules, behavior: "allow", destination: "session" }] };
  };
  await run(query({ prompt: "go", options: stage.options({ canUseTool }) }));
  assert.deepEqual(asked, ["mkdir one"]);
  assert.ok(existsSync(join(stage.ws, "two")));
};

tests.ho_1_mode_and_model_are_set_while_it_runs = async () => {
  const stage = await Stage.with({ text: "one" }, call("Write", { file_path: "a.txt", content: "A" }), { text: "two" });
  const prompts = inbox();
  prompts.say("first");
  const running = query({ prompt: prompts, options: stage.options({ model: "claude-sonnet-5-5" }) });
  const got = [];
  for await (const message of running) {
    got.push(message);
    if (message.type === "result" && message.result === "one") {
      await running.setPermissionMode("acceptEdits");
      await running.setModel("claude-opus-4-6");
      prompts.say("second");
    }
    if (message.type === "result" && message.result === "two") prompts.close();
  }
  assert.equal(stage.file("a.txt"), "A");
  assert.deepEqual((await stage.seen()).map((request) => request.model), ["claude-sonnet-5-5", "claude-opus-4-6", "claude-opus-4-6"]);
};

tests.ho_1_an_interrupt_leaves_the_session_usable = async () => {
  const stage = await Stage.with({ text: "word ".repeat(2000), delta: 5, delay_ms: 20 }, { text: "still here" });
  const prompts = inbox();
  prompts.say("go");
  const running = query({ prompt: prompts, options: stage.options({ includePartialMessages: true }) });
  const ends = [];
  let stopped = false;
  for await (const message of running) {
    if (message.type === "stream_event" && message.event.type === "content_block_delta" && !stopped) {
      stopped = true;
      await running.interrupt();
    }
    if (message.type === "result") {
      ends.push(message);
      if (ends.length === 1) prompts.say("again");
      else prompts.close();
    }
  }
  assert.equal(ends[0].subtype, "error_during_execution");
  assert.equal(ends[1].result, "still here");
};

tests.ho_1_hooks_and_tools_inside_the_host = async () => {
  const stage = await Stage.with(call("mcp__calc__add", { a: 2, b: 3 }), call("Bash", { command: "mkdir one" }), { text: "done" });
  const calls = [], told = [];
  const add = tool("add", "Adds", { a: z.number(), b: z.number() }, async ({ a, b }) => {
    calls.push([a, b]);
    return { content: [{ type: "text", text: String(a + b) }] };
  });
  const hook = async (input) => {
    told.push(input.tool_name);
    const permissionDecision = input.tool_name === "Bash" ? "deny" : "allow";
    return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason: "no shell" } };
  };
  const options = stage.options({ mcpServers: { calc: createSdkMcpServer({ name: "calc", tools: [add] }) }, hooks: { PreToolUse: [{ hooks: [hook] }] } });
  const got = await run(query({ prompt: "add", options }));
  assert.deepEqual(calls, [[2, 3]]);
  assert.deepEqual(told, ["mcp__calc__add", "Bash"]);
  assert.match(JSON.stringify(blocks(got, "tool_result")[1]), /no shell/);
  assert.ok(!existsSync(join(stage.ws, "one")));
};

tests.ho_1_limits_are_error_results = async () => {
  const stage = await Stage.with({ ...call("Bash", { command: "ls" }), repeat: 9 });
  const got = await run(query({ prompt: "go", options: stage.options({ maxTurns: 2 }) }));
  assert.equal(result(got).subtype, "error_max_turns");
  assert.match(String(got.at(-1)), /maximum number of turns \(2\)/);
};

tests.ho_1_resume_and_fork = async () => {
  const stage = await Stage.with({ text: "one" }, { text: "two" }, { text: "three" });
  const first = result(await run(query({ prompt: "first", options: stage.options() })));
  const second = result(await run(query({ prompt: "second", options: stage.options({ resume: first.session_id }) })));
  const third = result(await run(query({ prompt: "third", options: stage.options({ resume: first.session_id, forkSession: true }) })));
  assert.equal(second.session_id, first.session_id);
  assert.notEqual(third.session_id, first.session_id);
  assert.match(JSON.stringify((await stage.seen())[2].messages), /first.*second.*third/s);
};

tests.ho_1_the_system_prompt_comes_with_initialize = async () => {
  const stage = await Stage.with({ text: "one" }, { text: "two" });
  await run(query({ prompt: "go", options: stage.options({ systemPrompt: "You are a gardener." }) }));
  const systemPrompt = { type: "preset", preset: "claude_code", append: "Speak like a sailor." };
  await run(query({ prompt: "go", options: stage.options({ systemPrompt, allowedTools: ["Read"], disallowedTools: ["Bash"], settingSources: [] }) }));
  const [one, two] = await stage.seen();
  assert.match(JSON.stringify(one.system), /You are a gardener\./);
  assert.match(JSON.stringify(two.system), /Speak like a sailor\./);
};

tests.ho_2_plan_flow_with_edit_and_mode = async () => {
  const stage = await Stage.with(
    call("Write", { file_path: "{plan}", content: "# The plan\n" }), call("ExitPlanMode"),
    call("Write", { file_path: "late.txt", content: "LATE" }), { text: "implemented" });
  const asked = [];
  const canUseTool = async (tool, input) => {
    asked.push(tool);
    const updatedPermissions = [{ type: "setMode", mode: "acceptEdits", destination: "session" }];
    return { behavior: "allow", updatedInput: { ...input, plan: input.plan + "\nEdited.\n" }, updatedPermissions };
  };
  const got = await run(query({ prompt: "plan", options: stage.options({ canUseTool, permissionMode: "plan" }) }));
  assert.deepEqual(asked, ["ExitPlanMode"]);
  assert.equal(stage.file("late.txt"), "LATE");
  assert.match(JSON.stringify(blocks(got, "tool_result")[1]), /Edited\./);
};

tests.ho_2_a_rejected_plan_keeps_planning = async () => {
  const stage = await Stage.with(
    call("Write", { file_path: "{plan}", content: "# The plan\n" }), call("ExitPlanMode"),
    call("Write", { file_path: "early.txt", content: "EARLY" }), { text: "revised" });
  const canUseTool = async () => ({ behavior: "deny", message: "Cover the tests." });
  const got = await run(query({ prompt: "plan", options: stage.options({ canUseTool, permissionMode: "plan" }) }));
  const rejected = blocks(got, "tool_result")[1];
  assert.ok(rejected.is_error && JSON.stringify(rejected).includes("Cover the tests."));
  assert.equal(stage.file("early.txt"), null);
};

tests.ho_1_agents_of_the_host_are_started_and_held_by_plan_mode = async () => {
  const stage = await Stage.with(
    call("Agent", { subagent_type: "gardener", description: "look", prompt: "Find the roses." }),
    call("Write", { file_path: "roses.txt", content: "ROSES" }), { text: "by the wall" }, { text: "done" });
  const agents = { gardener: { description: "Knows plants.", prompt: "You are the gardener.", tools: ["Write"] } };
  const running = query({ prompt: "go", options: stage.options({ agents, permissionMode: "plan", allowedTools: ["Agent", "Write"] }) });
  const told = await running.supportedAgents();
  const got = await run(running);
  assert.ok(told.some((agent) => agent.name === "gardener" && agent.description === "Knows plants."));
  assert.match(JSON.stringify(blocks(got.filter((one) => !one.parent_tool_use_id), "tool_result")), /by the wall/);
  assert.equal(stage.file("roses.txt"), null);
  assert.ok(blocks(got.filter((one) => one.parent_tool_use_id), "tool_result")[0].is_error);
  assert.match(JSON.stringify((await stage.seen())[1].system), /You are the gardener\./);
};

tests.ho_1_answer_fits_the_output_schema = async () => {
  const stage = await Stage.with(call("StructuredOutput", { city: 7 }), call("StructuredOutput", { city: "Bern" }));
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const got = await run(query({ prompt: "go", options: stage.options({ outputFormat: { type: "json_schema", schema } }) }));
  assert.deepEqual(result(got).structured_output, { city: "Bern" });
  assert.equal((await stage.seen()).length, 2);
};

tests.ho_1_servers_thinking_and_files_change_while_it_runs = async () => {
  const stage = await Stage.with(call("mcp__calc__add", { a: 2, b: 3 }), { text: "one" }, call("Write", { file_path: "a.txt", content: "A" }), { text: "two" });
  const add = tool("add", "Adds", { a: z.number(), b: z.number() }, async ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }));
  const prompts = inbox();
  const uuid = "0f0e0d0c-0b0a-4908-8706-050403020100";
  const running = query({ prompt: prompts, options: stage.options({ allowedTools: ["mcp__calc"], permissionMode: "acceptEdits", model: "claude-sonnet-4-5" }) });
  const set = await running.setMcpServers({ calc: createSdkMcpServer({ name: "calc", tools: [add] }) });
  assert.deepEqual([set.added, set.removed, set.errors], [["calc"], [], {}]);
  assert.deepEqual((await running.mcpServerStatus()).map((one) => [one.name, one.status]), [["calc", "connected"]]);
  prompts.say("first");
  const got = [];
  for await (const message of running) {
    got.push(message);
    if (message.type === "result" && message.result === "one") {
      await running.setMaxThinkingTokens(2048);
      prompts.push({ ...said("second"), uuid });
    }
    if (message.type === "result" && message.result === "two") {
      assert.equal(stage.file("a.txt"), "A");
      const preview = await running.rewindFiles(uuid, { dryRun: true });
      assert.ok(preview.canRewind && preview.filesChanged.length === 1);
      assert.ok((await running.rewindFiles(uuid)).canRewind);
      assert.equal(stage.file("a.txt"), null);
      await assert.rejects(running.stopTask("unknown"), /no task/);
      prompts.close();
    }
  }
  assert.match(JSON.stringify(blocks(got, "tool_result")[0]), /5/);
  const thought = (await stage.seen()).map((request) => request.thinking?.budget_tokens ?? null);
  assert.deepEqual(thought.slice(0, 3), [null, null, 2048]);
};

const name = process.argv[2];
await tests[name]();
// The test has passed: nothing of it stays.
for (const stage of stages) {
  await stage.seen();
  rmSync(stage.root, { recursive: true, force: true });
}
process.exit(0);
