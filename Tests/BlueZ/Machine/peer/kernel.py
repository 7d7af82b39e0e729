# SPDX-License-Identifier: Apache-2.0
"""The kernel's log."""

import asyncio
import os

# The messages that Linux 6.1 logs when it corrupts one of its lists. This happens when a program
# closes a channel and the link of the channel has just ended, or could not be encrypted. If the
# memory has been reused, only the stack trace shows the corruption.
LIST_CORRUPTIONS = ("kernel BUG at lib/list_debug.c", " hci_chan_del+")


class KernelLog:
    """Reads /dev/kmsg. Each read returns one record: `priority,sequence,time,-;text`."""

    RECORD_LIMIT = 8_192

    def __init__(self, line):
        self.line = line
        self.descriptor = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
        self.records = []
        asyncio.get_running_loop().add_reader(self.descriptor, self.lines)

    def lines(self):
        """The records since the last `forget`: level and text."""
        while record := self._next():
            head, _, text = record.partition(";")
            level = int(head.split(",")[0]) & 7
            self.records.append({"level": level, "text": text.split("\n")[0]})
            if any(sign in text for sign in LIST_CORRUPTIONS):
                self.line.emit("kernel_fault", what="Linux corrupted a list")
        return self.records

    def forget(self):
        self.lines()
        self.records = []

    def _next(self):
        try:
            return os.read(self.descriptor, self.RECORD_LIMIT).decode(errors="replace")
        except BlockingIOError:
            return None
        except BrokenPipeError:  # records were overwritten before they were read
            return "4,0,0,-;some records were lost"
