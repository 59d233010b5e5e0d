"""What the client promises, shown with a peer that misbehaves: python3 -m unittest."""

import os
import tempfile
import threading
import time
import unittest
import uuid

from tests import fake
from peerd import (CLIENT_FALLBACK, BadToken, Ask, Client, Conflict, Expired, PeerdError, Problem, Refused, Reward, Unknown,
                   Unreachable)


class ClientTest(unittest.TestCase):
    def setUp(self):
        self.peer = fake.Fake()
        self.addCleanup(self.peer.close)
        self.client = self.enter(Client(self.peer.url, timeout=0.3, deadline=3))

    def enter(self, client):
        self.addCleanup(client.close)
        return client

    def ids(self):
        return [a["id"] for a in self.peer.asked]

    def test_decide_and_reward(self):
        d = self.client.decide("visit-1", exclude=["call"], subject="patient-17")
        self.assertEqual((d.id, d.action, d.source, d.repeated), ("visit-1", "mail", "learned", False))
        self.assertFalse(self.client.reward(d.id, 1).duplicate)
        self.assertEqual(self.peer.asked, [{"id": "visit-1", "exclude": ["call"], "subject": "patient-17"},
                                           {"id": "visit-1", "value": 1}])
        self.assertEqual(self.client.arms()[0].estimate, 0.5)

    def test_features_by_name(self):
        self.client.decide("visit-4", context={"hour": 14, "device": "mobile"}, actions={"a": {"price": 3}})
        self.assertEqual(self.peer.asked, [{"id": "visit-4", "context": {"hour": 14, "device": "mobile"},
                                            "actions": [{"id": "a", "features": {"price": 3}}]}])

    def test_kept_decisions(self):
        self.assertIs(self.client.decide(keep=True).kept, True)
        self.assertIsNone(self.client.decide().kept)
        self.assertEqual([a.get("keep") for a in self.peer.asked], [True, None])

    def test_reports_and_ends(self):
        self.client.decide("visit-9")
        self.client.reward("visit-9", 0.5, report="sale-1")
        self.client.reward("visit-9", end=True)
        self.assertEqual(self.peer.asked[1:], [{"id": "visit-9", "value": 0.5, "report": "sale-1"}, {"id": "visit-9", "end": True}])

    def test_features(self):
        d = self.client.decide("visit-2", features=((0.5, 1), (0, -2)))
        self.assertEqual(self.peer.asked, [{"id": "visit-2", "features": [[0.5, 1], [0, -2]]}])
        self.assertEqual(d.id, "visit-2")
        self.client.decide("visit-3", context=(1, 0.5), actions={"article 7": (0.5, 1), "article 9": [0, -1]})
        self.assertEqual(self.peer.asked[1], {"id": "visit-3", "context": [1, 0.5], "actions": [
            {"id": "article 7", "features": [0.5, 1]}, {"id": "article 9", "features": [0, -1]}]})

    def test_ids_are_made_by_the_client(self):
        a, b = self.client.decide(), self.client.decide()
        self.assertEqual(self.ids(), [a.id, b.id])
        self.assertNotEqual(uuid.UUID(a.id), uuid.UUID(b.id))

    def test_what_gets_no_answer_is_asked_again_with_its_id(self):
        for plan in (["lose"], ["drop"], ["slow"], ["half"], ["lose", "drop", "lose"], [507], [503, 500, 507], ["lose", 507]):
            with self.subTest(plan=plan):
                self.peer.asked.clear()
                self.peer.plan = list(plan)
                d = self.client.decide()
                self.assertEqual(self.ids(), [d.id] * (len(plan) + 1))
                self.assertEqual(d.repeated, bool({"lose", "slow", "half"} & set(plan)))
                self.peer.plan = list(plan)
                self.assertEqual(self.client.reward(d.id, 0.5).duplicate, d.repeated)
        self.assertEqual(len(self.peer.decisions), 8)

    def test_a_late_answer_is_not_the_next_ones(self):
        self.peer.plan = ["slow"]
        first, second = self.client.decide("a"), self.client.decide("b")
        time.sleep(fake.DELAY)
        third = self.client.decide("c")
        self.assertEqual([first.id, second.id, third.id], ["a", "b", "c"])

    def test_refusals_are_final(self):
        for status, kind, code in ((401, Refused, "unauthorized"), (404, Unknown, "unknown"), (409, Conflict, "conflict"),
                                   (410, Expired, "expired"), (422, Refused, "invalid")):
            with self.subTest(status=status):
                self.peer.asked.clear()
                self.peer.plan = [status]
                with self.assertRaises(Refused) as caught:
                    self.client.decide("a")
                err = caught.exception
                self.assertEqual((type(err), err.status, err.code), (kind, status, code))
                self.assertEqual([f.location for f in err.fields], ["body.value"] if status == 422 else [])
                self.assertIn("is wrong", err.detail)
                self.assertEqual(len(self.peer.asked), 1)

    def test_a_fallback_is_for_faults_of_the_peer(self):  # and no bug of the program is hidden by it
        for status in (401, 403, 404, 502):
            self.peer.plan = [status]
            self.assertEqual(self.client.decide("a", fallback="usual").source, CLIENT_FALLBACK)
        for status in (400, 409, 413, 415, 422):
            self.peer.plan = [status]
            with self.assertRaises(Refused):
                self.client.decide("a", fallback="usual")

    def test_text_of_the_http_server_is_a_refusal(self):
        self.peer.plan = ["text"]
        with self.assertRaises(Refused) as caught:
            self.client.decide()
        self.assertEqual((caught.exception.status, caught.exception.detail), (502, "out of order"))

    def test_the_deadline_ends_all_tries(self):
        client = self.enter(Client(self.peer.url, timeout=0.1, deadline=0.5))
        nowhere = self.enter(Client("http://127.0.0.1:9", deadline=0.5))
        tokenless = self.enter(Client(self.peer.url, token_file="/nowhere", deadline=0.5))
        for peer, plan, kind in ((client, ["drop"] * 99, Unreachable), (client, ["slow"] * 99, Unreachable),
                                 (client, [507] * 99, Refused), (nowhere, [], Unreachable), (tokenless, [], BadToken)):
            with self.subTest(plan=plan[:1]):
                self.peer.plan = plan
                begin = time.monotonic()
                with self.assertRaises(kind) as caught:
                    peer.decide()
                self.assertIsInstance(caught.exception, PeerdError)
                d = peer.decide("mine", fallback="usual")
                self.assertEqual((d.id, d.action, d.source), ("", "usual", CLIENT_FALLBACK))
                self.assertLess(time.monotonic() - begin, 1.5)
        with self.assertRaises(ValueError):
            nowhere.decide(exclude=["usual"], fallback="usual")
        with self.assertRaises(ValueError):
            client.reward(d.id, 1)

    def test_batches(self):
        self.peer.items = {"b": [507, 503], "c": [422]}
        a, b, c, made = self.client.decide_batch([Ask(id="a"), Ask(id="b"), Ask(id="c"), Ask(subject="s")])
        self.assertEqual([a.id, b.id, type(c), c.fields[0].location], ["a", "b", Refused, "body.value"])
        sent = [[i["id"] for i in body["decisions"]] for body in self.peer.asked]
        self.assertEqual(sent, [["a", "b", "c", made.id], ["b"], ["b"]])
        self.peer.asked.clear()
        self.peer.plan = ["lose"]
        made, again = self.client.decide_batch([Ask(), Ask(id="a")])
        self.assertTrue(made.repeated and again.repeated)
        self.assertEqual(self.peer.asked[0], self.peer.asked[1])
        self.assertEqual(len(self.peer.decisions), 4)
        self.peer.items = {"b": [409], "a": [500]}
        a, b = self.client.reward_batch([Reward("a", 1), Reward("b", 0.5)])
        self.assertEqual((a.duplicate, type(b)), (False, Conflict))
        self.assertEqual(self.client.decide_batch([]), [])

    def test_fallback_of_a_batch(self):
        client = self.enter(Client(self.peer.url, deadline=0.3))
        self.peer.items = {"b": [507] * 99, "c": [422]}
        a, b, c = client.decide_batch([Ask(id="a"), Ask(id="b"), Ask(id="c")], fallback="usual")
        self.assertEqual((a.source, b.source, b.id, type(c)), ("learned", CLIENT_FALLBACK, "", Refused))
        self.peer.plan = ["drop"] * 99
        self.assertEqual([d.action for d in client.decide_batch([Ask(), Ask()], fallback="usual")], ["usual"] * 2)
        with self.assertRaises(Unreachable):
            client.reward_batch([Reward("a", 1)])

    def test_connections_are_kept(self):
        for _ in range(5):
            self.client.decide()
        self.assertEqual(self.peer.connections, 1)

    def test_threads_share_a_client(self):
        failures = []

        def work(k):
            for i in range(25):
                d = self.client.decide(f"{k}-{i}")
                if d.id != f"{k}-{i}" or d.repeated:
                    failures.append(d)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual((failures, len(self.peer.decisions)), ([], 200))
        self.assertLessEqual(self.peer.connections, 8)

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_a_fork_has_its_own_connections(self):
        self.client.decide()
        child = os.fork()
        if child == 0:
            try:
                ok = all(self.client.decide(f"child-{i}").id == f"child-{i}" for i in range(20))
            finally:
                os._exit(0 if ok else 1)
        for i in range(20):
            self.assertEqual(self.client.decide(f"parent-{i}").id, f"parent-{i}")
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(self.peer.connections, 2)

    def test_the_token_is_read_anew(self):
        with tempfile.TemporaryDirectory() as d:
            file = os.path.join(d, "api.token")
            client = self.enter(Client(self.peer.url, token_file=file))
            for token in ("first", "second"):
                self.peer.token = token
                with open(file, "w") as f:
                    f.write(token)
                client.decide()

    def test_socket_of_a_folder(self):
        with tempfile.TemporaryDirectory() as d:
            client = self.enter(Client(dir=d, timeout=0.3, deadline=1))
            with self.assertRaises(Unreachable):
                client.decide()
            peer = fake.Fake(path=os.path.join(d, "peerd.sock"))
            self.addCleanup(peer.close)
            peer.plan = ["lose", "slow"]
            self.assertTrue(client.decide("a").repeated)
            self.assertEqual(list(peer.decisions), ["a"])

    def test_urls(self):
        for url in ("https://127.0.0.1:8470", "127.0.0.1:8470", "unix:/x"):
            with self.assertRaises(ValueError):
                Client(url)


class ModelTest(unittest.TestCase):
    def test_optional_fields(self):
        self.assertEqual(Ask().to_json(), {})
        for doc in ({"title": "t", "status": 404, "detail": "d", "code": "unknown"},
                    {"title": "t", "status": 422, "detail": "d", "code": "invalid",
                     "errors": [{"location": "body.id", "message": "m"}]}):
            self.assertEqual(Problem.from_json(doc).to_json(), doc)

    def test_fields_of_a_newer_peer_are_left_out(self):
        self.assertEqual(Reward.from_json({"id": "a", "value": 1, "new": 2}), Reward("a", 1))


if __name__ == "__main__":
    unittest.main()
