"""A client for peerd: decisions, and their rewards.

    peer = Client(dir="hospital-a")          # or Client(url=..., token_file=...)
    d = peer.decide(subject="patient-17", fallback="usual-care")
    ...
    if d.id:
        peer.reward(d.id, 1.0)

A request that gets no answer, or 500, 503 or 507, is sent again with the same id until
the deadline, and counts once however often it was sent. Threads may share a client.

    peer = Client(dir="hospital-a", table="/var/lib/app/peerd.jsonl")

decides by the peer's newest table while the peer is down, and reports what was decided and
its rewards when the peer answers again.
"""

from __future__ import annotations

import collections
import contextlib
import http.client
import json
import os
import random
import re
import socket
import time
import urllib.parse
import uuid
from dataclasses import replace
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple, Type, TypeVar, Union

from peerd.backlog import Backlog, Waiting
from peerd.models import Action, Arm, Ask, Decision, Peer, Problem, Receipt, Reward, Status
from peerd.offline import AGAIN, Offline, TableState

T = TypeVar("T")
MOST = 8 << 20  # bytes of an answer
MISTAKES = (400, 409, 413, 415, 422)  # statuses of a request that is wrong, whichever peer has it
CLIENT_FALLBACK = "client-fallback"  # source of a decision that no peer made


class PeerdError(Exception):
    """Why a method has nothing to return."""


class BadToken(PeerdError):
    """The token file has no token, so nothing was sent."""


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
    seconds for its peer; a call with all its tries ends by the deadline.

    With table the client asks for the peer's newest table every so many seconds. When no
    answer comes by the deadline, it decides by the table, and keeps these decisions and
    rewards, of at most queue decisions, to report them later. If table is the path of a file,
    they and the table are kept in it. A second client of a file is refused (on Unix)."""

    def __init__(self, url: Optional[str] = None, token_file: Optional[str] = None, dir: Optional[str] = None,
                 timeout: float = 2.0, deadline: float = 5.0, table: Union[bool, str, os.PathLike[str]] = False,
                 table_every: float = 60.0, queue: int = 10_000) -> None:
        where = urllib.parse.urlsplit(url or os.environ.get("PEERD_URL") or "http://127.0.0.1:8470")
        if not dir and (where.scheme != "http" or not where.hostname):
            raise ValueError(f"{where.geturl()!r} is no URL such as http://127.0.0.1:8470")
        self._host, self._port = ("peer", 80) if dir else (where.hostname or "", where.port or 80)
        self._socket = os.path.join(dir, "peerd.sock") if dir else None
        self._where = dir or where.geturl()
        self._token_file = None if dir else token_file or os.environ.get("PEERD_TOKEN_FILE")
        self._timeout, self._deadline = timeout, deadline
        self._idle: collections.deque[_Connection] = collections.deque()  # its methods are atomic
        self._pid = os.getpid()
        self._offline = None
        if table is not False:
            backlog = Backlog(None if table is True else os.fspath(table), queue)
            self._offline = Offline(backlog, self._once, timeout, table_every)
        self._table_every, self._queue = table_every, queue

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def decide(self, id: Optional[str] = None, exclude: Iterable[str] = (), subject: Optional[str] = None,
               fallback: Optional[str] = None, features: Optional[Iterable[Iterable[float]]] = None,
               context: Union[None, Iterable[float], Mapping[str, Any]] = None,
               actions: Union[None, Mapping[str, Union[Iterable[float], Mapping[str, Any]]], Iterable[str]] = None,
               taken: Optional[Tuple[str, float]] = None, offline: bool = False, keep: bool = False) -> Decision:
        """Chooses an action, for contextual learners by features: of each of the network's
        actions, or of actions by their ids, and of the context that all share. Those of a
        context and of an action are numbers, or values by name. Without features, actions
        are names of the network's actions, of which one is chosen. In shadow mode, taken is
        the action that the application took, and its propensity. With keep, the decision is
        not given to the network.

        When the peer does not answer by the deadline, and at once if offline, the decision
        is drawn from the table, if there is one; its model is the table's version. Otherwise
        it is the fallback, which has no id, and no reward to report."""
        ask = _named(Ask(
            id=id, exclude=list(exclude) or None, subject=subject, keep=keep or None,
            features=None if features is None else [list(f) for f in features],
            context=None if context is None else _values(context),
            actions=[Action(a, _values(f)) for a, f in actions.items()] if isinstance(actions, Mapping) else None)).to_json()
        if actions is not None and not isinstance(actions, Mapping):
            ask["actions"] = list(actions)
        if taken is not None:
            ask["taken"] = {"action": taken[0], "propensity": taken[1]}
        try:
            early = self._early(ask, offline)
            return early or self._asked(self._call("POST", "/v1/decisions", ask, lambda doc: _decided(doc, ask)))
        except PeerdError as err:
            return self._instead(err, ask, fallback, not offline)

    def reward(self, id: str, value: Optional[float] = None, end: bool = False, report: Optional[str] = None) -> Receipt:
        """Reports the reward of a decision, in the network's range: from 0 to 1, unless it
        has another one. With end, later reports are refused, and the value may be missing.
        A report has an id of its own where rewards add up (api.reward: sum)."""
        if not id:
            raise ValueError("a decision without an id, such as a fallback, has no reward")
        body = {"id": id, "value": value, "end": end or None, "report": report}
        doc = {k: v for k, v in body.items() if v is not None}
        try:
            return self._kept(doc) or self._call("POST", "/v1/rewards", doc, lambda got: _received(got, doc))
        except PeerdError as err:
            return self._later(err, doc)

    def decide_batch(self, asks: Iterable[Ask], fallback: Optional[str] = None) -> List[Union[Decision, Refused]]:
        """Chooses actions for 1 to 1,000 asks, in order; a Refused stands for one that
        has no decision."""
        docs = [_named(a).to_json() for a in asks]
        results: List[Any] = [self._early(d) for d in docs]
        todo = [i for i, r in enumerate(results) if r is None]
        try:
            answers = self._batch("decisions", [docs[i] for i in todo], "decision", _decided)
        except PeerdError as err:
            self._fill(err, results, todo, lambda err, i: self._instead(err, docs[i], fallback))
            return results
        for i, r in zip(todo, answers):
            results[i] = self._asked(r) if isinstance(r, Decision) else r
            if isinstance(r, Refused) and r.status in AGAIN:
                with contextlib.suppress(Refused):
                    results[i] = self._instead(r, docs[i], fallback)
        return results

    def reward_batch(self, rewards: Iterable[Reward]) -> List[Union[Receipt, Refused]]:
        """Reports 1 to 1,000 rewards; the results are in order, as with decide_batch."""
        docs = [r.to_json() for r in rewards]
        results: List[Any] = [None] * len(docs)
        for i, doc in enumerate(docs):
            try:
                results[i] = self._kept(doc)
            except Refused as err:
                results[i] = err
        todo = [i for i, r in enumerate(results) if r is None]
        try:
            answers = self._batch("rewards", [docs[i] for i in todo], "receipt", _received)
        except PeerdError as err:
            self._fill(err, results, todo, lambda err, i: self._later(err, docs[i]))
            return results
        for i, r in zip(todo, answers):
            results[i] = r
            if isinstance(r, Refused) and r.status in AGAIN:
                with contextlib.suppress(Refused):
                    results[i] = self._later(r, docs[i])
        return results

    def status(self) -> Status:
        return self._call("GET", "/v1/status", None, Status.from_json)

    def arms(self) -> List[Arm]:
        return self._call("GET", "/v1/arms", None, lambda doc: [Arm.from_json(a) for a in doc])

    def peers(self) -> List[Peer]:
        return self._call("GET", "/v1/peers", None, lambda doc: [Peer.from_json(p) for p in doc])

    def table(self) -> TableState:
        """The table that the client holds, and what became of its draws."""
        return self._offline.state() if self._offline else TableState()

    def close(self) -> List[Waiting]:
        """Reports what waits for the peer, until the deadline, and returns what is left; a file still has it. The
        client then decides by no table any more."""
        left = self._offline.close(self._deadline) if self._offline else []
        self._disconnect()
        return left

    def _disconnect(self) -> None:
        """Closes the connections that wait for the next request."""
        while self._idle:
            self._idle.pop().close()

    def _early(self, ask: Dict[str, Any], offline: bool = False) -> Optional[Decision]:
        """A decision for which the peer is not asked: it was drawn before, the call says so, or no answer is expected."""
        self._here()
        if not self._offline:
            if offline:
                raise Unreachable("offline, and the client was made without a table")
            return None
        drawn = self._offline.remembered(ask["id"])
        if not drawn and (offline or self._offline.down):
            drawn = self._offline.draw(ask, last=offline)
        if offline and not drawn:
            raise Unreachable(f"offline, and nothing is drawn: {self._offline.state().problem or 'there is no table yet'}")
        return drawn

    def _instead(self, err: PeerdError, ask: Dict[str, Any], fallback: Optional[str], draw: bool = True) -> Decision:
        """A decision by the table or the fallback, unless the fault is the program's."""
        draw = draw and not (isinstance(err, Refused) and err.status not in AGAIN)
        drawn = self._offline.draw(ask) if self._offline and draw else None
        if drawn and self._offline:
            self._offline.down = True
            return drawn
        if fallback is None or isinstance(err, Refused) and err.status in MISTAKES:
            raise err
        if fallback in ask.get("exclude", ()):
            raise ValueError(f"the fallback {fallback!r} is excluded") from err
        return Decision(id="", action=fallback, propensity=1.0, source=CLIENT_FALLBACK, model="", counted=False, repeated=False, expires_at="")

    def _asked(self, d: Decision) -> Decision:
        """The peer's decision, also with an id that it refused before."""
        if self._offline and d.id in self._offline.backlog.dropped:
            self._offline.backlog.add({"asked": d.id})
        return d

    def _kept(self, reward: Dict[str, Any]) -> Optional[Receipt]:
        """A reward that has to wait: its decision does, or no answer is expected."""
        self._here()
        if not self._offline:
            return None
        status = self._offline.backlog.dropped.get(reward["id"])
        if status:  # the peer may have another decision with this id
            code = "expired" if status == 410 else "conflict"
            raise _typed({"title": "", "status": status, "code": code, "detail": "the peer has refused the decision"}, status)
        waits = self._offline.waits(reward["id"])
        if not waits and not self._offline.down:
            return None
        if self._offline.keep(reward, last=waits):
            return _receipt(reward)
        if waits:
            raise Unreachable("too many rewards wait for the peer")
        return None

    def _later(self, err: PeerdError, reward: Dict[str, Any]) -> Receipt:
        """A receipt of a reward that is kept because no answer came."""
        if self._offline and not (isinstance(err, Refused) and err.status not in AGAIN) and self._offline.keep(reward):
            self._offline.down = True
            return _receipt(reward)
        raise err

    def _fill(self, err: PeerdError, results: List[Any], places: List[int], last: Callable[[PeerdError, int], Any]) -> None:
        """The results of items of a request without an answer: what is drawn or kept stands, so that the error is
        the other items', if there are others."""
        missing = err if isinstance(err, Refused) else Refused(Problem(title="", status=503, detail=str(err), code="unavailable"))
        for i in places:
            try:
                results[i] = last(err, i)
            except PeerdError:
                results[i] = missing
        if all(r is missing for r in results):
            raise err

    def _here(self) -> None:
        """After a fork, the connections, the file and what waits are the parent's."""
        if self._pid == os.getpid():
            return
        self._pid = os.getpid()
        self._disconnect()
        if self._offline:
            backlog, old = Backlog(None, self._queue), self._offline.backlog
            backlog.table = old.table
            self._offline = Offline(backlog, self._once, self._timeout, self._table_every)

    def _once(self, method: str, path: str, body: Any, timeout: float) -> Optional[Tuple[int, Any]]:
        try:
            status, text = self._send(method, path, None if body is None else json.dumps(body).encode(), time.monotonic() + timeout)
            return status, json.loads(text)
        except Exception:  # of an answer that is none
            self._disconnect()
            return None

    def _tries(self, end: float) -> Iterator[float]:
        """The time that each try has, with pauses between them, until the end."""
        pause = 0.05
        yield max(0.001, min(self._timeout, end - time.monotonic()))
        while time.monotonic() + pause < end:
            time.sleep(pause * random.uniform(0.5, 1))
            left = end - time.monotonic()
            if left <= 0:
                return  # a busy machine was late
            yield min(self._timeout, left)
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
            except BadToken:
                raise
            except Exception as err:  # of an answer that is none, too
                self._disconnect()  # the other connections are likely to be as dead as this one
                nobody = isinstance(err, ConnectionRefusedError) or self._socket and isinstance(err, FileNotFoundError)
                error = Unreachable(f"no peer runs at {self._where}" if nobody else f"{method} {path}: {err!r}")
                error.__cause__ = err
        raise error

    def _batch(self, name: str, items: List[Any], key: str, read: Callable[[Any, Any], T]) -> List[Union[T, Refused]]:
        """Sends items, and those again whose own status says so."""
        results: List[Any] = [None] * len(items)
        todo, end = list(range(len(items))), time.monotonic() + self._deadline
        for _ in self._tries(end) if items else ():
            body = {name: [items[i] for i in todo]}
            try:
                outcomes: List[Any] = self._call("POST", f"/v1/{name}/batch", body, lambda doc: [
                    read(o[key], items[i]) if o["status"] == 200 else _typed(o["problem"], o["status"])
                    for i, o in zip(todo, _list(doc["outcomes"], len(todo)))], end)
            except PeerdError:
                if None in results:
                    raise  # it was the first
                break
            for i, o in zip(todo, outcomes):
                results[i] = o
            todo = [i for i in todo if isinstance(results[i], Refused) and results[i].status in AGAIN]
            if not todo:
                break
        return results

    def _send(self, method: str, path: str, body: Optional[bytes], until: float) -> Tuple[int, bytes]:
        self._here()
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if self._token_file:
            headers["Authorization"] = "Bearer " + _token(self._token_file)  # each time, as a new one is made if it is removed
        try:
            conn = self._idle.pop()
        except IndexError:
            conn = _Connection(self._host, self._port, self._socket)
        try:
            conn.limit(until)
            conn.request(method, path, body, headers)
            conn.limit(until)
            with conn.getresponse() as answer:
                text = answer.read(MOST + 1)
            if len(text) > MOST:
                raise ValueError("the answer has over 8 MiB")
        except BaseException:
            conn.close()  # or a late answer would be taken for the next one's
            raise
        self._idle.append(conn)
        return answer.status, text


class _Connection(http.client.HTTPConnection):
    """A connection to a port, or to a socket if there is one."""

    def __init__(self, host: str, port: int, path: Optional[str]) -> None:
        super().__init__(host, port)
        self._path, self._until = path, 0.0

    def connect(self) -> None:
        if self._path is None:
            super().connect()
            self.sock = _Socket(fileno=self.sock.detach())
        else:
            self.sock = _Socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.sock.settimeout(self.timeout)
            self.sock.connect(self._path)
        self.sock.until = self._until

    def limit(self, until: float) -> None:
        self._until, self.timeout = until, max(0.001, until - time.monotonic())
        if self.sock:
            self.sock.until = until
            self.sock.settimeout(self.timeout)


class _Socket(socket.socket):
    """A socket whose reads all end by one time, however many there are."""

    until = 0.0

    def recv_into(self, *args: Any) -> int:
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self.settimeout(left)
        return super().recv_into(*args)


def _values(features: Union[Iterable[float], Mapping[str, Any]]) -> Any:
    """Features as JSON has them: by name, or in order."""
    return dict(features) if isinstance(features, Mapping) else list(features)


def _named(ask: Ask) -> Ask:
    """With an id of ours, made before the first try."""
    return ask if ask.id is not None else replace(ask, id=str(uuid.uuid4()))


def _receipt(reward: Dict[str, Any]) -> Receipt:
    return Receipt(id=reward["id"], duplicate=False, counted=True)


def _decided(doc: Any, ask: Dict[str, Any]) -> Decision:
    """The decision of an answer; an answer about anything else is none."""
    d = Decision.from_json(doc)
    offered = [a["id"] if isinstance(a, dict) else a for a in ask["actions"]] if "actions" in ask else [d.action]
    if d.id != ask["id"] or not isinstance(d.action, str) or not d.action or d.action in ask.get("exclude", ()) or d.action not in offered:
        raise ValueError(f"the answer is about {d.id!r} and {d.action!r}")
    return d


def _received(doc: Any, reward: Dict[str, Any]) -> Receipt:
    r = Receipt.from_json(doc)
    if r.id != reward["id"]:
        raise ValueError(f"the answer is about {r.id!r}")
    return r


def _list(outcomes: Any, n: int) -> List[Any]:
    if not isinstance(outcomes, list) or len(outcomes) != n:
        raise ValueError(f"the answer is no list of {n} outcomes")
    return outcomes


def _token(path: str) -> str:
    """The token in a file. An error has no text of the file."""
    try:
        with open(path, "rb") as f:
            text = f.read()
    except OSError as err:
        raise BadToken(f"no token in {path}: {err.strerror}") from None
    token = text[3:].strip() if text.startswith(b"\xef\xbb\xbf") else text.strip()
    if re.fullmatch(rb"[!-~]{1,512}", token):
        return token.decode()
    why = ("it is empty" if not token else "it is not UTF-8" if b"\0" in text else
           "it has more than one line" if b"\n" in token else "its text is none")
    raise BadToken(f"no token in {path}: {why}")


def _refused(status: int, text: bytes) -> Refused:
    try:
        return _typed(json.loads(text), status)
    except (LookupError, TypeError, ValueError):  # of the HTTP server itself, in text
        return Refused(Problem(title="", status=status, detail=text.decode(errors="replace"), code=""))


def _typed(problem: Any, status: int) -> Refused:
    kinds: Dict[str, Type[Refused]] = {"unknown": Unknown, "conflict": Conflict, "expired": Expired}
    return kinds.get(problem["code"], Refused)(replace(Problem.from_json(problem), status=status))
