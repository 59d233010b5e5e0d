"""What the client promises while its peer is down."""

import collections
import json
import os
import stat
import tempfile
import threading
import time
import unittest

from peerd import CLIENT_FALLBACK, DRAWN, Action, Ask, Client, Conflict, Expired, Reward, Unreachable
from peerd.table import Table
from tests import fake

DRAWS = os.path.join(os.path.dirname(__file__), "..", "..", "testdata", "draws.json")


class DrawTest(unittest.TestCase):
    @unittest.skipUnless(os.path.exists(DRAWS), "the vectors are in the repository only")
    def test_draws_are_those_of_all_languages(self):
        with open(DRAWS, encoding="utf-8") as f:
            cases = json.load(f)
        for c in cases:
            table = Table.from_json({"version": "v", "salt": c["salt"], "actions": c["actions"]})
            self.assertEqual(table.draw(c["id"], c["exclude"], c["named"]), (c["action"], c["propensity"]), c)
        self.assertGreater(len(cases), 400)

    def test_nothing_is_drawn_of_nothing(self):
        table = Table.from_json({"version": "v", "salt": "s", "actions": [{"name": "a", "weight": 1}]})
        self.assertIsNone(table.draw("id", ["a"]))
        self.assertIsNone(table.draw("id", [], []))

    def test_wrong_tables(self):
        for weight in (-1, 1 << 21):
            with self.assertRaises(ValueError):
                Table.from_json({"version": "v", "salt": "s", "actions": [{"name": "a", "weight": weight}]})


class TableTest(unittest.TestCase):
    def setUp(self):
        self.peer = fake.Fake()
        self.addCleanup(self.peer.close)
        self.peer.offer("1", mail=1, banner=2, call=5)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = os.path.join(folder.name, "peerd.jsonl")

    def open(self, table=True, **options):
        options = {"timeout": 0.8, "deadline": 0.8, "table_every": 0.05, **options}
        client = Client(self.peer.url, table=table, **options)
        self.addCleanup(client.close)
        return client

    def until(self, holds, seconds=10.0):
        end = time.monotonic() + seconds
        while not holds():
            self.assertLess(time.monotonic(), end, "it did not become true")
            time.sleep(0.01)

    def with_table(self, **options):
        client = self.open(**options)
        self.until(lambda: client.table().version == self.peer.table["version"])
        return client

    def equal(self, done, rewards):
        """The peer has each decision as it was made, each reward once, and nothing else."""
        self.assertEqual({i: (d["action"], d["propensity"], d["source"]) for i, d in self.peer.decisions.items()},
                         {d.id: (d.action, d.propensity, d.source) for d in done})
        self.assertEqual({i: values[0] for i, values in self.peer.rewards.items()}, rewards)

    def test_down_from_the_start(self):
        self.peer.dead = True
        client = self.open()
        with self.assertRaises(Unreachable):
            client.decide()
        self.assertEqual(client.decide(fallback="usual").source, CLIENT_FALLBACK)
        with self.assertRaises(Unreachable):
            client.decide(offline=True)
        self.assertEqual(client.table().version, "")
        self.peer.dead = False
        self.until(lambda: client.table().version == "1")

    def test_it_dies_in_the_middle_and_comes_back(self):
        client = self.with_table()
        done, rewards = [client.decide() for _ in range(3)], {}
        self.peer.dead = True
        for i in range(40):
            done.append(client.decide(subject="patient-17"))
            if i == 0:
                begin = time.monotonic()  # the others do not wait
        self.assertLess(time.monotonic() - begin, 5)
        table = Table.from_json(self.peer.table)
        for d in done[3:]:
            self.assertEqual((d.source, d.model, (d.action, d.propensity)), (DRAWN, "1", table.draw(d.id)))
        for n, d in enumerate(done[::2]):  # also of those that the peer decided
            rewards[d.id] = n / 100
            self.assertFalse(client.reward(d.id, n / 100).duplicate)
        state = client.table()
        self.assertEqual((state.drawn, state.reported, state.waiting), (40, 0, 42))
        self.peer.offer("2", mail=1)
        self.peer.dead = False
        self.until(lambda: client.table().waiting == 0)
        self.equal(done, rewards)
        self.assertTrue(all(len(v) == 1 for v in self.peer.rewards.values()))
        state = client.table()
        self.assertEqual((state.reported, state.rewarded, state.expired, state.refused, state.version), (40, 22, 0, 0, "2"))
        self.until(lambda: client.decide().source == "learned")  # it is asked again
        late = client.reward(done[3].id, 0.5)  # at once: the peer has the decision
        self.assertEqual((late.id, self.peer.rewards[done[3].id]), (done[3].id, [0.5]))

    def test_answers_that_are_lost_on_the_way_back(self):
        client = self.with_table(timeout=0.3)
        self.peer.dead = True
        done = [client.decide() for _ in range(250)]
        for d in done:
            client.reward(d.id, 1)
        self.peer.plan = ["lose", "drop", "half", 503, "lose", "slow", "ok", "lose"]
        self.peer.items = {done[7].id: [503], done[8].id: [500, 507]}
        self.peer.dead = False
        self.until(lambda: client.table().waiting == 0)
        self.equal(done, {d.id: 1 for d in done})
        state = client.table()
        self.assertEqual((state.reported, state.rewarded, state.refused), (250, 250, 0))

    def test_the_first_request_was_taken_and_only_its_answer_lost(self):
        client = self.with_table()
        self.peer.plan = ["lose"] * 40
        made, mine = client.decide(), client.decide("mine", exclude=["mail"])
        self.assertEqual((made.source, mine.source, mine.id), (DRAWN, DRAWN, "mine"))
        self.peer.decisions["mine"] = dict(id="mine", action="call", propensity=1, source="learned")
        self.peer.plan = []
        self.until(lambda: client.table().waiting == 0)
        self.assertEqual(self.peer.decisions[made.id]["source"], "learned")  # one record of one user
        self.assertEqual(len(self.peer.decisions), 2)
        state = client.table()
        self.assertEqual((state.reported, state.refused), (0, 2))
        self.assertIn("mine", state.problem)
        with self.assertRaises(Conflict):
            client.reward("mine", 1)  # or it would be the other action's
        self.assertIsInstance(client.reward_batch([Reward("mine", 1)])[0], Conflict)
        self.assertEqual(self.peer.rewards, {})

    def test_reports_and_ends_wait_in_order(self):
        client = self.with_table()
        self.peer.dead = True
        d = client.decide()
        client.reward(d.id, 0.25, report="sale-1")
        client.reward(d.id, 0.5, report="sale-2")
        client.reward(d.id, end=True)
        self.peer.dead = False
        self.until(lambda: client.table().waiting == 0)
        sent = [r for body in self.peer.asked for r in body.get("rewards", ())]
        self.assertEqual(sent, [{"id": d.id, "value": 0.25, "report": "sale-1"}, {"id": d.id, "value": 0.5, "report": "sale-2"}, {"id": d.id, "end": True}])

    def test_the_table_is_forgotten(self):
        client = self.with_table()
        self.peer.dead = True
        d = client.decide()
        client.reward(d.id, 1)
        del self.peer.tables["1"]
        self.peer.offer("2", mail=1)
        self.peer.dead = False
        self.until(lambda: client.table().waiting == 0)
        self.assertEqual((client.table().expired, client.table().refused), (1, 0))
        with self.assertRaises(Expired):
            client.reward(d.id, 1)
        self.assertEqual((self.peer.decisions, self.peer.rewards), ({}, {}))

    def test_a_file_is_kept(self):
        first = self.with_table(table=self.file)
        self.assertEqual(first.close(), [])
        self.assertEqual(stat.S_IMODE(os.stat(self.file).st_mode), 0o600)
        self.peer.dead, done, rewards = True, [], {}
        for n in range(5):  # each is killed before it closes: a copy of its file is what the next one finds
            client = self.open(table=self.file, deadline=0.1)
            done += [client.decide(f"visit-{n}-{i}") for i in range(4)]
            for d in done[n::7]:
                rewards.setdefault(d.id, n)
                if rewards[d.id] == n:
                    client.reward(d.id, n)
            self.assertEqual(client.decide(done[0].id), done[0].__class__(**{**done[0].__dict__, "repeated": True}))
            with open(self.file, "rb") as f:
                text = f.read()
            client.close()
            self.file += "+"
            with open(self.file, "wb") as f:
                f.write(text + b'{"reward": {"id": "never ret')
        client = self.open(table=self.file)
        self.assertEqual([w.ask["id"] for w in client.close()], [d.id for d in done])
        self.peer.dead = False
        client = self.open(table=self.file)
        self.until(lambda: client.table().waiting == 0)
        self.equal(done, rewards)
        client.close()

    def test_a_file_does_not_grow(self):
        client = self.with_table(table=self.file)
        for _ in range(30):
            for d in client.decide_batch([Ask()] * 20):
                pass
            drawn = [client.decide(offline=True) for _ in range(20)]
            self.until(lambda: client.table().waiting == 0)
        self.assertEqual(client.table().reported, 600)
        with open(self.file) as f:
            self.assertLess(len(f.readlines()), 1100)
        self.assertEqual(len(drawn), 20)

    def test_no_more_than_the_queue(self):
        client = self.with_table(queue=5)
        self.peer.dead = True
        done = [client.decide() for _ in range(5)]
        self.assertEqual(client.decide(fallback="usual").source, CLIENT_FALLBACK)
        with self.assertRaises(Unreachable):
            client.decide()
        for d in done:
            client.reward(d.id, 1)  # their rewards have room
        with self.assertRaises(Unreachable):
            client.reward("another", 1)
        state = client.table()
        self.assertEqual((state.waiting, state.drawn, state.full), (5, 5, 3))
        self.peer.dead = False
        self.until(lambda: client.table().waiting == 0)
        self.equal(done, {d.id: 1 for d in done})

    def test_offline_calls_ask_nobody(self):
        client = self.with_table()
        d = client.decide("mine", exclude=["call"], actions=["mail", "call"], offline=True)
        self.assertEqual((d.action, d.propensity, self.peer.asked), ("mail", 1.0, []))
        again = client.decide("mine", exclude=["call"], actions=["mail", "call"])
        self.assertEqual((again.action, again.repeated), ("mail", True))
        self.until(lambda: client.table().waiting == 0)
        self.assertEqual(self.peer.asked, [{"decisions": [{"id": "mine", "exclude": ["call"], "actions": ["mail", "call"], "table": "1"}]}])
        for ask in ({"features": [[1]]}, {"context": [1]}, {"actions": {"a": [1]}}, {"taken": ("mail", 0.5)},
                    {"exclude": ["mail", "banner", "call"]}, {"id": "no id"}):
            with self.assertRaises(Unreachable):
                client.decide(offline=True, **ask)
        self.assertEqual(client.decide(offline=True, features=[[1]], fallback="usual").action, "usual")

    def test_a_learner_by_features_has_no_table(self):
        self.peer.table = None
        client = self.open()
        self.until(lambda: client.table().problem)
        self.peer.dead = True
        self.assertEqual(client.decide(features=[[1]], fallback="usual").source, CLIENT_FALLBACK)
        with self.assertRaises(Unreachable):
            client.decide(features=[[1]])
        self.peer.dead = False
        self.assertEqual(client.decide(features=[[1]]).source, "learned")

    def test_batches(self):
        client = self.with_table()
        first = client.decide_batch([Ask()])
        self.peer.dead = True
        done = client.decide_batch([Ask(id="a"), Ask(exclude=["call"]), Ask()]) + first
        self.assertEqual([d.source for d in done], [DRAWN] * 3 + ["learned"])
        receipts = client.reward_batch([Reward(d.id, 0.5) for d in done])
        self.assertEqual([r.duplicate for r in receipts], [False] * 4)
        self.peer.plan, self.peer.dead = [422, "ok", 422], False  # what spoils a batch does not spoil all of it
        self.until(lambda: client.table().waiting == 0)
        state = client.table()
        self.assertEqual((state.reported, state.refused), (2, 1))
        self.assertEqual(len(self.peer.rewards), 3)

    def test_a_batch_without_room(self):
        client = self.with_table(queue=2)
        self.peer.dead = True
        a, b, c = client.decide_batch([Ask(actions=[Action("mail")]), Ask(), Ask()])
        self.assertEqual((a.action, b.source, c.status), ("mail", DRAWN, 503))
        self.assertEqual([d.action for d in client.decide_batch([Ask(), Ask()], fallback="usual")], ["usual"] * 2)
        with self.assertRaises(Unreachable):
            client.decide_batch([Ask(), Ask()])

    def test_a_wrong_token_drops_nothing(self):
        client = self.with_table()
        self.peer.dead = True
        d = client.decide()
        self.peer.token, self.peer.dead = "another", False
        self.until(lambda: "wrong" in client.table().problem)
        self.assertEqual(client.table().waiting, 1)
        self.peer.token = ""
        self.until(lambda: client.table().waiting == 0)
        self.equal([d], {})

    def test_threads_while_it_comes_and_goes(self):
        client = self.with_table(table=self.file)
        done, rewards, lock, stop = [], {}, threading.Lock(), threading.Event()

        def work(k):
            for i in range(150):
                d = client.decide()
                value = (i % 10) / 10
                client.reward(d.id, value)
                with lock:
                    done.append(d)
                    rewards[d.id] = value

        def trouble():
            for n in range(1000):
                if stop.wait(0.02):
                    return
                self.peer.dead = n % 3 != 2
                self.peer.offer(str(n), mail=n, banner=2, call=5)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        troubled = threading.Thread(target=trouble)
        for t in threads + [troubled]:
            t.start()
        for t in threads:
            t.join()
        stop.set()
        troubled.join()
        self.peer.dead = False
        self.until(lambda: client.table().waiting == 0)
        sources = collections.Counter(d.source for d in done)
        self.assertEqual(sum(sources.values()), 1200)
        self.assertGreater(sources[DRAWN], 100)
        lost = set(self.peer.decisions) - {d.id for d in done}  # taken, but no answer came: the client decided otherwise
        for i in lost:
            self.assertEqual(self.peer.decisions.pop(i)["source"], "learned")
        self.equal(done, rewards)
        self.assertEqual(client.table().refused, 0)

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_a_fork_keeps_nothing_of_its_parents(self):
        client = self.with_table(table=self.file)
        self.peer.dead = True
        mine = client.decide()
        child = os.fork()
        if child == 0:
            try:
                d = client.decide(offline=True)
                ok = d.source == DRAWN and [w.ask["id"] for w in client.close()] == [d.id]
            finally:
                os._exit(0 if ok else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual([w.ask["id"] for w in client.close()], [mine.id])

    def test_nothing_is_left_behind(self):
        before = threading.active_count()
        with self.open() as client:
            self.until(lambda: client.table().version)
            client.decide(offline=True)
        self.assertEqual(len(self.peer.decisions), 1)
        self.until(lambda: threading.active_count() <= before + 1)


if __name__ == "__main__":
    unittest.main()
