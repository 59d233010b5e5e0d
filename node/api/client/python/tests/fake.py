"""A peer for tests, which does as it is told: it keeps decisions and rewards by id as
peerd does, and loses, delays or refuses what a plan says."""

import http.server
import json
import os
import socket
import socketserver
import threading
import time

from peerd.table import Table

DELAY = 0.6  # seconds of a slow answer


class Fake:
    """Serves until it is closed. plan is what becomes of the next requests, in order:
    "ok"; "drop" closes before anything is taken, "lose" after; "half" breaks off in the
    answer; "slow" answers late; a number answers that status; "text" answers without a problem. items holds statuses
    that items of batches get first, by id. While it is dead it answers nothing; table is its newest, and
tables holds those that it has not forgotten. Requests for the table are not planned, and not in asked."""

    def __init__(self, path=None, token=""):
        self.token, self.plan, self.items = token, [], {}
        self.decisions, self.rewards = {}, {}
        self.dead, self.table, self.tables, self.fetched = False, None, {}, 0
        self.asked = []  # bodies, or paths, of all requests in order
        self.connections = 0
        self.lock = threading.Lock()
        fake = self

        class Handler(_Handler):
            peer = fake

        if path:
            self.server = _UnixServer(path, Handler)
        else:
            self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            self.url = "http://127.0.0.1:%d" % self.server.server_port
        self.server.daemon_threads = True
        self.server.block_on_close = False
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()

    def offer(self, version, **weights):
        """Makes the newest table."""
        doc = {"version": version, "model": "1-2-3", "salt": "s" + version, "made_at": "2026-11-21T14:10:00Z",
               "actions": [{"name": n, "weight": w} for n, w in weights.items()]}
        self.table, self.tables[version] = doc, Table.from_json(doc)

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def one(self, path, body):
        """The status and document of a decision or reward."""
        with self.lock:
            statuses = self.items.get(body["id"])
            if statuses:
                return problem(statuses.pop(0))
            if path == "/v1/decisions":
                known = body["id"] in self.decisions
                action, propensity, source = body.get("actions", ["mail"])[0], 0.5, "learned"
                action = action["id"] if isinstance(action, dict) else action
                if "table" in body:
                    if body["table"] not in self.tables:
                        return problem(410)
                    table = self.tables[body["table"]]
                    action, propensity = table.draw(body["id"], body.get("exclude", ()), body.get("actions"))
                    source = "table"
                    if known and self.decisions[body["id"]]["source"] != source:
                        return problem(409)
                if not known:
                    self.decisions[body["id"]] = {
                        "id": body["id"], "action": action, "propensity": propensity, "source": source, "model": "1-1-1", "counted": True,
                        "repeated": False, "expires_at": "2026-11-21T14:10:00.123456789Z", **({"kept": True} if body.get("keep") else {})}
                return 200, dict(self.decisions[body["id"]], repeated=known)
            if self.table and body["id"] not in self.decisions:
                return problem(404)
            known = self.rewards.setdefault(body["id"], [])
            if known and known[0] != body.get("value") and not (body.get("end") or body.get("report")):
                return problem(409)
            known.append(body.get("value"))
            return 200, {"id": body["id"], "duplicate": len(known) > 1, "counted": True}


def problem(status):
    code = {401: "unauthorized", 404: "unknown", 409: "conflict", 410: "expired", 422: "invalid",
            500: "internal", 503: "unavailable", 507: "full"}.get(status, "other")
    doc = {"title": "A Title", "status": status, "detail": "body.value: is wrong", "code": code}
    if status == 422:
        doc["errors"] = [{"location": "body.value", "message": "is wrong"}]
    return status, doc


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        super().setup()
        with self.peer.lock:
            self.peer.connections += 1

    def do_GET(self):
        self.act(None)

    def do_POST(self):
        self.act(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def act(self, body):
        if self.peer.dead:
            self.close_connection = True
            return
        if self.path == "/v1/table":
            self.peer.fetched += 1
            return self.answer(*(200, self.peer.table) if self.peer.table else problem(422))
        with self.peer.lock:
            self.peer.asked.append(body or self.path)
            plan = self.peer.plan.pop(0) if self.peer.plan else "ok"
        if plan == "drop":
            self.close_connection = True
            return
        if self.peer.token and self.headers["Authorization"] != "Bearer " + self.peer.token:
            status, doc = problem(401)
        elif isinstance(plan, int):
            status, doc = problem(plan)
        elif body is None:
            status, doc = 200, [{"name": "mail", "pulls": 3, "estimate": 0.5, "samples": 2.0, "noise_sd": 0.1, "own": 2, "borrowed": 1, "borrowed_sites": 1}]
        elif self.path.endswith("/batch"):
            key, word = ("decisions", "decision") if "decisions" in body else ("rewards", "receipt")
            outcomes = [self.peer.one("/v1/" + key, b) for b in body[key]]
            status, doc = 200, {"outcomes": [{"status": s, word if s == 200 else "problem": d} for s, d in outcomes]}
        else:
            status, doc = self.peer.one(self.path, body)
        if plan == "lose":
            self.close_connection = True
            return
        self.close_connection = self.close_connection or plan == "half"
        if plan == "slow":
            time.sleep(DELAY)
        self.answer(status, doc, plan)

    def answer(self, status, doc, plan="ok"):
        text = b"out of order" if plan == "text" else json.dumps(doc).encode()
        head = f"HTTP/1.1 {502 if plan == 'text' else status} As planned\r\nContent-Length: {len(text)}\r\n\r\n"
        try:
            self.wfile.write(head.encode() + (text[:5] if plan == "half" else text))
        except OSError:
            self.close_connection = True  # nobody waits any more

    def log_message(self, *args):
        pass

    def address_string(self):
        return "local"


class _UnixServer(socketserver.ThreadingMixIn, http.server.HTTPServer):
    address_family = socket.AF_UNIX

    def server_bind(self):
        if os.path.exists(self.server_address):
            os.remove(self.server_address)
        self.socket.bind(self.server_address)
        self.server_name, self.server_port = "peer", 0
