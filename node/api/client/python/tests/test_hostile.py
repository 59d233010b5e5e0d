"""What the client does with what a server, a disk or a person got wrong, from the table of cases of all languages."""

import json
import multiprocessing
import os
import shutil
import socket
import tempfile
import threading
import time
import unittest

from peerd import CLIENT_FALLBACK, BadToken, Client, PeerdError
from tests import fake

CASES = os.path.join(os.path.dirname(__file__), "..", "..", "testdata")
WEIGHTS = [{"name": "mail", "weight": 1}, {"name": "banner", "weight": 1}]


def cases(name):
    with open(os.path.join(CASES, name), encoding="utf-8") as f:
        return json.load(f)


def line_of(short):
    kind, _, id = short.partition(" ")
    if short == "T":
        return json.dumps({"table": {"version": "1", "model": "1-2-3", "salt": "s1", "made_at": "2001-09-09T01:46:40Z", "actions": WEIGHTS}})
    if kind == "D":
        return json.dumps({"drawn": {"ask": {"id": id, "table": "1"}, "action": "mail", "propensity": 0.5}})
    if short in ("DEEP", "BYTES"):
        return "[" * 100_000 if short == "DEEP" else "\xff\xfe"
    return json.dumps({"reward": {"id": id, "value": 0.5}}) if kind == "R" else short


class Server:
    """Answers every connection in the same way."""

    def __init__(self, case):
        case = dict(case, body=line_of(case["body"])) if case.get("body") == "DEEP" else case
        self.case = dict(case)
        if "status" in case:
            self.case["head"] = f"HTTP/1.1 {case['status']} X\r\nContent-Type: application/json\r\nContent-Length: {len(case['body'])}\r\n\r\n"
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                conn, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.answer, args=(conn,), daemon=True).start()

    def answer(self, conn):
        repeat = self.case.get("repeat", "").replace("SPACES", " " * (1 << 20)).encode()
        with conn:
            try:
                conn.recv(4096)
                conn.sendall((self.case.get("head", "") + self.case.get("body", "")).encode())
                while repeat:
                    conn.sendall(repeat)
                    time.sleep(self.case["every"])
                if not self.case.get("close"):
                    conn.recv(1)  # until the client ends
            except OSError:
                pass


def decide_in(file, rounds, queue):
    try:
        client = Client("http://127.0.0.1:1", table=file, deadline=0.05)
    except OSError as err:
        queue.put(str(err))
        return
    queue.put("")
    time.sleep(rounds)
    os._exit(0)


@unittest.skipUnless(os.path.exists(CASES), "the cases are in the repository only")
class HostileTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = os.path.join(folder.name, "peerd.jsonl")

    def test_a_damaged_file_is_read_as_far_as_it_can_be(self):
        for n, case in enumerate(cases("damaged.json")):
            with self.subTest(case["name"]):
                file, text = f"{self.file}-{n}", "".join(line_of(x) + "\n" for x in case["lines"]) + case.get("torn", "")
                with open(file, "w", encoding="latin-1") as f:
                    f.write(text)
                for again in range(2):
                    client = Client("http://127.0.0.1:1", table=file, deadline=0.01, timeout=0.01)
                    state, left = client.table(), client.close()
                    self.assertEqual(state.version, "1")
                    self.assertEqual([w.ask["id"] for w in left], case["waiting"])
                    self.assertEqual(sum(len(w.rewards) for w in left), case["rewards"])
                    self.assertEqual(".damaged-1" in state.problem, case["damaged"] and not again, state.problem)
                    self.assertEqual(os.path.exists(file + ".damaged-1"), case["damaged"])
                if case["damaged"]:
                    with open(file + ".damaged-1", encoding="latin-1") as f:
                        self.assertEqual(f.read(), text)

    def test_a_file_that_cannot_be_written_again_goes_on(self):
        with open(self.file, "w", encoding="latin-1") as f:
            f.write("\n".join((line_of("T"), "\xff", line_of("D a"), '{"torn')))
        os.makedirs(self.file + ".new/x")
        client = Client("http://127.0.0.1:1", table=self.file, deadline=0.01)
        self.assertRegex(client.table().problem, "goes on as it is.*line 2")
        self.assertEqual(client.decide("b", offline=True).source, "table")
        client.close()
        shutil.rmtree(self.file + ".new")
        left = Client("http://127.0.0.1:1", table=self.file, deadline=0.01).close()
        self.assertEqual([w.ask["id"] for w in left], ["a", "b"])

    def test_a_file_has_one_client(self):
        first = Client("http://127.0.0.1:1", table=self.file, deadline=0.05)
        with self.assertRaisesRegex(OSError, f"is used by process {os.getpid()}: give each worker a file"):
            Client("http://127.0.0.1:1", table=self.file)
        first.close()
        queue = multiprocessing.get_context("spawn").Queue()
        process = multiprocessing.get_context("spawn").Process(target=decide_in, args=(self.file, 60, queue))
        process.start()
        self.addCleanup(process.kill)
        self.assertEqual(queue.get(timeout=60), "")
        with self.assertRaisesRegex(OSError, f"is used by process {process.pid}"):
            Client("http://127.0.0.1:1", table=self.file)
        process.kill()  # leaves no lock
        process.join()
        Client("http://127.0.0.1:1", table=self.file, deadline=0.05).close()

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
    def test_a_child_does_not_keep_the_file(self):
        first = Client("http://127.0.0.1:1", table=self.file, deadline=0.05)
        runs, begun = os.pipe()
        child = os.fork()
        if not child:
            os.write(begun, b"x")
            time.sleep(60)
            os._exit(0)
        try:
            os.read(runs, 1)
            first.close()
            Client("http://127.0.0.1:1", table=self.file, deadline=0.05).close()
        finally:
            os.kill(child, 9)
            os.waitpid(child, 0)
            os.close(runs)
            os.close(begun)

    def test_wrong_answers_are_none(self):
        def play(case):
            server = Server(case)
            client, begin = Client(server.url, timeout=0.3, deadline=0.7), time.monotonic()
            d = client.decide("mine", exclude=["banner"], actions=["mail", "banner"], fallback="mail")
            try:
                receipt = client.reward("mine", 1)
            except PeerdError:
                receipt = None
            took.append((case["name"], d.source, receipt and '"id":"mine"' not in case["body"], time.monotonic() - begin))
            client.close()
            for line in ("D mine", "R mine"):
                file = os.path.join(os.path.dirname(self.file), case["name"] + line)
                with open(file, "w", encoding="utf-8") as f:
                    f.writelines(line_of(x) + "\n" for x in ("T", line))
                kept.append(len(Client(server.url, table=file, timeout=0.3, deadline=0.7).close()))
            server.listener.close()

        took, kept = [], []
        threads = [threading.Thread(target=play, args=(case,)) for case in cases("answers.json")]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(len(took), len(threads))
        self.assertEqual(kept, [1] * 2 * len(threads))
        for name, source, receipt, seconds in took:
            with self.subTest(name):
                self.assertEqual((source, bool(receipt)), (CLIENT_FALLBACK, False))
                self.assertLess(seconds, 5)

    def test_a_token_file_is_not_shown(self):
        for text, want in ((b"secret-1\nsecret-2\n", "more than one line"), (b"", "empty"), (b" \n", "empty"), ("secret".encode("utf-16"), "not UTF-8"),
                           (b"secret one", "none"), ("secr\u00e9t".encode(), "none"), (b"api:\n  secret: 1\n", "more than one line"), (b"secret" * 100, "none")):
            with open(self.file, "wb") as f:
                f.write(text)
            with self.assertRaises(BadToken) as caught:
                Client("http://127.0.0.1:1", token_file=self.file, deadline=60).decide()
            said = str(caught.exception)
            self.assertIn(want, said)
            self.assertIn(self.file, said)
            self.assertNotIn("secr", said)
            self.assertEqual(Client("http://127.0.0.1:1", token_file=self.file, deadline=60).decide(fallback="mail").source, CLIENT_FALLBACK)
        with open(self.file + ".jsonl", "w", encoding="utf-8") as f:
            f.write(line_of("T") + "\n")
        with Client("http://127.0.0.1:1", token_file=self.file, table=self.file + ".jsonl", deadline=0.05) as client:
            self.assertEqual(client.decide().source, "table")  # it is reported when the file has a token
        peer = fake.Fake(token="secret")
        self.addCleanup(peer.close)
        with open(self.file, "wb") as f:
            f.write(b"\xef\xbb\xbfsecret\r\n")
        with Client(peer.url, token_file=self.file) as client:
            self.assertTrue(client.decide().id)
