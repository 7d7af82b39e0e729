# SPDX-License-Identifier: Apache-2.0
"""The kernel's log."""

import os


class KernelLog:
    """Reads /dev/kmsg; each of its reads is one record: `priority,sequence,time,-;text`."""

    RECORD_LIMIT = 8_192

    def __init__(self):
        self.descriptor = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
        self.records = []

    def lines(self):
        """The records since the last `forget`: level and text."""
        while record := self._next():
            head, _, text = record.partition(";")
            level = int(head.split(",")[0]) & 7
            self.records.append({"level": level, "text": text.split("\n")[0]})
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
