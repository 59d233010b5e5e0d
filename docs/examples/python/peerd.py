"""A client for peerd: decisions, and their rewards.

    peer = Client(dir="hospital-a")          # or Client(url=..., token_file=...)
    d = peer.decide(subject="patient-17", fallback="usual-care")
    ...
    if d.id:
        peer.reward(d.id, 1.0)

A request that gets no answer, or 500, 503 or 507, is sent again with the same id until
the deadline, and counts once however often it was sent. Threads may share a client.
"""

from __future__ import annotations

import collections
import http.client
import json
import os
import random
import socket
import time
import urllib.parse
import uuid
from dataclasses import replace
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple, Type, TypeVar, Union

from peerd_models import Action, Arm, Ask, Decision, Peer, Problem, Receipt, Reward, Status

T = TypeVar("T")
AGAIN = (500, 503, 507)  # statuses after which another try may succeed
CLIENT_FALLBACK = "client-fallback"  # source of a decision that no peer made


class PeerdError(Exception):
    """Why a method has nothing to return."""


class Unreachable(PeerdError):
    """No answer by the deadline. Whether the peer took the request is not known."""


class Refused(PeerdError):
    """The peer answered with a problem; docs/api.md has a table of their codes."""

    def __init__(self, problem: Problem):
        super().__init__(f"{problem.status} {problem.code}: {problem.detail}")
        self.status, self.code, self.detail = problem.status, problem.code, problem.detail
        self.fields = problem.errors or []  # Flaws: location and message


class Unknown(Refused):
    """404: the peer has no such decision."""


class Conflict(Refused):
    """409: decided or rewarded otherwise before, and that stands."""


class Expired(Refused):
    """410: the time for this reward is over."""


class Client:
    """Asks the peer of a folder over its socket, or the one at a URL with a token; of
    neither, the one that PEERD_URL and PEERD_TOKEN_FILE name. A try waits up to timeout
    seconds for its peer; a call with all its tries ends by the deadline."""

    def __init__(self, url: Optional[str] = None, token_file: Optional[str] = None, dir: Optional[str] = None,
                 timeout: float = 2.0, deadline: float = 5.0) -> None:
        where = urllib.parse.urlsplit(url or os.environ.get("PEERD_URL") or "http://127.0.0.1:8470")
        if not dir and (where.scheme != "http" or not where.hostname):
            raise ValueError(f"{where.geturl()!r} is no URL such as http://127.0.0.1:8470")
        self._host, self._port = ("peer", 80) if dir else (where.hostname or "", where.port or 80)
        self._socket = os.path.join(dir, "peerd.sock") if dir else None
        self._token_file = None if dir else token_file or os.environ.get("PEERD_TOKEN_FILE")
        self._timeout, self._deadline = timeout, deadline
        self._idle: collections.deque[_Connection] = collections.deque()  # its methods are atomic
        self._pid = os.getpid()

    def decide(self, id: Optional[str] = None, exclude: Iterable[str] = (), subject: Optional[str] = None,
               fallback: Optional[str] = None, features: Optional[Iterable[Iterable[float]]] = None,
               context: Optional[Iterable[float]] = None,
               actions: Optional[Mapping[str, Iterable[float]]] = None) -> Decision:
        """Chooses an action, for contextual learners by features: of each of the network's
        actions, or of actions by their ids, and of the context that all share. It is the
        fallback, if there is one, when the peer does not answer by the deadline; such a
        decision has no id, and no reward to report."""
        ask = _named(Ask(
            id=id, exclude=list(exclude) or None, subject=subject,
            features=None if features is None else [list(f) for f in features],
            context=None if context is None else list(context),
            actions=None if actions is None else [Action(a, list(f)) for a, f in actions.items()]))
        try:
            return self._call("POST", "/v1/decisions", ask.to_json(), Decision.from_json)
        except PeerdError as err:
            return _instead(err, ask, fallback)

    def reward(self, id: str, value: Optional[float] = None, end: bool = False, report: Optional[str] = None) -> Receipt:
        """Reports the reward of a decision, in the network's range: from 0 to 1, unless it
        has another one. With end, later reports are refused, and the value may be missing.
        A report has an id of its own where rewards add up (api.reward: sum)."""
        if not id:
            raise ValueError("a decision without an id, such as a fallback, has no reward")
        body = {"id": id, "value": value, "end": end or None, "report": report}
        return self._call("POST", "/v1/rewards", {k: v for k, v in body.items() if v is not None}, Receipt.from_json)

    def decide_batch(self, asks: Iterable[Ask], fallback: Optional[str] = None) -> List[Union[Decision, Refused]]:
        """Chooses actions for 1 to 1,000 asks, in order; a Refused stands for one that
        has no decision."""
        asks = [_named(a) for a in asks]
        try:
            results = self._batch("decisions", [a.to_json() for a in asks], "decision", Decision.from_json)
        except PeerdError as err:
            return [_instead(err, a, fallback) for a in asks]
        return [_instead(r, a, fallback) if isinstance(r, Refused) and fallback and r.status in AGAIN else r
                for r, a in zip(results, asks)]

    def reward_batch(self, rewards: Iterable[Reward]) -> List[Union[Receipt, Refused]]:
        """Reports 1 to 1,000 rewards; the results are in order, as with decide_batch."""
        return self._batch("rewards", [r.to_json() for r in rewards], "receipt", Receipt.from_json)

    def status(self) -> Status:
        return self._call("GET", "/v1/status", None, Status.from_json)

    def arms(self) -> List[Arm]:
        return self._call("GET", "/v1/arms", None, lambda doc: [Arm.from_json(a) for a in doc])

    def peers(self) -> List[Peer]:
        return self._call("GET", "/v1/peers", None, lambda doc: [Peer.from_json(p) for p in doc])

    def close(self) -> None:
        """Closes the connections that wait for the next request."""
        while self._idle:
            self._idle.pop().close()

    def _tries(self, end: float) -> Iterator[float]:
        """The time that each try has, with pauses between them, until the end."""
        pause = 0.05
        yield max(0.001, min(self._timeout, end - time.monotonic()))
        while time.monotonic() + pause < end:
            time.sleep(pause * random.uniform(0.5, 1))
            yield min(self._timeout, end - time.monotonic())
            pause = min(2 * pause, 1.0)

    def _call(self, method: str, path: str, body: Any, read: Callable[[Any], T], end: Optional[float] = None) -> T:
        sent = None if body is None else json.dumps(body).encode()
        error: PeerdError = Unreachable("no time to ask")
        for timeout in self._tries(end or time.monotonic() + self._deadline):
            try:
                status, text = self._send(method, path, sent, time.monotonic() + timeout)
                if status == 200:
                    return read(json.loads(text))
                error = _refused(status, text)
                if status not in AGAIN:
                    break
            except (OSError, http.client.HTTPException, LookupError, TypeError, ValueError) as err:
                self.close()  # the other connections are likely to be as dead as this one
                error = Unreachable(f"{method} {path}: {err!r}")
                error.__cause__ = err
        raise error

    def _batch(self, name: str, items: List[Any], key: str, read: Callable[[Any], T]) -> List[Union[T, Refused]]:
        """Sends items, and those again whose own status says so."""
        results: List[Any] = [None] * len(items)
        todo, end = list(range(len(items))), time.monotonic() + self._deadline
        for _ in self._tries(end) if items else ():
            body = {name: [items[i] for i in todo]}
            try:
                outcomes = self._call("POST", f"/v1/{name}/batch", body, lambda doc: doc["outcomes"], end)
            except PeerdError:
                if None in results:
                    raise  # it was the first
                break
            for i, o in zip(todo, outcomes):
                results[i] = read(o[key]) if o["status"] == 200 else _typed(o["problem"])
            todo = [i for i in todo if isinstance(results[i], Refused) and results[i].status in AGAIN]
            if not todo:
                break
        return results

    def _send(self, method: str, path: str, body: Optional[bytes], until: float) -> Tuple[int, bytes]:
        if self._pid != os.getpid():  # a fork: the connections are the parent's, too
            self.close()
            self._pid = os.getpid()
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if self._token_file:
            with open(self._token_file) as f:  # each time, as a new one is made if it is removed
                headers["Authorization"] = "Bearer " + f.read().strip()
        try:
            conn = self._idle.pop()
        except IndexError:
            conn = _Connection(self._host, self._port, self._socket)
        try:
            conn.limit(until)
            conn.request(method, path, body, headers)
            conn.limit(until)
            answer = conn.getresponse()
            text = answer.read()
        except BaseException:
            conn.close()  # or a late answer would be taken for the next one's
            raise
        self._idle.append(conn)
        return answer.status, text


class _Connection(http.client.HTTPConnection):
    """A connection to a port, or to a socket if there is one."""

    def __init__(self, host: str, port: int, path: Optional[str]) -> None:
        super().__init__(host, port)
        self._path = path

    def connect(self) -> None:
        if self._path is None:
            return super().connect()
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)

    def limit(self, until: float) -> None:
        self.timeout = max(0.001, until - time.monotonic())
        if self.sock:
            self.sock.settimeout(self.timeout)


def _named(ask: Ask) -> Ask:
    """With an id of ours, made before the first try."""
    return ask if ask.id is not None else replace(ask, id=str(uuid.uuid4()))


def _instead(err: PeerdError, ask: Ask, fallback: Optional[str]) -> Decision:
    """The fallback, unless the fault is the program's."""
    if fallback is None or isinstance(err, Refused) and err.status not in AGAIN:
        raise err
    if fallback in (ask.exclude or ()):
        raise ValueError(f"the fallback {fallback!r} is excluded") from err
    return Decision(id="", action=fallback, propensity=1.0, source=CLIENT_FALLBACK, model="", counted=False, repeated=False, expires_at="")


def _refused(status: int, text: bytes) -> Refused:
    try:
        return _typed(json.loads(text))
    except (LookupError, TypeError, ValueError):  # of the HTTP server itself, in text
        return Refused(Problem(title="", status=status, detail=text.decode(errors="replace"), code=""))


def _typed(problem: Any) -> Refused:
    kinds: Dict[str, Type[Refused]] = {"unknown": Unknown, "conflict": Conflict, "expired": Expired}
    return kinds.get(problem["code"], Refused)(Problem.from_json(problem))
