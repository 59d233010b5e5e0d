"""Decisions while the peer is down."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, List, Optional, Tuple

from peerd.backlog import Backlog, Waiting
from peerd.models import Decision
from peerd.table import Table

BATCH = 100  # items of a request
AGAIN = (500, 503, 507)  # statuses after which another try may succeed
DRAWN = "table"  # source of a decision that was drawn from a table
ID = re.compile("[A-Za-z0-9._:-]{1,128}")


@dataclass(frozen=True)
class TableState:
    """The table that a client holds, and what became of its draws since the client was made."""

    version: str = ""  # of the table; empty without one
    made_at: str = ""
    waiting: int = 0  # decisions with something that the peer has not taken
    drawn: int = 0  # decisions
    reported: int = 0  # of these, or of the file's, that the peer has taken
    rewarded: int = 0  # rewards that had to wait, and that the peer has taken
    expired: int = 0  # dropped because the peer refused them as too old: decisions with their rewards, or rewards
    refused: int = 0  # dropped because the peer refused them for another reason
    full: int = 0  # decisions that were not drawn and rewards that were not kept: too many wait, or the disk refused them
    problem: str = ""  # the last


Send = Callable[[str, str, Any, float], Optional[Tuple[int, Any]]]


class Offline:
    """Draws decisions from the newest table, keeps them and rewards, and reports them when the peer answers. send
    is one try, in so many seconds: the status and document of the answer, or None if there is none."""

    def __init__(self, backlog: Backlog, send: Send, timeout: float, every: float) -> None:
        self.backlog, self.down = backlog, False
        self._send, self._timeout, self._every = send, timeout, every
        self._tick = min(1.0, every)
        self._state, self._lock = TableState(problem=backlog.problem), threading.Lock()
        self._reporting, self._stop = threading.Lock(), threading.Event()
        self._batch = {"decisions": BATCH, "rewards": BATCH}
        self._thread = threading.Thread(target=self._run, name="peerd", daemon=True)
        self._thread.start()

    def state(self) -> TableState:
        table = self.backlog.table
        with self._lock:
            return replace(self._state, version=table.version if table else "", made_at=table.made_at if table else "",
                           waiting=len(self.backlog.waiting))

    def count(self, name: str, problem: str = "") -> None:
        with self._lock:
            if name:
                self._state = replace(self._state, **{name: getattr(self._state, name) + 1})
            if problem:
                self._state = replace(self._state, problem=problem)

    def remembered(self, id: str) -> Optional[Decision]:
        """The decision that was drawn with an id and that the peer may not have."""
        with self.backlog.lock:
            w = self.backlog.waiting.get(id)
            return _decision(id, w.action, w.propensity, w.ask["table"], True) if w and w.ask else None

    def draw(self, ask: Dict[str, Any], last: bool = True) -> Optional[Decision]:
        """Draws and keeps a decision; None if that cannot be, which is counted the last time. It has the id of the
        ask. If the peer has decided with it, and the answer was lost, the peer refuses the drawn one: one ask makes
        one record of a user."""
        table, actions = self.backlog.table, ask.get("actions") or ()
        if self._stop.is_set() or not table or ask.keys() & {"features", "context", "taken"} or any("features" in a for a in actions if isinstance(a, dict)):
            return None
        named = [a["id"] if isinstance(a, dict) else a for a in actions] if "actions" in ask else None
        id = ask["id"]
        found = table.draw(id, ask.get("exclude") or (), named)
        if not found or not ID.fullmatch(id):
            return None
        problem = "too many decisions wait for the peer"
        with self.backlog.lock:
            if id in self.backlog.waiting:
                return self.remembered(id)
            try:
                kept = self.backlog.drawn(dict(ask, table=table.version), *found)
            except OSError as err:
                kept, problem = False, repr(err)
        if kept or last:
            self.count("drawn" if kept else "full", "" if kept else problem)
        return _decision(id, *found, table.version, False) if kept else None

    def keep(self, reward: Dict[str, Any], last: bool = True) -> bool:
        """Keeps a reward to report it later, which is counted if it cannot be, the last time."""
        problem = "too many rewards wait for the peer"
        try:
            kept = not self._stop.is_set() and self.backlog.reward(reward)
        except OSError as err:
            kept, problem = False, repr(err)
        if not kept and last:
            self.count("full", problem)
        return kept

    def waits(self, id: str) -> bool:
        """Reports whether the rewards of a decision have to wait: it does, or others of its rewards do."""
        with self.backlog.lock:
            return id in self.backlog.waiting

    def close(self, deadline: float) -> List[Waiting]:
        """Reports until the deadline, and returns what is left."""
        end = time.monotonic() + deadline
        self._stop.set()
        self._thread.join(deadline)
        while not self.report(end) and time.monotonic() + 0.1 < end:
            time.sleep(0.1)
        self.backlog.close()
        with self.backlog.lock:
            return list(self.backlog.waiting.values())

    def _run(self) -> None:
        due = 0.0
        while True:
            answered = True
            try:
                if self.down or time.monotonic() >= due:
                    answered = self._fetch()
                    due = time.monotonic() + self._every if answered else due
                if answered and self.backlog.waiting:
                    answered = self.report(time.monotonic() + self._timeout)
                self.down = self.down and not answered
            except Exception as err:  # of an answer that is no peer's
                self.count("", repr(err))
            if self._stop.wait(self._tick):
                return

    def _fetch(self) -> bool:
        """Asks for the newest table, and reports whether the peer answered."""
        answer = self._send("GET", "/v1/table", None, self._timeout)
        if answer is None or answer[0] in AGAIN:
            return False
        status, doc = answer
        try:
            new = Table.from_json(doc) if status == 200 else None
        except (LookupError, TypeError, ValueError) as err:
            self.count("", f"GET /v1/table: {err!r}")
            return True
        if status != 200:
            self.count("", f"no table: {_detail(doc)}")
        old = self.backlog.table
        if new and (not old or old.version != new.version):
            self.backlog.add({"table": doc})
        elif old and status in (404, 422):  # the peer has none now
            self.backlog.add({"table": None})
        return True

    def report(self, end: float) -> bool:
        """Reports what waits, and whether the peer has answered for all of it."""
        if not self._reporting.acquire(timeout=max(0.0, end - time.monotonic())):
            return False
        try:
            while True:
                decisions = self.backlog.decisions(self._batch["decisions"])
                asks = [w.ask for w in decisions if w.ask]
                if asks and not self._post("decisions", asks, end):
                    return False
                rewards = self.backlog.rewards(self._batch["rewards"])
                if rewards and not self._post("rewards", rewards, end):
                    return False
                if not asks and not rewards:
                    return True
        finally:
            self._reporting.release()

    def _post(self, name: str, items: List[Dict[str, Any]], end: float) -> bool:
        left = min(self._timeout, end - time.monotonic())
        answer = self._send("POST", f"/v1/{name}/batch", {name: items}, left) if left > 0 else None
        if answer is None or answer[0] in AGAIN:
            return False
        status, doc = answer
        if status in (401, 403):  # all of it; a person has to do something
            self.count("", _detail(doc))
            return False
        if status != 200 and len(items) > 1:  # too large, or an item spoils it
            self._batch[name] = max(1, len(items) // 2)
            return True
        self._batch[name] = BATCH if status == 200 else 1
        try:
            outcomes = doc["outcomes"] if status == 200 else [{"status": status, "problem": doc}]
            done = [self._took(name, item, o) for item, o in zip(items, outcomes)]
        except (LookupError, TypeError) as err:
            self.count("", f"POST /v1/{name}/batch: {err!r}")
            return False
        return len(done) == len(items) and all(done)

    def _took(self, name: str, item: Dict[str, Any], outcome: Dict[str, Any]) -> bool:
        """Ends what the peer has answered for, and reports whether it has."""
        id, status = item["id"], outcome["status"]
        d = outcome["problem"] if status != 200 else outcome["decision" if name == "decisions" else "receipt"]
        if status in AGAIN or not isinstance(status, int) or (d["id"] != id if status == 200 else not d["code"]):
            return False
        if name == "decisions" and status == 200:
            w = self.backlog.waiting[id]
            if (d["source"], d["action"], d["propensity"]) == (DRAWN, w.action, w.propensity):
                self.count("reported")
                self.backlog.add({"taken": id})
                return True
            status, outcome = 409, {"problem": {"detail": f"{id}: the peer has made another decision"}}
        if status == 200:
            self.count("rewarded")
        else:
            self.count("expired" if status == 410 else "refused", f"{id}: {_detail(outcome['problem'])}")
        self.backlog.add({"rewarded": id} if name == "rewards" else {"dropped": {"id": id, "status": status}})
        return True


def _decision(id: str, action: str, propensity: float, version: str, repeated: bool) -> Decision:
    return Decision(id=id, action=action, propensity=propensity, source=DRAWN, model=version, counted=True, repeated=repeated, expires_at="")


def _detail(problem: Any) -> str:
    return str(problem.get("detail")) if isinstance(problem, dict) else str(problem)
