"""Verify an auditor's bundle of peerd with Python's standard library alone.

    python3 verify_bundle.py hospital-a.tar

docs/bundle.md describes a bundle, docs/ledger.md the ledger in it, and docs/proofs the noise of each mechanism.
This program was written from those pages and shares no code with peerd. It ends with code 0 if everything holds,
with 5 and the name of a fault, with 2 after a wrong command line, and with 4 if the file cannot be read.
"""

import ast
import base64
import datetime
import functools
import hashlib
import json
import math
import re
import sys
from fractions import Fraction

PARTS = ("manifest.json", "manifest.sig", "privacy.txt", "privacy.json", "settings.yaml",
         "policy.txt", "network.jsonl", "ledger.jsonl", "receipts.jsonl", "build.json")
LEDGER = "ledger.jsonl"
LONGEST = 2**26  # bytes of a part other than the ledger


class Fault(Exception):
    """Something that the bundle says and that does not hold."""


def check(holds, text):
    """Raise a fault unless something holds."""
    if not holds:
        raise Fault(text)


# Ed25519 (RFC 8032, 5.1). A point is (X, Y, Z, T) with x = X/Z, y = Y/Z and x*y = T/Z.

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P


def add(p, q):
    """Return the sum of two points."""
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def point(data):
    """Return the point that 32 bytes encode, or None."""
    sign, y = divmod(int.from_bytes(data, "little"), 2**255)
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or (x * x - square) % P or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
BASE = point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def key_of(peer):
    """Return the public key in a peer's id, which is in base 58; None if there is none."""
    n = 0
    for c in peer:
        n = n * 58 + BASE58.find(c)
    # 00 24: 36 bytes that are not hashed; 08 01: a key of Ed25519; 12 20: its 32 bytes.
    right = n >> 256 == 0x2408011220 and re.fullmatch("1[^1]*", peer[:2]) and not set(peer) - set(BASE58)
    return (n % 2**256).to_bytes(32, "big") if right else None


def signed(peer, signature, *texts):
    """Return whether the peer's key signed the texts, with a zero byte between two."""
    key, s = key_of(peer), int.from_bytes(signature[32:], "little")
    a = key and point(key)
    if not a or len(signature) != 64 or s >= ORDER:
        return False
    message = b"\0".join(t if isinstance(t, bytes) else str(t).encode() for t in texts)
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ORDER
    minus = (P - a[0], a[1], 1, P - a[3])
    terms = {(1, 0): BASE, (0, 1): minus, (1, 1): add(BASE, minus), (0, 0): (0, 1, 1, 0)}
    r = terms[0, 0]
    for i in range(252, -1, -1):  # s*B - h*A, both products in one pass
        r = add(add(r, r), terms[s >> i & 1, h >> i & 1])
    z = pow(r[2], -1, P)
    x, y = r[0] * z % P, r[1] * z % P
    return signature[:32] == (y | (x & 1) << 255).to_bytes(32, "little")


# The archive and the texts in it.

def read_archive(data):
    """Return the parts. Every block is read here, so that nothing can hide between them."""
    parts, at = {}, 0
    while data[at:at + 512].strip(b"\0"):
        head = data[at:at + 512]
        name = head[:100].rstrip(b"\0").decode("latin-1")
        check(len(parts) < len(PARTS) and name == PARTS[len(parts)], f"entry {len(parts) + 1} is {name!r}")
        size, total = (int(re.fullmatch(rb"([0-7]+)[ \0]*", field)[1], 8) for field in (head[124:136], head[148:156]))
        check(head[156:157] == b"0" and head[257:265] == b"ustar\x0000" and not head[157:257].strip(b"\0")
              and not head[345:].strip(b"\0"), f"{name} is no regular file of a ustar archive")
        check(sum(head) - sum(head[148:156]) + 8 * 32 == total, f"the checksum of {name}")
        end = at + 512 + size
        check(size <= LONGEST or name == LEDGER, f"{name} has {size} bytes")
        parts[name], at = data[at + 512:end], end + -size % 512
        check(at <= len(data) and not data[end:at].strip(b"\0"), f"the end of {name}")
    check(len(parts) == len(PARTS), "a part is missing")
    check(len(data) - at >= 1024 and not len(data) % 512 and not data[at:].strip(b"\0"),
          "the archive does not end with blocks of zeros alone")
    return parts


def unique(items):
    """Make an object of JSON. A key that stands twice means two things to two readers."""
    value = dict(items)
    keys = " ".join(value)
    check(len(value) == len(items) and keys == keys.lower(), f"a key twice, or with capital letters: {keys}")
    return value


def shallow(value, room=64):
    """Return whether at most so many objects and lists are within each other."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return inner is None or room > 0 and all(shallow(v, room - 1) for v in inner)


def read_object(name, text):
    """Return the object of JSON in a text. Deeper text than Python reads raises an error, too."""
    value = json.loads(text.decode(), object_pairs_hook=unique)
    check(isinstance(value, dict) and shallow(value), f"{name}: something else than an object, or a deep one")
    return value


def read_lines(name, data, longest):
    """Return the lines of a part and their objects."""
    lines, at = [], 0
    while at < len(data):
        end = data.find(b"\n", at, at + longest + 1)
        check(end >= 0, f"{name}: a line has no end, or more than {longest} bytes")
        lines.append((data[at:end], read_object(name, data[at:end])))
        at = end + 1
    return lines


def read_text(name, data):
    """Return what a part holds: an object, a list of lines and their objects, or a text. The ledger is read later."""
    if name == LEDGER:
        return None
    if name.endswith(".jsonl"):
        return read_lines(name, data, LONGEST)
    return read_object(name, data) if name.endswith(".json") else data.decode()


def seconds(text):
    """Return a time as seconds since 1970."""
    time = datetime.datetime.strptime(text + "+0000", "%Y-%m-%dT%H:%M:%SZ%z")
    check(time.isoformat() == text[:-1] + "+00:00", f"{text!r} is another spelling of a time")
    return int(time.timestamp())


def sha256(data):
    """Return the hash in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


# Records have these fields. A letter says what one holds, and a capital letter that it holds a list of that.

SEQ = "seq:n prev:h kind:t "
FIELDS = {kind: [field.split(":") for field in fields.split()] for kind, fields in {
    "genesis": SEQ + "version:n peer:t network:t policy:h mode:t budget:n delta:n unit:t incarnation:w",
    "open": SEQ + "what:t stream:n streams:n record:t dim:n lo:i hi:i leaves:n records_per_user:n adjacency:t"
                  " mechanism:t mode:t cost:n square:n scale:n",
    "release": SEQ + "round:n stream:n from:n to:n counts:N values:I exponent:i law:t scale:n terms:n",
    "gap": SEQ + "claimed:n had:n incarnation:w since:n round:n waiting:n margin:n next:N without:T",
    "end": "kind:t records:n head:h signature:s",
    "receipt": "kind:t witness:t records:n head:h time:t signature:s",
    "checkpoint": "kind:t peer:t records:n head:h signature:s"}.items()}
HOLDS = {
    "n": lambda v: type(v) is int and 0 <= v < 2**64,
    "w": lambda v: type(v) is int and 0 <= v < 2**32,
    "i": lambda v: type(v) is int and abs(v) <= 2**61,
    "h": lambda v: re.fullmatch("[0-9a-f]{64}", v),
    "s": lambda v: re.fullmatch("[0-9a-f]{128}", v),
    "t": lambda v: len(v.encode()) <= 256 and not re.search(r'[\x00-\x1f\x7f-\x9f"\\]', v)}


def read_record(line, record, kinds):
    """Verify the spelling of a record. There is only one, so that its hash has one meaning."""
    kind = record.get("kind")
    check(kind in kinds, f"a record of kind {kind!r}")
    check(list(record) == [key for key, _ in FIELDS[kind]], f"the fields of a record of kind {kind}")
    for key, letter in FIELDS[kind]:
        value, holds = record[key], HOLDS[letter.lower()]
        good = type(value) is list and all(map(holds, value)) if letter.isupper() else holds(value)
        check(good, f"{key} is wrong")
    check(json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() == line, "another spelling")


# C1 and C2, how far a change of 1 in one leaf moves everything that is drawn, are in the proof of each mechanism.

MODES = {"tree": "once", "hybrid": "once", "kary": "once", "each": "parallel",
         "tree-gaussian": "once", "sqrt": "once", "blt": "once", "each-gaussian": "parallel"}
GAUSSIAN = ("tree-gaussian", "each-gaussian", "sqrt", "blt")


def digits(t, base):
    """Return the sum of the absolute digits of t, which go from -(base-1)/2 to (base-1)/2."""
    high, low = divmod(t + base // 2, base)
    return abs(low - base // 2) + (digits(high, base) if high else 0)


def mean(n, base):
    """Return the sum of digits(t, base) over t from 1 to n."""
    m = base // 2
    if n <= m:
        return n * (n + 1) // 2
    high, low = (n + m) // base, (n + m) % base - m
    # The lowest digits: 0..m, then -m..m for each number above them that is less than high, then -m..low.
    lowest = high * m * (m + 1) + low * (low + 1) // 2 * (1 if low >= 0 else -1)
    return lowest + base * mean(high - 1, base) + (low + m + 1) * digits(high, base)


@functools.lru_cache(maxsize=None)
def kary(leaves):
    """Return the base and the number of levels with the least greatest variance, then the least mean."""
    best = (leaves, leaves * (leaves + 1) // 2, 2 * leaves + 1, 1)  # one level: t nodes at leaf t
    for levels in range(leaves.bit_length(), 1, -1):
        base = 3
        while levels**2 * (levels - 1) * (base // 2) <= best[0] and base**(levels - 1) <= 2 * leaves:
            if base**levels > 2 * leaves:
                greatest, n = 0, leaves
                while n > base // 2:
                    greatest, n = greatest + base // 2, (n + base // 2) // base
                best = min(best, (levels**2 * (greatest + n), levels**2 * mean(leaves, base), base, levels))
            base += 2
    return best[2:]


@functools.lru_cache(maxsize=None)
def column(mechanism, leaves):
    """Return C1 for Laplace noise, and the square of C2 for Gaussian noise; 0 if docs/ does not say how."""
    if mechanism == "sqrt":
        check(leaves <= 2**14, "a horizon that sqrt does not have")
        f, total = 2**64, 0
        for k in range(1, leaves + 1):
            total, f = total + f * f, f * (2 * k - 1) // (2 * k)
        return -(-total // 2**96) / 2**32  # rounded up to a multiple of 2^-32
    levels = {"tree": leaves.bit_length(), "hybrid": 2, "each": 1, "blt": 0}
    return kary(leaves)[1] if mechanism == "kary" else levels[mechanism.split("-")[0]]


def drawn(charge, t):
    """Return the leaf behind which the release at leaf t begins, its scale, and its terms."""
    mechanism, scale = charge["mechanism"].split("-")[0], charge["scale"]
    block = t.bit_length() - 1
    if mechanism == "hybrid":  # an increment at a power of two, else a node of the tree over a block
        return (t // 2, scale, 256) if t == 2**block else (t & (t - 1), scale * block, 256)
    if mechanism == "kary":
        return 0, scale, 256 * digits(t, kary(charge["leaves"])[0])
    return {"each": t - 1, "tree": t & (t - 1)}.get(mechanism, 0), scale, 256


def delta_of(epsilon, pure, mu):
    """Return the delta of Laplace noise that costs pure and Gaussian noise of mu together (account.md)."""
    def phi(x):
        return math.erfc(-x / math.sqrt(2)) / 2

    def curve(e):
        tail = phi(-e / mu - mu / 2)
        return phi(-e / mu + mu / 2) - (math.exp(e + math.log(tail)) if tail else 0)

    heads = 1 / (1 + math.exp(-pure))
    return heads * curve(epsilon - pure) + (1 - heads) * curve(epsilon + pure)


class Ledger:
    """The ledger, verified in one pass. Each kind of record has a method."""

    def __init__(self, data, network):
        lines = read_lines(LEDGER, data, 2**20)
        self.hashes, self.streams = {}, []  # a stream: its charge, width, leaves closed, where it began again
        self.releases = self.gaps = self.cost = self.square = self.lost = self.newest = self.records = 0
        self.unknown, self.head = set(), "0" * 64
        check(lines and lines[-1][1].get("kind") == "end", "the ledger stops before its signed end")
        for number, (line, r) in enumerate(lines):
            first, last = number == 0, number == len(lines) - 1
            try:
                read_record(line, r, ["genesis"] if first else ["end"] if last else ["open", "release", "gap"])
                if not last:
                    check(r["prev"] == self.head, "lines were changed, taken out, put in or moved")
                    check(r["seq"] == self.records or r["kind"] == "gap" and r["seq"] > self.records, "its number")
                getattr(self, r["kind"])(r)
            except Fault as fault:
                raise Fault(f"line {number + 1} of the ledger: {fault}") from None
            if r["kind"] != "end":
                self.records, self.head = r["seq"] + 1, sha256(line)
                self.hashes[self.records] = self.head
        check(self.owner["network"] == network, "the ledger of another network")

    def genesis(self, r):
        """Verify the ledger's owner and terms."""
        check(r["version"] == 2 and key_of(r["peer"]), "the version, or the peer's id")
        check(r["mode"] == "private" and r["network"] and r["budget"] <= 10**18 and r["delta"] < 10**18, "its terms")
        self.owner, self.incarnation = r, r["incarnation"]

    def open(self, r):
        """Verify that the noise matches the charge, and the budget."""
        dim, counted, zero = r["dim"], r["record"] == "counted", r["adjacency"] == "zero-out"
        width = {"box": dim, "linear": dim * (dim + 3) // 2, "corner": (dim + 1) * (dim + 2) // 2, "counted": 2}
        width = width.get(r["record"], 0)
        check(width and dim and 0 < r["leaves"] <= 2**30 and r["records_per_user"] and r["streams"]
              and r["lo"] < r["hi"] and (dim == 1 or not counted), "its shape")
        check(r["adjacency"] in (["add-or-remove"] if counted else ["replace-one", "zero-out"]), "its adjacency")
        check(MODES.get(r["mechanism"]) == r["mode"], "its mechanism, or its mode")
        check(r["stream"] == len(self.streams) and r["stream"] + r["streams"] <= 2**16, "its streams")
        bound = max(abs(r["lo"]), abs(r["hi"])) if zero else r["hi"] - r["lo"]
        if r["mechanism"] in GAUSSIAN:
            check(r["cost"] == 0 and r["scale"] >= 2**10 and r["square"] >= self.needed(r, bound, width, zero),
                  "the charge is wrong: less than its noise costs")
        else:
            moved = r["records_per_user"] * column(r["mechanism"], r["leaves"]) * bound * dim
            check(r["record"] in ("box", "counted"), "Laplace noise for records with features")
            check(r["square"] == 0 < r["cost"] and r["scale"] == -(-moved * 10**9 // r["cost"]),
                  "the charge is wrong: its noise is not what it pays for")
        self.cost, self.square = self.cost + r["cost"], self.square + r["square"]
        budget, delta, mu = self.owner["budget"], self.owner["delta"], math.sqrt(self.square / 1e9)
        check(delta_of(budget / 1e9, self.cost / 1e9, mu) <= delta / 1e18 * (1 + 1e-9) if self.square
              else self.cost <= budget, "more is charged than the budget")
        self.streams += [[r, width, 0, 0] for _ in range(r["streams"])]

    def needed(self, r, bound, width, zero):
        """Return the square that Gaussian noise costs. Its floats err by far less than 1e-9 of it."""
        k, c2 = r["records_per_user"], column(r["mechanism"], r["leaves"])
        norm = {"linear": 2 if zero else 4.5, "corner": 4 if zero else 8}.get(r["record"])
        if norm:  # features, and rewards from -1 to 1, on the grid (records.md)
            check(-2**20 <= r["lo"] and r["hi"] <= 2**20, "the range of its rewards")
            bound = (math.sqrt(norm) * 2**20 + math.sqrt(width)) * (1 + 2**-49)
        bound *= math.sqrt(r["dim"]) if r["record"] == "box" else 1
        rounded = min(k, r["streams"]) * r["leaves"] * width if r["mechanism"] in ("sqrt", "blt") else 0
        if not c2:  # blt: the first number of the column is 1, and the others are not in docs/
            self.unknown.add(r["mechanism"])
        distance = k * math.sqrt(c2 or 1) * bound + math.sqrt(rounded)
        # The lattice costs 2^-17 of the deviation (lattice.md).
        return math.ceil((distance / (r["scale"] * (1 - 2**-17)))**2 * 1e9 * (1 - 1e-11))

    def release(self, r):
        """Verify which leaves a release covers, and its noise."""
        check(r["stream"] < len(self.streams), "no charge pays for its stream")
        stream = self.streams[r["stream"]]
        charge, width, closed, began = stream
        check(r["to"] > closed, f"noise drawn twice for leaf {r['to']} of stream {r['stream']}")
        check(r["to"] == closed + 1, f"the release of leaf {closed + 1} of stream {r['stream']} is not in the ledger")
        check(r["to"] <= charge["leaves"], "more leaves than are paid for")
        start, scale, terms = drawn(charge, r["to"] - began)
        law = "gaussian" if charge["mechanism"] in GAUSSIAN else "laplace"
        check(r["from"] == began + start, "other leaves than its mechanism releases")
        noise = r["law"], r["scale"], r["terms"], r["exponent"]
        check(noise == (law, scale, terms, -20), "other noise than is paid for")
        check(len(r["values"]) == width and len(r["counts"]) == (charge["record"] != "counted"), "its shape")
        stream[2], self.releases, self.newest = r["to"], self.releases + 1, max(self.newest, r["round"])

    def gap(self, r):
        """Verify that all streams give up leaves and begin again."""
        lost, given, spent = max(0, r["claimed"] - r["had"]), 0, False
        check(r["seq"] >= r["claimed"] and r["had"] <= self.records and r["since"] <= r["round"] and r["margin"]
              and r["incarnation"] > self.incarnation and len(r["next"]) == len(self.streams), "its numbers")
        for stream, begin in zip(self.streams, r["next"]):
            more, end = begin - 1 - stream[2], stream[0]["leaves"] + 1
            last = begin == end
            check(last and more >= 0 or begin < end and more >= r["margin"], "a stream gives up too little")
            stream[2] = stream[3] = begin - 1
            given, spent = given + more, spent or last
        check(given >= lost or spent, "the streams give up fewer leaves than records are lost")
        check(not r["waiting"] or any(s[0]["record"] != "counted" for s in self.streams), "what waited is not public")
        self.incarnation, self.gaps, self.lost = r["incarnation"], self.gaps + 1, self.lost + lost
        check(self.gaps <= 1024, "more than 1,024 gaps")

    def end(self, r):
        """Verify the signature of the whole ledger."""
        check((r["records"], r["head"]) == (self.records, self.head), "another number of records, or another head")
        check(signed(self.owner["peer"], bytes.fromhex(r["signature"]), "peerd/ledger/1", self.owner["network"],
                     self.records, self.head), "the peer's key did not sign this")


class Document:
    """The network document: the first, the versions that signers signed, and what places signed of themselves."""

    FIELDS = {"invite": "peer id links", "remove": "peer", "extend": "arm", "retire": "arm", "link": "peer links",
              "unlink": "peer links", "set": "setting", "admins": "signers needed"}

    def __init__(self, lines, manifest):
        check(len(lines) > 1, "the first document or the last one is missing")
        self.first = self.head = sha256(lines[0][0])
        self.newest = d = lines[0][1]
        check(d["version"] == 1 and "network" not in d, "the first document is no first one")
        d["network"], self.peers = self.first, d["peers"]
        self.admins()
        for number, (line, value) in enumerate(lines[1:-1], 2):
            try:
                check("record" in value or "record" not in lines[number - 2][1], "a version after a record")
                (self.heard if "record" in value else self.follow)(line, value)
            except Fault as fault:
                raise Fault(f"line {number} of the document: {fault}") from None
        d["peers"] = [{key: p[key] for key in p if p[key] is not None} for p in self.peers]
        made, last = (json.dumps(x, sort_keys=True) for x in (d, lines[-1][1]))
        check(made == last, "the last line is not the document that the others make")
        self.ids, names = [[*p.get("former", []), p["id"]] for p in self.peers], [p["name"] for p in self.peers]
        check(len(set().union(*self.ids)) == sum(map(len, self.ids)), "an id is in two places")
        check(all(re.fullmatch(r"[A-Za-z0-9._-]{1,64}", n) for n in names) and len(set(names)) == len(names), "a name")
        self.place = self.index(manifest["site"])
        check(self.peers[self.place]["id"] == manifest["peer"], "the site has another key")
        check(d["name"] == manifest["network"], "the document of another network")

    def index(self, name):
        """Return the place of the peer with a name."""
        places = [i for i, p in enumerate(self.peers) if p["name"] == name]
        check(places, f"there is no peer {name!r}")
        return places[0]

    def admins(self):
        """Verify that signers are by place, and that more than half of them have to sign."""
        self.signers = {self.index(s["name"]): s["id"] for s in self.newest["signers"]}
        count = len(self.newest["signers"])
        self.quorum = self.newest.get("needed", count // 2 + 1)
        check(list(self.signers) == sorted(self.signers) and len(self.signers) == count
              and count // 2 < self.quorum <= count, "its signers")

    def follow(self, line, version):
        """Verify that a version follows, and make its change."""
        d, text, step = self.newest, signed_text(line, "version", "sigs", version), version["version"]
        check(step["number"] == d["version"] + 1 and step["parent"] == self.head, "it follows another one")
        places = [s["place"] for s in version["sigs"]]
        check(places == sorted(set(places)) and step["by"] in places and len(places) >= self.quorum, "its signatures")
        for s in version["sigs"]:
            check(s["place"] in self.signers and signed_document(self.signers[s["place"]], s["sig"], "version", text),
                  f"the signature of place {s['place']}")
        change, links = step["change"], d["links"] or []
        kind, peer = change["kind"], change.get("peer")
        check(kind in self.FIELDS and set(change) <= {"kind", *self.FIELDS[kind].split()}, "a field of its change")
        d["version"], self.head = step["number"], sha256(text)
        if kind == "invite":
            old = [i for i, p in enumerate(self.peers) if p["name"] == peer]
            check(peer not in change["links"], "a link with itself")
            d["links"] = links + [[self.index(name), len(self.peers)] for name in change["links"]]
            for i in old:  # invited again
                check(self.peers[i]["standing"] != "present" and i not in self.signers, "a name that a peer has")
                self.peers[i].update(name=f"withdrawn-{i}", standing="gone")
            self.peers.append({"name": peer, "id": change["id"], "standing": "invited"})
        elif kind == "remove":
            check(self.index(peer) not in self.signers, "it signs versions")
            self.peers[self.index(peer)].update(standing="gone", addrs=None)
        elif kind in ("link", "unlink"):
            link = sorted(map(self.index, (peer, *change["links"])))
            d["links"] = [x for x in links if sorted(x) != link] + ([link] if kind == "link" else [])
            check(len(d["links"]) - len(links) == (1 if kind == "link" else -1), "a link that is there, or is not")
        elif kind == "admins":
            d.pop("needed", None)
            d.update({key: change[key] for key in ("signers", "needed") if key in change})
            self.admins()
        elif kind == "set":
            setting = change["setting"]
            rest = [s for s in d.pop("changed", []) if s["key"] != setting["key"]]
            rest += [setting] if setting not in d["settings"] else []
            d.update({"changed": rest} if rest else {})
        else:
            d.setdefault("added" if kind == "extend" else "retired", []).append(change["arm"])

    def heard(self, line, record):
        """Verify what a place signed of itself, and take it over."""
        text, own = signed_text(line, "record", "sig", record), record["record"]
        p = self.peers[self.index(own["peer"])]
        check(own["network"] == self.first, f"a record of {p['name']} in another network")
        for key in own.get("keys", []):
            what = json.dumps({k: key[k] for k in ("id", "ledger") if k in key}, separators=(",", ":"))
            check(signed_document(p["id"], key["sig"], "key", self.first, p["name"], what),
                  f"a key of {p['name']} that the one before has not signed")
            if "ledger" in key:
                p["closed"] = [*p.get("closed", []), {"id": p["id"], **key["ledger"]}]
            p["former"], p["id"] = [*p.get("former", []), p["id"]], key["id"]
        check(signed_document(p["id"], record["sig"], "record", text), f"a record that {p['name']} has not signed")
        check(own["number"] > 0 and not ("left" in own and "addrs" in own), f"a record of {p['name']} that left, with addresses")
        if p["standing"] != "gone":
            p.update(standing="gone" if own.get("left") else "present", addrs=own.get("addrs"))


def signed_document(peer, signature, *texts):
    """Return whether a peer signed texts of the network document."""
    return signed(peer, base64.b64decode(signature, validate=True), "peerd/document/2", *texts)


def signed_text(line, name, after, value):
    """Return the bytes of a line that were signed: an object's first value, before another key."""
    start, end = f'{{"{name}":'.encode(), line.rindex(f',"{after}":'.encode())
    check(line.startswith(start) and json.loads(line[len(start):end]) == value[name], "a line in another form")
    return line[len(start):end]


def read_bundle(data):
    """Return the parts, and what they hold."""
    parts = read_archive(data)
    texts = {name: read_text(name, part) for name, part in parts.items()}
    manifest, last = texts["manifest.json"], ()
    check(sorted(manifest) == ["format", "made", "network", "parts", "peer", "site"]
          and manifest["format"] == "peerd/bundle/2" and manifest["peer"].isalnum(), "the fields of the manifest")
    check([(p["name"], type(p["bytes"]), len(p["sha256"]), len(p)) for p in manifest["parts"]]
          == [(name, int, 64, 3) for name in PARTS[2:]], "the parts in the manifest")
    check(re.fullmatch(r"[0-9a-f]{128}\n", texts["manifest.sig"]), "manifest.sig")
    seconds(manifest["made"])
    for number, (line, r) in enumerate(texts["receipts.jsonl"], 1):
        read_record(line, r, ("receipt", "checkpoint"))
        place = (0, r["witness"], seconds(r["time"])) if r["kind"] == "receipt" else (1, r["peer"])
        check(last < place, f"line {number} of receipts.jsonl is not in order")
        last = place
    return parts, texts


def read_settings(text):
    """Return the keys of settings.yaml and their values. A key's name begins with those of its sections."""
    settings, names = {}, []
    for line in text.rstrip("\n").split("\n"):
        indent, key, value = re.fullmatch(r"((?:  )*)([^ :]+):(?: (.*))?", line).groups()
        names[len(indent) // 2:] = [key]
        check(".".join(names) not in settings, f"settings.yaml has {key} twice")
        settings.update({} if value is None else {".".join(names): value})
    return settings


def verify_terms(parts, texts, genesis, document):
    """Verify that all agreed on the budget and the settings. Return what they agreed on."""
    check(sha256(parts["policy.txt"]) == genesis["policy"], "the ledger has another policy than policy.txt")
    lines = texts["policy.txt"].split("\n")
    check(lines[0] == 'peerd policy "3"' and lines[-1] == "", "the first line of policy.txt, or its end")
    lines = [line.split(" ", 1) for line in lines[1:-1]]
    check(all(re.fullmatch(r'"([^"\\]|\\.)*"', value) for _, value in lines), "a value of policy.txt")
    policy = {key: ast.literal_eval(value) for key, value in lines}  # a string of Go means the same in Python
    check(len(policy) == len(lines), "policy.txt has a key twice")
    for key in ("name", "start", "every", "first"):
        value = document.first if key == "first" else document.newest[key]
        check(policy["network." + key] == value, f"network.{key} is not the document's")
    settings = read_settings(texts["settings.yaml"])
    for key, unit, field in (("privacy.epsilon", 10**9, "budget"), ("privacy.delta", 10**18, "delta")):
        apart = abs(Fraction(policy[key]) * unit - genesis[field])
        check(apart <= max(1, Fraction(genesis[field], 10**9)), f"{key} is not the ledger's {field}")
        check(key in settings, f"settings.yaml has no {key}")
    for key in policy.keys() & settings.keys():
        check(policy[key] == settings[key], f"{key} is {settings[key]}, and {policy[key]} in policy.txt")
    return policy


def verify_page(parts, texts, genesis, policy):
    """Verify that the page for people is of this bundle."""
    manifest, page, settings = texts["manifest.json"], texts["privacy.json"], sha256(parts["settings.yaml"])
    head, budget = page["head"], page["budget"]
    for key, value in (("site", manifest["site"]), ("network", manifest["network"]), ("printed", manifest["made"]),
                       ("settings_sha256", settings), ("policy_sha256", genesis["policy"])):
        check(head[key] == value, f"privacy.json has another {key}")
    check((budget["nano_epsilon"], budget["atto_delta"]) == (genesis["budget"], genesis["delta"]),
          "privacy.json has another budget than the ledger")
    agreed = f"ε {policy['privacy.epsilon']} and δ {policy['privacy.delta']} for "
    check(head["promise"].startswith(agreed), f"the promise does not begin with {agreed!r}")
    for words in (head["printed"][:10], settings, head["promise"]):
        check(words in " ".join(texts["privacy.txt"].split()), f"privacy.txt does not say {words!r}")


def verify_build(build, head):
    """Verify what the program says of itself."""
    check(not build.get("tags"), f"the program was built with {build.get('tags')}")
    for key in build.keys() - {"sha256"}:
        check(build[key] == head["program"][key], f"privacy.json has another {key}")


def verify_receipts(lines, ledger, document):
    """Verify what others signed. Return the newest receipt of each place, as its time and its records."""
    network, newest, records = document.newest["name"], {}, {}
    places = {peer: i for i, ids in enumerate(document.ids) for peer in ids if i != document.place}
    own_ids = document.ids[document.place]
    for _, r in lines:
        peer = r.get("witness") or r["peer"]
        check(peer in places, f"{peer} is no other peer of the network")
        name, place = document.peers[places[peer]]["name"], places[peer]
        text, signature = r["records"].to_bytes(8, "big") + bytes.fromhex(r["head"]), bytes.fromhex(r["signature"])
        if r["kind"] == "checkpoint":
            check(any(signed(one, signature, "peerd/checkpoint/1", network, text) for one in document.ids[place]),
                  f"{name} did not sign its checkpoint")
            continue
        text += seconds(r["time"]).to_bytes(8, "big")
        check(any(signed(peer, signature, "peerd/receipt/1", network, own, text) for own in own_ids),
              f"{name} did not sign that of {r['time']}")
        lost = r["records"] not in ledger.hashes and 0 < r["records"] < ledger.records  # in a gap
        check(lost or ledger.hashes.get(r["records"]) == r["head"],
              f"record {r['records'] - 1}, which {name} knew at {r['time']}, is not in the ledger")
        check(r["records"] >= records.get(peer, 0), f"{name} knew fewer records later")
        records[peer] = r["records"]
        if not lost:
            newest[place] = max(newest.get(place, ("", 0)), (r["time"], r["records"]))
    return newest


def verify_clock(texts, ledger, document):
    """Verify that nothing is newer than the bundle."""
    made = texts["manifest.json"]["made"]
    units = {"h": 3600, "m": 60, "s": 1, "ms": Fraction(1, 10**3), "µs": Fraction(1, 10**6), "ns": Fraction(1, 10**9)}
    terms = re.findall(r"([0-9.]+)([a-zµ]+)", document.newest["every"])
    check("".join(map("".join, terms)) == document.newest["every"], "the length of a round")
    every = sum(Fraction(number) * units[unit] for number, unit in terms)
    check(seconds(document.newest["start"]) + ledger.newest * every <= seconds(made) + 600,
          f"a release of round {ledger.newest}, which began after {made}")
    for _, r in texts["receipts.jsonl"]:
        check(seconds(r.get("time", made)) <= seconds(made) + 600, f"a receipt of {r.get('time')}, after {made}")


def report(texts, ledger, document, receipts):
    """Return what the bundle shows, in some lines."""
    manifest, build, version, peers = texts["manifest.json"], texts["build.json"], document.newest, document.peers
    yield f"site      {manifest['site']} of network {manifest['network']}, at {manifest['made']}"
    yield f"promise   {texts['privacy.json']['head']['promise']}"
    yield (f"ledger    {ledger.records} records, {ledger.releases} releases; "
           f"{ledger.gaps} gaps, with {ledger.lost} records lost")
    mu = math.sqrt(ledger.square / 1e9)
    yield f"charged   ε {ledger.cost / 1e9:g} with Laplace noise, μ {mu:.6g} with Gaussian noise"
    if ledger.gaps:
        yield f"          a user who came in the rounds of its gaps may count {ledger.gaps + 1} times as much"
    yield from (f"          noise not recomputed: {mechanism}" for mechanism in sorted(ledger.unknown))
    for place, (time, records) in sorted(receipts.items()):
        yield f"vouches   {peers[place]['name']}, for the first {records} records, at {time}"
    linked = {i for link in version["links"] or [] if document.place in link for i in link} - {document.place}
    silent = [peers[i]["name"] for i in sorted(linked - receipts.keys()) if peers[i]["standing"] == "present"]
    yield f"silent    {', '.join(silent) or 'no neighbour'}"
    yield f"document  version {version['version']}; " + ", ".join(f"{p['name']} {p['standing']}" for p in peers)
    yield f"signers   {', '.join(peers[i]['name'] for i in document.signers)}; a version needs {document.quorum}"
    yield f"program   {build['version']}, revision {build.get('revision', 'unknown')}, SHA-256 {build['sha256']}"
    yield "not shown whether rewards were true, whether the program is this one, what came after the newest receipt,"
    yield "          and whether a receipt was left out (docs/bundle.md)"


def verify(data):
    """Return the report of a good bundle; raise the first fault of another."""
    def stage(name, step, *args):
        """Take a step and name its fault. A value of another kind than expected is one, too."""
        try:
            return step(*args)
        except Fault as fault:
            raise Fault(f"{name}: {fault}") from None
        except Exception as err:
            raise Fault(f"{name}: not in the form of docs/bundle.md: {err!r}") from None

    parts, texts = stage("form", read_bundle, data)
    manifest, receipts = texts["manifest.json"], texts["receipts.jsonl"]
    signature = bytes.fromhex(texts["manifest.sig"][:-1])
    good = signed(manifest["peer"], signature, "peerd/bundle/2", parts["manifest.json"])
    stage("signature", check, good, "the site's key did not sign the manifest")
    for name, size, digest in ((p["name"], p["bytes"], p["sha256"]) for p in manifest["parts"]):
        stage("hash", check, (size, digest) == (len(parts[name]), sha256(parts[name])), f"{name} is another one")
    ledger = stage("ledger", Ledger, parts[LEDGER], manifest["network"])
    document = stage("network", Document, texts["network.jsonl"], manifest)
    stage("ledger", check, ledger.owner["peer"] in document.ids[document.place], "the ledger of another peer")
    policy = stage("terms", verify_terms, parts, texts, ledger.owner, document)
    stage("page", verify_page, parts, texts, ledger.owner, policy)
    stage("build", verify_build, texts["build.json"], texts["privacy.json"]["head"])
    known = stage("receipt", verify_receipts, receipts, ledger, document)
    stage("clock", verify_clock, texts, ledger, document)
    return stage("form", lambda: list(report(texts, ledger, document, known)))


def main(args):
    """Verify the bundle of the command line and return the exit code."""
    if len(args) != 1 or args[0].startswith("-"):
        print("usage: python3 verify_bundle.py FILE", file=sys.stderr)
        return 2
    try:
        with open(args[0], "rb") as file:
            lines = verify(file.read())
    except OSError as err:
        print(f"cannot read {args[0]}: {err.strerror}", file=sys.stderr)
        return 4
    except Fault as fault:
        print(f"fault: {fault}")
        return 5
    print(f"ok: {args[0]}", *lines, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
