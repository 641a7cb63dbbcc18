"""A client of another make speaks MCP over HTTP with the daemon: the official Python SDK.

usage: mcp_http_python.py PATH_OF_BRAINSTEM

One daemon, two projects. A session that says where it stands writes and finds; one of the other project never
sees it; one that stands nowhere reads the medulla, is told so, and is refused a write; nobody comes in without
the token. Two sessions reach each other at the live channel.
"""

# spec: IF-7, IF-11, IF-14, MAIL-17, MEM-15, MEM-17, MEM-18, MEM-21
import asyncio
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from contextlib import asynccontextmanager

from mcp import ClientSession
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


@asynccontextmanager
async def session(up: dict, token: str, **headers: str):
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    async with create_mcp_http_client(headers={"Authorization": f"Bearer {token}", **names}) as http:
        async with streamable_http_client(f"{up['url']}/mcp", http_client=http) as (read, write):
            async with ClientSession(read, write) as opened:
                hello = await opened.initialize()
                assert hello.server_info.name == "brainstem", hello
                yield opened


async def call(opened: ClientSession, tool: str, **arguments):
    has_page = tool in ("north", "seek")
    result = await opened.call_tool(tool, arguments | ({"document": True} if has_page else {}))
    document = result.structured_content
    assert has_page or document == json.loads(result.content[0].text), (tool, result)
    assert not result.is_error, (tool, document)
    return document


async def refused(opened: ClientSession, code: str, tool: str, **arguments):
    result = await opened.call_tool(tool, arguments)
    assert result.is_error, (tool, result)
    error = json.loads(result.content[0].text)["error"]
    assert error["code"] == code and error["fix"], error
    return error


async def agents(up: dict, token: str, folder: pathlib.Path):
    cherry, plum = str(folder / "cherry"), str(folder / "plum")
    async with session(up, token, Brainstem_Caller_Root=cherry, Brainstem_Agent="codex:maker") as maker:
        tools = (await maker.list_tools()).tools
        assert {"memorize", "seek", "north"} <= {tool.name for tool in tools}, tools
        await refused(maker, "memory.brainless_root", "memorize", label="a", text="b")
        await call(maker, "bootstrap")
        told = await call(maker, "memorize", label="Retry policy", text="Three times.")
        assert told["source_agent"] == "codex:maker", told
        async with session(up, token, Brainstem_Caller_Root=plum) as other:
            await call(other, "bootstrap")
            found = await call(other, "seek", query="retry policy")
            assert found["rows"] == [], found
        found = await call(maker, "seek", query="retry policy")
        assert [row["text"] for row in found["rows"]] == ["Three times."], found
    await live(up, token, cherry)
    async with session(up, token) as nowhere:
        beat = await call(nowhere, "north", task="retry policy")
        assert beat["binding"]["trust_mode"] == "unbound" and beat["memory"] == [], beat
        assert "unbound" in [gap["name"] for gap in beat["honest_gaps"]], beat
        await refused(nowhere, "memory.brainless_root", "memorize", label="a", text="b")
        await refused(nowhere, "input.bad_value", "bootstrap", path="relative")
        shaken = await call(nowhere, "session_handshake", expect_root=cherry)
        assert shaken["match"] and shaken["rebound"], shaken
        assert (await call(nowhere, "seek", query="retry policy"))["rows"], "it is bound now"
    try:
        async with session(up, "0" * 64):
            raise SystemExit("a wrong token was let in")
    except BaseException as error:
        assert not isinstance(error, SystemExit), error


async def live(up: dict, token: str, root: str):
    """Two sessions of one agent: what one sends, the other gets while it waits, and once."""
    here = {"Brainstem_Caller_Root": root, "Brainstem_Agent": "codex:maker"}
    async with session(up, token, Brainstem_Session="w1", **here) as worker:
        async with session(up, token, Brainstem_Session="orch", Brainstem_Tags="orchestrator", **here) as orch:
            before = await call(worker, "poll_messages")
            assert before["messages"] == [], before
            waits = asyncio.create_task(call(worker, "poll_messages", wait_s=60))
            sent = await call(orch, "send_orchestration", target="w1", body="Stop.", persist=True)
            assert sent["recipients"] == ["w1"] and sent["daemon"], sent
            got = await waits
            assert [message["body"] for message in got["messages"]] == ["Stop."], got
            assert (await call(worker, "poll_messages", cursor=got["cursor"]))["messages"] == []
            assert (await call(worker, "mail_list"))["messages"] == [], "got live, so it is read"
            told = await call(worker, "report_status", status="idle")
            assert told["recipients"] == ["orch"], told


def main(binary: str):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        env = {"HOME": str(folder), "PATH": os.environ["PATH"], "BRAINSTEM_BACKGROUND": "off"}
        for project in ["cherry", "plum"]:
            (folder / project).mkdir()
            subprocess.run(["git", "init", "-q", folder / project], check=True)

        def brainstem(*words: str):
            done = subprocess.run([binary, "--json", *words], cwd=folder, env=env, check=True, capture_output=True)
            return json.loads(done.stdout)

        up = brainstem("up", "--detach", "--bind", "127.0.0.1:0", "--toolsets", "default,live")
        try:
            token = pathlib.Path(up["token_file"]).read_text().strip()
            asyncio.run(asyncio.wait_for(agents(up, token, folder), 120))
        finally:
            brainstem("down")
    print("mcp_http_python.py: all is well")


if __name__ == "__main__":
    main(sys.argv[1])
