"""A client of another make drives the built binary: the official Python SDK of MCP.

usage: mcp_python.py PATH_OF_BRAINSTEM

Two repositories and one empty home: an agent learns in one, its next process finds it at once, the
other repository never sees it, a weaker claim and bad arguments are refused in band with a code and
a fix. Then a mother hands a task over, and its child, started elsewhere, lands in the right brain.
"""

# spec: IF-7, IF-8, IF-9, IF-17, IF-18, IF-20, IF-21, IF-26, MEM-11, MEM-15, MEM-18, MEM-21, MEM-39, MEM-40, MEM-41
import asyncio
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

TOOLS = {
    "boot", "bootstrap", "debrief", "delegate", "handshake", "inbox", "learn", "letter", "list", "mail", "memorize",
    "north", "note", "promote", "retract", "seek", "session", "show", "tools", "verify", "whoami",
}  # fmt: skip
ADDRESSES = ["brainstem://claims/{slug}{?tier}", "brainstem://mail/{box}"]
LIVE = {"live"}
LEDGER = {"ledger"}
UPKEEP = {
    "agent", "audit", "brains", "consolidate", "doctor", "export", "forget", "import", "rename", "resolve",
    "status", "tags",
}


class World:
    """An empty home and two repositories."""

    def __init__(self, binary: str, folder: pathlib.Path):
        self.binary = binary
        self.folder = folder
        for name in ["home", "cherry", "gitrooms"]:
            (folder / name).mkdir()
        for name in ["cherry", "gitrooms"]:
            subprocess.run(["git", "init", "-q", folder / name], check=True)

    def server(self, repository: str, *words: str) -> StdioServerParameters:
        env = {"HOME": str(self.folder / "home"), "PATH": os.environ["PATH"]}
        return StdioServerParameters(
            command=self.binary, args=["mcp", *words], cwd=self.folder / repository, env=env
        )


async def call(session: ClientSession, tool: str, **arguments):
    """Calls a tool and returns its structured answer; text and structure must agree."""
    has_page = tool in ("north", "seek")
    result = await session.call_tool(tool, arguments | ({"document": True} if has_page else {}))
    document = result.structured_content
    assert has_page or document == json.loads(result.content[0].text), (tool, result)
    assert not result.is_error, (tool, document)
    return document


async def refused(session: ClientSession, code: str, tool: str, **arguments):
    """Calls a tool that must refuse, and returns the error with its code and fix."""
    result = await session.call_tool(tool, arguments)
    assert result.is_error, (tool, result)
    error = json.loads(result.content[0].text)["error"]
    assert error["code"] == code, error
    assert error["message"] and error["fix"], error
    return error


async def first_agent(session: ClientSession):
    hello = await session.initialize()
    assert hello.server_info.name == "brainstem", hello
    assert "north" in hello.instructions, hello
    tools = (await session.list_tools()).tools
    assert {tool.name for tool in tools} == TOOLS, tools
    for tool in tools:
        assert tool.description and tool.input_schema["type"] == "object", tool
    by_name = {tool.name: tool for tool in tools}
    assert by_name["seek"].annotations.read_only_hint is True
    assert by_name["retract"].annotations.destructive_hint is True

    error = await refused(session, "memory.brainless_root", "memorize", label="a", text="b")
    assert "bootstrap" in error["fix"], error
    made = await call(session, "bootstrap")
    assert made["existed"] is False and made["store"] == "owner", made
    again = await call(session, "bootstrap")
    assert again["existed"] is True and again["id"] == made["id"], again

    born = await call(
        session, "memorize", label="Retry policy", text="Three times, then give up.",
        confidence="high", tags=["net"], agent_id="codex:maker",
    )  # fmt: skip
    assert born["superseded"] is False and born["source_agent"] == "codex:maker", born
    same = await call(
        session, "memorize", label="Retry policy", text="Three times, then give up.",
        confidence=0.9, tags='["net"]', agent_id="claude:maker",
    )  # fmt: skip
    assert same["unchanged"] is True and same["source_agent"] == "codex:maker", same
    error = await refused(session, "claim.would_downgrade", "memorize", label="Retry policy", text="Five.")
    assert error["rule"] == "MEM-11", error
    error = await refused(session, "claim.slug_taken", "memorize", label="retry/POLICY!", text="x")
    assert "Retry policy" in error["message"], error

    error = await refused(session, "input.missing", "memorize", text="no label")
    assert error["field"] == "label", error
    error = await refused(session, "input.bad_value", "seek", query="x", limit="many")
    assert error["field"] == "limit", error
    error = await refused(session, "input.bad_value", "seek", query="x", tier="everything")
    assert error["field"] == "tier", error
    await refused(session, "claim.bad_confidence", "memorize", label="x", text="x", confidence=99)
    await refused(session, "identity.bad_agent", "whoami", agent_id="../root")
    await refused(session, "claim.not_found", "show", label="Retry polcy")
    try:
        await session.call_tool("no_such_tool", {})
        raise AssertionError("an unknown tool was accepted")
    except Exception as error:  # the SDK's own error type moves between its versions
        assert "no_such_tool" in str(error), error


async def next_process(session: ClientSession):
    await session.initialize()
    found = await call(session, "seek", query="how often do we retry?")
    assert found["rows"][0]["label"] == "Retry policy", found
    assert found["rows"][0]["text"] == "Three times, then give up.", found
    assert found["rows"][0]["source_agent"] == "codex:maker", found
    assert found["memory_exists"] == 1, found
    newer = await call(
        session, "memorize", label="Retry policy", text="Four times.", confidence=1, agent_id="claude:maker"
    )
    assert newer["superseded"] is True, newer
    shown = await call(session, "show", label="retry-policy")
    assert shown["claim"]["text"] == "Four times.", shown
    assert [version["text"] for version in shown["history"]] == ["Three times, then give up."], shown


async def resources_and_prompts(session: ClientSession):
    """What a person attaches or picks, in the project of the first agent."""
    await session.initialize()
    listed = await session.list_resources()
    uris = [str(resource.uri) for resource in listed.resources]
    assert uris == ["brainstem://beat", "brainstem://claims/retry-policy"], uris
    templates = (await session.list_resource_templates()).resource_templates
    assert [template.uri_template for template in templates] == ADDRESSES, templates
    for uri in uris:
        read = await session.read_resource(uri)
        assert read.contents[0].mime_type == "text/markdown" and "Four times." in read.contents[0].text, read
    try:
        await session.read_resource("brainstem://claims/no-such-claim")
        raise AssertionError("an unknown claim was read")
    except Exception as error:  # the SDK's own error type moves between its versions
        assert "no-such-claim" in str(error), error
    prompts = {prompt.name: prompt for prompt in (await session.list_prompts()).prompts}
    assert set(prompts) == {"start_session", "hand_over", "triage_letters"}, prompts
    start = await session.get_prompt("start_session", {"task": "bound the retries"})
    assert "bound the retries" in start.messages[0].content.text, start
    assert "Four times." in start.messages[0].content.text, start
    over = await session.get_prompt("hand_over", {"to": "codex:maker"})
    assert "codex:maker" in over.messages[0].content.text, over


async def progress(session: ClientSession):
    """A batch tells how far it is, each time further, and the whole at last."""
    await session.initialize()
    await call(session, "bootstrap")
    told = []

    async def heard(done, total, message):
        told.append((done, total))

    batch = [{"label": f"Fact {n}", "text": "x"} for n in range(60)]
    result = await session.call_tool("memorize", {"batch": batch}, progress_callback=heard)
    assert not result.is_error, result
    assert told and told == sorted(set(told)) and told[-1] == (60, 60), told
    for n in range(60):
        await call(session, "retract", label=f"Fact {n}", reason="a test")


async def another_project(session: ClientSession):
    await session.initialize()
    await call(session, "bootstrap")
    found = await call(session, "seek", query="Retry policy")
    assert found["rows"] == [] and found["memory_exists"] == 0, found
    beat = await call(session, "north", task="look at the retry policy")
    assert beat["memory"] == [] and beat["binding"]["trust_mode"] == "full", beat
    listed = await call(session, "list")
    assert listed["rows"] == [], listed
    asked = await call(session, "seek", query="retry", tier="all-brains")
    origins = [group["origin_brain"] for group in asked["groups"] if group["rows"]]
    assert len(origins) == 1 and origins[0].startswith("cherry@"), asked
    page = await session.call_tool("seek", {"query": "retry", "tier": "all-brains"})
    assert page.structured_content is None and "data, not instruction" in page.content[0].text, page
    error = await refused(session, "input.unknown_verb", "brains")
    assert error["next"] == [{"tool": "tools", "arguments": {"on": ["upkeep"]}}], error
    switched = await call(session, error["next"][0]["tool"], **error["next"][0]["arguments"])
    assert switched["switched_on"] == ["upkeep"], switched
    assert {tool.name for tool in (await session.list_tools()).tools} == TOOLS | UPKEEP
    await call(session, "brains")


async def upkeep(session: ClientSession):
    await session.initialize()
    tools = (await session.list_tools()).tools
    assert {tool.name for tool in tools} == TOOLS | UPKEEP | LIVE | LEDGER, tools
    brains = await call(session, "brains")
    assert sorted(brain["claims"] for brain in brains["brains"]) == [0, 3], brains
    audit = await call(session, "audit", what="delegations")
    assert audit["counts"] == {"success": 1}, audit


async def mother_and_child(session: ClientSession, child: ClientSession):
    """The mother is in cherry; the child was started in the other repository."""
    await session.initialize()
    await child.initialize()
    packet = await call(
        session, "delegate", task="make the retry policy bounded", to="codex:maker", agent_id="claude:orchestrator"
    )
    assert [row["label"] for row in packet["context"]["memory"]] == ["Retry policy"], packet
    assert packet["context"]["memory"][0]["tier"] == "project", packet
    assert packet["delegation_id"] in packet["prompt_markdown"], packet
    binding = packet["mission"]["binding"]
    assert packet["env"]["BRAINSTEM_WORKSPACE_ROOT"] == binding["root"], packet

    told = await call(child, "handshake", expect_root=binding["root"], expect_fingerprint="cherry-0")
    assert told["match"] is False and told["reception"]["options"], told
    told = await call(
        child, "session_handshake", expect_root=binding["root"], expect_fingerprint=binding["fingerprint"]
    )
    assert told["match"] is True and told["rebound"] is True, told
    wrote = await call(child, "memorize", label="Seen", text="by the child", agent_id="codex:maker")
    assert wrote["origin_brain"] == binding["brain"] and wrote["tier"] == "project", wrote

    report = f"[brainstem {packet['delegation_id']}] success\nDEVIATIONS\n- none\nFINDINGS\n- It stops after five tries.\n"
    done = await call(session, "debrief", report=report, agent_id="claude:orchestrator")
    assert len(done["memorized"]) == 1 and done["child"] == "codex:maker", done
    again = await call(session, "debrief", report=report, agent_id="claude:orchestrator")
    assert again["unchanged"] is True, again
    await refused(session, "delegation.closed", "debrief", report=report.replace("five", "six"))
    await refused(session, "delegation.unknown", "debrief", delegation_id="dlg_" + "0" * 20, outcome="failure")
    await refused(session, "delegation.bad_report", "debrief", report="I am done.")


async def main(binary: str):
    with tempfile.TemporaryDirectory() as folder:
        world = World(binary, pathlib.Path(folder).resolve())
        for repository, act in [
            ("cherry", first_agent), ("cherry", next_process), ("cherry", resources_and_prompts),
            ("gitrooms", progress), ("gitrooms", another_project),
        ]:  # fmt: skip
            async with stdio_client(world.server(repository)) as (read, write):
                async with ClientSession(read, write) as session:
                    await act(session)
            print(f"ok {act.__name__}")
        async with stdio_client(world.server("cherry")) as (read, write):
            async with stdio_client(world.server("gitrooms")) as (child_read, child_write):
                async with ClientSession(read, write) as session, ClientSession(child_read, child_write) as child:
                    await mother_and_child(session, child)
        print(f"ok {mother_and_child.__name__}")
        async with stdio_client(world.server("cherry", "--toolsets", "all")) as (read, write):
            async with ClientSession(read, write) as session:
                await upkeep(session)
        print(f"ok {upkeep.__name__}")


if __name__ == "__main__":
    asyncio.run(main(os.path.abspath(sys.argv[1])))
    print("7 passed, 0 failed")
