"""What the peer has not heard of yet."""

from __future__ import annotations

import contextlib
import errno
import io
import itertools
import json
import os
import threading
import weakref
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional

from peerd.table import Table

try:
    import fcntl
except ImportError:  # not on Unix
    fcntl = None  # type: ignore[assignment]

DROPPED = 1000  # ids that are remembered of those that the peer refused


@dataclass
class Waiting:
    """A decision that was drawn from a table, or one of the peer's, and rewards that the peer has not taken."""

    ask: Optional[Dict[str, Any]] = None  # what draws it again; None if the peer made it
    action: str = ""
    propensity: float = 0.0
    taken: bool = True  # the peer has the decision
    rewards: List[Dict[str, Any]] = field(default_factory=list)


class Backlog:
    """Decisions and rewards until the peer has taken or refused them, and the newest table. With a file a line
    for each is on disk before the application goes on; all states follow from lines. No other client may use the
    file. What it has of whole lines is read; if some are damaged, the file as it was is kept under another name,
    and problem says so."""

    def __init__(self, path: Optional[str], bound: int) -> None:
        self.table: Optional[Table] = None
        self.waiting: Dict[str, Waiting] = {}
        self.dropped: Dict[str, int] = {}  # statuses by id
        self.lock = threading.RLock()
        self._path, self._bound, self._rewards = path, bound, 0
        self._file: Optional[io.FileIO] = None
        self._held: Optional[io.FileIO] = None  # the lock
        self._lines = 0
        self.problem = ""
        if path:
            self._held = _lock(path)
            child = weakref.ref(self)  # it has inherited the lock, and nothing of the file
            if self._held and hasattr(os, "register_at_fork"):
                os.register_at_fork(after_in_child=lambda: child() and child()._release())
            try:
                self._open(path)
            except BaseException:
                self._release()
                raise

    def add(self, line: Dict[str, Any], sync: bool = False) -> None:
        """Applies a line. Only a line that must be on disk first, and is not, is an error: what others say is
        found out again after a restart."""
        with self.lock:
            try:
                self._write(line, sync)
            except OSError:
                if sync:
                    raise
            self._apply(line)
            if self._path and self._lines > 1000 + 4 * (len(self.waiting) + self._rewards + len(self.dropped)):
                self._lines = 0
                with contextlib.suppress(OSError):  # the longer file is right, too
                    self._compact(self._path)

    def _write(self, line: Dict[str, Any], sync: bool) -> None:
        if not self._file:
            return
        text = json.dumps(line).encode() + b"\n"
        end = os.fstat(self._file.fileno()).st_size
        try:
            if self._file.write(text) != len(text):
                raise OSError(errno.ENOSPC, "the disk is full")
            if sync:
                os.fsync(self._file.fileno())
        except OSError:
            self._file.truncate(end)  # or the next line would follow a torn one
            raise
        self._lines += 1

    def drawn(self, ask: Dict[str, Any], action: str, propensity: float) -> bool:
        """Keeps a decision, unless there are too many."""
        with self.lock:
            if len(self.waiting) >= self._bound:
                return False
            self.add({"drawn": {"ask": ask, "action": action, "propensity": propensity}}, sync=True)
            return True

    def reward(self, doc: Dict[str, Any]) -> bool:
        """Keeps a reward, unless there are too many."""
        with self.lock:
            if self._rewards >= self._bound or doc["id"] not in self.waiting and len(self.waiting) >= self._bound:
                return False
            self.add({"reward": doc}, sync=True)
            return True

    def decisions(self, most: int) -> List[Waiting]:
        """The oldest decisions that the peer does not have."""
        with self.lock:
            return [w for w in self.waiting.values() if not w.taken][:most]

    def rewards(self, most: int) -> List[Dict[str, Any]]:
        """The oldest rewards, one for each decision that the peer has."""
        with self.lock:
            return [w.rewards[0] for w in self.waiting.values() if w.taken and w.rewards][:most]

    def close(self) -> None:
        with self.lock:
            if self._file:
                self._file.close()
                self._file = None
            self._release()

    def _release(self) -> None:
        if self._held:
            self._held.close()
            self._held = None

    def _apply(self, line: Dict[str, Any]) -> None:
        (kind, value), = line.items()
        if kind == "table":
            self.table = value and Table.from_json(value)
        elif kind == "drawn":
            id, chance = _text(value["ask"]["id"]), value["propensity"]
            if not _text(value["action"]) or not _text(value["ask"]["table"]) or not 0 < chance <= 1:
                raise ValueError("no decision")
            before = self.waiting.pop(id, None)
            self._rewards -= len(before.rewards) if before else 0
            self.waiting[id] = Waiting(value["ask"], value["action"], chance, False)
            self.dropped.pop(id, None)
        elif kind == "reward":
            self.waiting.setdefault(_text(value["id"]), Waiting()).rewards.append(value)
            self._rewards += 1
        elif kind == "taken":
            if _text(value) in self.waiting:
                self.waiting[value].taken = True
                self._end(value)
        elif kind == "rewarded":
            if _text(value) in self.waiting and self.waiting[value].rewards:
                del self.waiting[value].rewards[0]
                self._rewards -= 1
                self._end(value)
        elif kind == "dropped":
            status = int(value["status"])
            gone = self.waiting.pop(_text(value["id"]), None)
            self._rewards -= len(gone.rewards) if gone else 0
            self.dropped[value["id"]] = status
            while len(self.dropped) > DROPPED:
                del self.dropped[next(iter(self.dropped))]
        elif kind == "asked":
            self.dropped.pop(_text(value), None)
        else:
            raise ValueError(f"a line of kind {kind!r}")

    def _end(self, id: str) -> None:
        if not self.waiting[id].rewards:
            del self.waiting[id]

    def _open(self, path: str) -> None:
        fresh, text = not os.path.exists(path), b""
        if not fresh:
            with open(path, "rb") as f:
                text = f.read()
        *whole, torn = text.split(b"\n")  # the application did not go on from a torn line
        for number, line in enumerate(whole, 1):
            try:
                self._apply(json.loads(line))
            except Exception as err:  # whatever a damaged line has
                self.problem = self.problem or f"{path}, line {number}: not of a client's file: {err!r}"
        if self.problem:
            self.problem += _set_aside(path)
        try:
            self._compact(path)
        except OSError as err:
            if fresh:
                raise
            self.problem = f"{path}: {err!r}; the file goes on as it is; {self.problem}".rstrip("; ")
            if not self._file:
                self._file = io.FileIO(os.open(path, os.O_WRONLY | os.O_APPEND), "wb")
                self._file.truncate(len(text) - len(torn))

    def _compact(self, path: str) -> None:
        """Writes the file with the lines that the present state needs."""
        lines: List[Dict[str, Any]] = [{"table": self.table.doc}] if self.table else []
        lines += [{"dropped": {"id": id, "status": status}} for id, status in self.dropped.items()]
        for id, w in self.waiting.items():
            if w.ask:
                lines.append({"drawn": {"ask": w.ask, "action": w.action, "propensity": w.propensity}})
            lines += [{"reward": r} for r in w.rewards]
            if w.ask and w.taken:
                lines.append({"taken": id})
        f = io.FileIO(os.open(path + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600), "wb")
        try:
            text = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
            if f.write(text) != len(text):
                raise OSError(errno.ENOSPC, "the disk is full")
            os.fsync(f.fileno())
            os.replace(path + ".new", path)
        except BaseException:
            f.close()
            raise
        if self._file:
            self._file.close()
        self._file, self._lines = f, len(lines)
        if os.name == "posix":
            folder = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY)
            try:
                os.fsync(folder)  # or the name is not durable
            finally:
                os.close(folder)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("want text")
    return value


def _lock(path: str) -> Optional[io.FileIO]:
    """Takes a file for this client until its process ends or closes it."""
    if not fcntl:
        return None
    f = io.FileIO(os.open(path + ".lock", os.O_RDWR | os.O_CREAT, 0o600), "rb+")
    try:
        fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as err:
        by = f.read().decode(errors="replace").strip()
        f.close()
        raise BlockingIOError(err.errno, f"{path} is used by process {by}: give each worker a file of its own") from None
    with contextlib.suppress(OSError):
        f.truncate(0)
        f.write(b"%d\n" % os.getpid())  # only for that message
    return f


def _set_aside(path: str) -> str:
    """Keeps a damaged file, and says where."""
    aside = next(name for name in (f"{path}.damaged-{n}" for n in itertools.count(1)) if not os.path.exists(name))
    try:
        os.link(path, aside)
    except OSError:
        return "; what could be read is kept"
    return f"; what could be read is kept, and the file as it was is {aside}"
