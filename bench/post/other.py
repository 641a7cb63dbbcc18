"""Another mail server beside ours: aiosmtpd, which writes every message into a Maildir.

Run by the program in this folder (`--other PYTHON`, a Python that has aiosmtpd); prints its port, and ends with its
standard input. The Maildir of Python's library syncs the file and renames it; the folder is synced here, so that an
answer means the same as ours: it is on the disk under its name.
"""

import asyncio
import os
import sys

from aiosmtpd.handlers import Mailbox
from aiosmtpd.smtp import SMTP


class Durable(Mailbox):
    async def handle_DATA(self, server, session, envelope):
        told = await super().handle_DATA(server, session, envelope)
        folder = os.open(os.path.join(self.mail_dir, "new"), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        return told


async def main():
    handler = Durable(os.path.join(sys.argv[1], "maildir"))
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(handler), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


asyncio.run(main())
