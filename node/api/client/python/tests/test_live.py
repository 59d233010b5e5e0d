"""The client against a real peer: the one that PEERD_URL and PEERD_TOKEN_FILE name, where
nobody else asks meanwhile. Without them nothing is tested here."""

import contextlib
import http.client
import json
import os
import random
import socket
import threading
import unittest
import urllib.parse

from peerd import Ask, Client, Conflict, Refused, Reward, Unknown
from peerd.models import Arm, Decision, DecisionBatch, Peer, Problem, Receipt, ReceiptBatch, Status, Table

URL, TOKEN_FILE = os.environ.get("PEERD_URL"), os.environ.get("PEERD_TOKEN_FILE")


class Lossy:
    """A port before the peer's. It loses a third of all answers, which closes the
    connection after the peer has taken the request."""

    def __init__(self, host, port):
        self.to, self.random, self.lost, self.lock = (host, port), random.Random(1), 0, threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.carry, args=(near,), daemon=True).start()

    def carry(self, near):
        with near, socket.create_connection(self.to) as far:
            back = threading.Thread(target=self.pump, args=(far, near, True), daemon=True)
            back.start()
            self.pump(near, far, False)
            back.join()

    def pump(self, a, b, answers):
        with contextlib.suppress(OSError):
            while data := a.recv(1 << 20):
                with self.lock:
                    lose = answers and self.random.random() < 1 / 3
                    self.lost += lose
                if lose:
                    break
                b.sendall(data)
        for s in (a, b):
            with contextlib.suppress(OSError):
                s.shutdown(socket.SHUT_RDWR)


@unittest.skipUnless(URL and TOKEN_FILE, "PEERD_URL and PEERD_TOKEN_FILE name no peer")
class LiveTest(unittest.TestCase):
    def setUp(self):
        self.at = urllib.parse.urlsplit(URL)
        self.clients = [Client(), Client(dir=os.path.dirname(TOKEN_FILE))]

    def tearDown(self):
        for c in self.clients:
            c.close()

    def raw(self, method, path, body=None):
        """The answer as its JSON text."""
        conn = http.client.HTTPConnection(self.at.hostname, self.at.port)
        with open(TOKEN_FILE) as f:
            headers = {"Authorization": "Bearer " + f.read(), "Content-Type": "application/json"}
        conn.request(method, path, body, headers)
        text = conn.getresponse().read()
        conn.close()
        return text

    def pulls(self):
        return sum(a.pulls for a in self.clients[0].arms())

    def test_models_hold_all_of_real_answers(self):
        self.clients[0].decide("live-model")
        for model, request in (
            (Status, ("GET", "/v1/status")), (Arm, ("GET", "/v1/arms")), (Peer, ("GET", "/v1/peers")), (Table, ("GET", "/v1/table")),
            (Decision, ("POST", "/v1/decisions", "{}")),
            (DecisionBatch, ("POST", "/v1/decisions/batch", '{"decisions":[{},{"id":"no id"}]}')),
            (Receipt, ("POST", "/v1/rewards", '{"id":"live-model","value":1}')),
            (ReceiptBatch, ("POST", "/v1/rewards/batch", '{"rewards":[{"id":"live-model","value":1},{"id":"x-x","value":1}]}')),
            (Problem, ("POST", "/v1/rewards", '{"id":"x-x","value":2}')),
            (Problem, ("POST", "/v1/rewards", "{")),
        ):
            with self.subTest(request=request):
                doc = json.loads(self.raw(*request))
                for one in doc if isinstance(doc, list) else [doc]:
                    self.assertEqual(model.from_json(one).to_json(), one)

    def test_both_ways_in(self):
        for c in self.clients:
            d = c.decide(subject="live")
            with self.assertRaises(Unknown):
                c.reward("nobody-decided-this", 1)
            c.reward(d.id, 1)
            self.assertTrue(c.reward(d.id, 1).duplicate)
            with self.assertRaises(Conflict):
                c.reward(d.id, 0)
            with self.assertRaises(Refused) as caught:
                c.reward(d.id, float("nan"))
            self.assertEqual((caught.exception.status, caught.exception.fields[0].location), (422, "body.value"))

    def test_lost_answers_count_once(self):
        before = self.pulls()
        lossy = Lossy(self.at.hostname, self.at.port)
        self.addCleanup(lossy.listener.close)
        client = Client(lossy.url, deadline=20)
        ids, duplicates = set(), 0
        for _ in range(60):
            ids.add(id := client.decide().id)
            duplicates += client.reward(id, 1).duplicate
        for _ in range(3):
            batch = [d.id for d in client.decide_batch([Ask() for _ in range(20)])]
            ids.update(batch)
            self.assertTrue(all(r.counted for r in client.reward_batch([Reward(id, 1) for id in batch])))
        client.close()
        self.assertGreater(lossy.lost, 30)
        self.assertGreater(duplicates, 10)
        self.assertEqual(len(ids), 120)
        self.assertEqual(self.pulls() - before, 120)


if __name__ == "__main__":
    unittest.main()
