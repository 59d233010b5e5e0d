"""Verify an auditor's bundle of peerd with Python's standard library alone.

    python3 verify_bundle.py hospital-a.tar

docs/bundle.md describes a bundle, docs/ledger.md the ledger in it, and docs/proofs the noise of
each mechanism. This program was written from those pages and shares no code with peerd. It ends
with code 0 if everything holds, with 5 and the name of a fault, with 2 after a wrong command
line, and with 4 if the file cannot be read.
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
GRID = 2**20  # the units of noise and of clipped numbers that are 1
HASH = re.compile(r"[0-9a-f]{64}")
SIGNATURE = re.compile(r"[0-9a-f]{128}")


class Fault(Exception):
    """A statement of the bundle that does not hold."""


def check(name, holds, text):
    """Raise the fault of this name unless the statement holds."""
    if not holds:
        raise Fault(f"{name}: {text}")


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
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or (x * x - square) % P or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


BASE = point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def key_of(peer):
    """Return the public key in a peer's id, or None. The id is in base 58."""
    n = 0
    for c in peer:
        digit = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".find(c)
        if digit < 0:
            return None
        n = n * 58 + digit
    # 00 24: 36 bytes that are not hashed; 08 01: a key of Ed25519; 12 20: 32 bytes of it.
    right = n >> 256 == 0x2408011220 and re.match("1[^1]", peer)
    return (n % 2**256).to_bytes(32, "big") if right else None


def signed(peer, signature, *texts):
    """Return whether the peer signed the texts with a zero byte after each but the last."""
    key = key_of(peer)
    a, s = key and point(key), int.from_bytes(signature[32:], "little")
    if not a or len(signature) != 64 or s >= ORDER:
        return False
    message = b"\0".join(t if isinstance(t, bytes) else str(t).encode() for t in texts)
    digest = hashlib.sha512(signature[:32] + key + message).digest()
    h = int.from_bytes(digest, "little") % ORDER
    minus = (P - a[0], a[1], 1, P - a[3])
    terms = {(1, 0): BASE, (0, 1): minus, (1, 1): add(BASE, minus)}
    r = (0, 1, 1, 0)
    for i in range(252, -1, -1):  # s*B - h*A, with both products in one pass
        r, bits = add(r, r), (s >> i & 1, h >> i & 1)
        r = add(r, terms[bits]) if bits in terms else r
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
        check("form", len(parts) < len(PARTS) and name == PARTS[len(parts)],
              f"entry {len(parts) + 1} of the archive is {name!r}")
        numbers = [re.fullmatch(rb"([0-7]+)[ \0]*", field) for field in (head[124:136], head[148:156])]
        check("form", all(numbers) and head[156:157] == b"0" and head[257:265] == b"ustar\x0000"
              and not head[157:257].strip(b"\0") and not head[345:].strip(b"\0"),
              f"{name} is no regular file of a ustar archive")
        size, total = (int(number[1], 8) for number in numbers)
        check("form", sum(head) - sum(head[148:156]) + 8 * 32 == total, f"the checksum of {name}")
        end = at + 512 + size
        parts[name], at = data[at + 512:end], end + -size % 512
        check("form", at <= len(data) and not data[end:at].strip(b"\0"), f"the end of {name}")
    check("form", len(parts) == len(PARTS), "a part is missing in the archive")
    check("form", len(data) - at >= 1024 and not len(data) % 512 and not data[at:].strip(b"\0"),
          "the archive does not end with blocks of zeros alone")
    return parts


def unique(items):
    """Make an object of JSON. A key that stands twice means two things to two readers."""
    keys = [key for key, _ in items]
    if len(set(keys)) < len(keys) or any(key != key.lower() for key in keys):
        raise ValueError("an object has a key twice, or one with capital letters")
    return dict(items)


def read_json(line, where):
    """Return the JSON object that a text is."""
    try:
        value = json.loads(line.decode(), object_pairs_hook=unique)
    except (ValueError, RecursionError) as err:
        raise Fault(f"form: {where}: {err}") from None
    check("form", isinstance(value, dict), f"{where}: this is no JSON object")
    return value


def read_texts(name, data):
    """Return what a part holds: an object, a list of lines with their objects, or a text."""
    if name.endswith(".json"):
        return read_json(data, name)
    if name.endswith(".jsonl"):
        check("form", not data or data.endswith(b"\n"), f"{name}: the last line has no end")
        return [(line, read_json(line, f"{name}, line {number}"))
                for number, line in enumerate(data.split(b"\n")[:-1], 1)]
    try:
        return data.decode()
    except UnicodeDecodeError as err:
        raise Fault(f"form: {name}: {err}") from None


def seconds(text):
    """Return a time as seconds since 1970."""
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", text):
        raise ValueError(f"{text!r} is no time")
    time = datetime.datetime.strptime(text + "+0000", "%Y-%m-%dT%H:%M:%SZ%z")
    return int(time.timestamp())


def sha256(data):
    """Return the hash in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


# The ledger. A letter says what a field holds, and a capital letter that it is a list: n a number
# from 0, i an integer, h a hash, s a signature, t a text.

FIELDS = {kind: [field.split(":") for field in fields.split()] for kind, fields in {
    "genesis": "seq:n prev:h kind:t version:n peer:t network:t policy:h mode:t budget:n delta:n"
               " unit:t incarnation:n",
    "open": "seq:n prev:h kind:t what:t stream:n streams:n record:t dim:n lo:i hi:i leaves:n"
            " records_per_user:n adjacency:t mechanism:t mode:t cost:n square:n scale:n",
    "release": "seq:n prev:h kind:t round:n stream:n from:n to:n counts:N values:I exponent:i"
               " law:t scale:n terms:n",
    "gap": "seq:n prev:h kind:t claimed:n had:n incarnation:n since:n round:n waiting:n margin:n"
           " next:N without:T",
    "end": "kind:t records:n head:h signature:s",
    "receipt": "kind:t witness:t records:n head:h time:t signature:s",
    "checkpoint": "kind:t peer:t records:n head:h signature:s"}.items()}
HOLDS = {
    "n": lambda v: type(v) is int and 0 <= v < 2**64,
    "i": lambda v: type(v) is int and -2**63 <= v < 2**63,
    "h": lambda v: isinstance(v, str) and HASH.fullmatch(v),
    "s": lambda v: isinstance(v, str) and SIGNATURE.fullmatch(v),
    "t": lambda v: (isinstance(v, str) and len(v.encode()) <= 256
                    and not re.search(r'[\x00-\x1f\x7f"\\]', v))}


def read_record(line, record, kinds, name, where):
    """Verify the spelling of a record. There is one, so that its hash has one meaning."""
    kind = record.get("kind")
    check(name, kind in kinds and len(line) <= 2**20, f"{where}: a record of kind {kind!r}")
    for (key, value), (wanted, letter) in zip(record.items(), FIELDS[kind]):
        holds = HOLDS[letter.lower()]
        good = isinstance(value, list) and all(map(holds, value)) if letter.isupper() else holds(value)
        check(name, key == wanted and good, f"{where}: {key!r} where {wanted!r} belongs, or its value")
    spelling = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()
    check(name, len(record) == len(FIELDS[kind]) and spelling == line,
          f"{where}: not as a peer writes it")


# C1 and C2, by how much a change of 1 in one leaf moves everything that is drawn, are in the
# proof of each mechanism, as is what one release covers.

MODES = {"tree": "once", "hybrid": "once", "kary": "once", "each": "parallel",
         "tree-gaussian": "once", "sqrt": "once", "blt": "once", "each-gaussian": "parallel"}
HORIZONS = {"sqrt": 2**14, "blt": 2**30}
GAUSSIAN = ("tree-gaussian", "each-gaussian", "sqrt", "blt")


def digits(t, base):
    """Return the digits of t, the lowest first, each from -(base-1)/2 to (base-1)/2."""
    out, m = [], base // 2
    while t:
        out.append((t + m) % base - m)
        t = (t - out[-1]) // base
    return out


def nodes(n, base, levels):
    """Return the greatest sum of absolute digits over 1..n, and the sum of all these sums."""
    m, found = base // 2, digits(n, base)
    greatest, above = sum(map(abs, found)), 0
    for i, x in reversed(list(enumerate(found))):
        # A number below n has n's digits above some i, a lower one at i and any others below.
        lowest = 0 if above == 0 else -m
        if x > lowest:
            greatest = max(greatest, above + max(x - 1, -lowest) + i * m)
        above += abs(x)

    def up_to(top):
        """Sum over all numbers from the least one of so many levels to the top."""
        total = above = 0
        for i in range(levels - 1, -1, -1):
            x, size = top[i] if i < len(top) else 0, base**i
            ones = m * (m + 1) // 2 + (x * (x - 1) // 2 if x > 0 else -x * (x - 1) // 2)
            total += (x + m) * (size * above + i * size // base * m * (m + 1)) + ones * size
            above += abs(x)
        return total + above

    return greatest, up_to(found) - up_to([])


@functools.lru_cache(maxsize=None)
def kary(leaves):
    """Return base and levels: the least greatest variance, then the least mean (kary.md)."""
    best = (2 * leaves, leaves + 1, 2 * leaves + 1, 1)  # one level: t nodes of one leaf at t
    for levels in range(leaves.bit_length(), 1, -1):
        base = 3
        while levels**2 * (levels - 1) * (base - 1) <= best[0] and base**(levels - 1) <= 2 * leaves:
            if base**levels > 2 * leaves:
                greatest, total = nodes(leaves, base, levels)
                mean = Fraction(2 * levels**2 * total, leaves)
                best = min(best, (2 * levels**2 * greatest, mean, base, levels))
            base += 2
    return best[2:]


@functools.lru_cache(maxsize=None)
def column(mechanism, leaves):
    """Return C1, and the square of C2 (0 if docs/ does not have what it takes to compute it)."""
    if mechanism == "sqrt":
        f, total = 2**64, 0
        for k in range(1, leaves + 1):
            total, f = total + f * f, f * (2 * k - 1) // (2 * k)
        return 0, -(-total // 2**96) / 2**32  # rounded up to a multiple of 2**-32
    if mechanism == "blt":
        return 0, 0
    if mechanism == "kary":
        return kary(leaves)[1], 0
    levels = {"tree": leaves.bit_length(), "hybrid": 2, "each": 1}[mechanism.split("-")[0]]
    return levels, levels


def drawn(o, t):
    """Return the leaf behind which the release at leaf t begins, its scale, and its terms."""
    mechanism, scale = o["mechanism"], o["scale"]
    if mechanism in ("each", "each-gaussian"):
        return t - 1, scale, 256
    if mechanism in ("tree", "tree-gaussian"):
        return t & (t - 1), scale, 256
    if mechanism == "kary":
        return 0, scale, 256 * sum(map(abs, digits(t, kary(o["leaves"])[0])))
    if mechanism == "hybrid":
        block = t.bit_length() - 1
        rest = t - 2**block
        return (t // 2, scale, 256) if not rest else (t & (t - 1), scale * block, 256)
    return 0, scale, 256


def normal(x):
    """Return the normal distribution function."""
    return math.erfc(-x / math.sqrt(2)) / 2


def curve(epsilon, mu):
    """Return the least delta of an epsilon for Gaussian noise of this mu (account.md)."""
    if mu == 0:
        return max(0.0, -math.expm1(min(epsilon, 0)))
    tail = normal(-epsilon / mu - mu / 2)
    return normal(-epsilon / mu + mu / 2) - (math.exp(epsilon + math.log(tail)) if tail else 0)


def delta_of(epsilon, pure, mu):
    """Return the delta of Laplace noise that costs pure and Gaussian noise of mu together."""
    heads = 1 / (1 + math.exp(-pure))
    return heads * curve(epsilon - pure, mu) + (1 - heads) * curve(epsilon + pure, mu)


class Ledger:
    """The ledger, verified record by record; every record has a method."""

    def __init__(self, lines):
        self.hashes, self.streams, self.opens = {}, [], []  # a stream: its open, leaves, beginning
        self.releases = self.gaps = self.cost = self.square = self.lost = self.newest = 0
        self.unknown = set()
        prev, seq = "0" * 64, -1
        for number, (line, r) in enumerate(lines, 1):
            self.where = f"line {number} of the ledger"
            read_record(line, r, ("genesis", "open", "release", "gap", "end"), "ledger", self.where)
            self.check((r["kind"] == "genesis") == (number == 1), "one genesis, as the first record")
            if r["kind"] == "end":
                self.end(r, seq + 1, prev)
                break
            self.check(r["prev"] == prev, "lines were changed, taken out, put in or moved")
            self.check(r["seq"] == seq + 1 or r["kind"] == "gap" and r["seq"] > seq,
                       f"the record has number {r['seq']} after {seq}")
            getattr(self, r["kind"])(r, seq + 1)
            prev, seq = sha256(line), r["seq"]
            self.hashes[seq] = prev
        else:
            raise Fault("ledger: the file stops before its signed end")
        self.check(number == len(lines), "lines after the signed end")
        self.records = seq + 1

    def check(self, holds, text):
        """Raise the fault ledger unless the statement holds."""
        check("ledger", holds, f"{self.where}: {text}")

    def genesis(self, r, _):
        """Verify the record of the ledger's owner and terms."""
        self.check(r["version"] == 2 and key_of(r["peer"]), "its version, or the peer's id")
        self.check(r["mode"] == "private" and r["budget"] < 2**64 - 1, "this is not private")
        self.owner, self.incarnation = r, r["incarnation"]

    def open(self, r, _):
        """Verify a charge: that its noise matches what it costs, and the budget."""
        counted, k, dim, leaves = r["record"] == "counted", r["records_per_user"], r["dim"], r["leaves"]
        width = {"box": dim, "linear": dim * (dim + 1) // 2 + dim, "counted": 2,
                 "corner": (dim + 1) * (dim + 2) // 2}.get(r["record"])
        self.check(width and 0 < leaves <= HORIZONS.get(r["mechanism"], 2**64) and k and dim and r["streams"] and r["lo"] < r["hi"]
                   and (dim == 1 or not counted), "the shape of its records")
        self.check(counted == (r["adjacency"] == "add-or-remove")
                   and r["adjacency"] in ("add-or-remove", "replace-one", "zero-out"), "its adjacency")
        self.check(MODES.get(r["mechanism"]) == r["mode"], "its mechanism, or its mode")
        self.check(r["stream"] == len(self.streams) and r["stream"] + r["streams"] <= 65536,
                   "its streams do not follow the previous ones")
        zero = r["adjacency"] == "zero-out"
        bound = max(abs(r["lo"]), abs(r["hi"])) if zero else r["hi"] - r["lo"]
        c1, c2 = column(r["mechanism"], leaves)
        if r["mechanism"] in GAUSSIAN:
            self.check(r["cost"] == 0 and r["scale"] >= 2**10, "its cost, or its scale")
            self.check(r["square"] >= self.needed(r, bound, c2, width, zero),
                       "the charge is wrong: the noise is less than it pays for")
        else:
            self.check(width == dim or counted, "Laplace noise for records with features")
            self.check(r["square"] == 0 and r["cost"] > 0
                       and r["scale"] == -(-k * c1 * bound * dim * 10**9 // r["cost"]),
                       "the charge is wrong: the noise is not what it pays for")
        self.cost, self.square = self.cost + r["cost"], self.square + r["square"]
        budget, delta = self.owner["budget"], self.owner["delta"]
        mu = math.sqrt(self.square / 1e9)
        self.check(self.cost <= budget if not self.square else
                   delta_of(budget / 1e9, self.cost / 1e9, mu) <= delta / 1e18 * (1 + 1e-9),
                   "more is charged than the budget")
        self.opens.append(r)
        self.streams += [[r, 0, 0, width] for _ in range(r["streams"])]

    def needed(self, r, bound, c2, width, zero):
        """Return the square that Gaussian noise costs. Floats err by far less than 1e-9 of it."""
        k = r["records_per_user"]
        norm = {"linear": 2 if zero else 4.5, "corner": 4 if zero else 8}.get(r["record"])
        if norm:  # rounded records of features (records.md)
            self.check(-GRID <= r["lo"] and r["hi"] <= GRID, "the range of its rewards")
            bound = (math.sqrt(norm) * GRID + math.sqrt(width)) * (1 + 2**-49)
        elif r["record"] == "box":
            bound *= math.sqrt(r["dim"])
        rounded = min(k, r["streams"]) * r["leaves"] * width if r["mechanism"] in ("sqrt", "blt") else 0
        if not c2:
            self.unknown.add(r["mechanism"])
            c2 = 1  # its first coefficient: C2 is at least that
        distance = k * math.sqrt(c2) * bound + math.sqrt(rounded)
        # The lattice costs a part of 2**-17 of the deviation (lattice.md).
        return math.ceil((distance / (r["scale"] * (1 - 2**-17)))**2 * 1e9 * (1 - 1e-11))

    def release(self, r, _):
        """Verify a release: its leaf, what it covers, and its noise."""
        self.check(r["stream"] < len(self.streams), "no charge pays for this stream")
        stream = self.streams[r["stream"]]
        o, closed, base, width = stream
        self.check(r["to"] > closed, f"noise drawn twice: leaf {r['to']} of stream {r['stream']}")
        self.check(r["to"] == closed + 1, f"a release is not in the ledger: leaf {closed + 1} of "
                   f"stream {r['stream']}")
        self.check(r["to"] <= o["leaves"], "more leaves than are paid for")
        start, scale, terms = drawn(o, r["to"] - base)
        law = "gaussian" if o["mechanism"] in GAUSSIAN else "laplace"
        self.check(r["from"] == base + start, "it covers other leaves than its mechanism releases")
        self.check((r["law"], r["scale"], r["terms"], r["exponent"]) == (law, scale, terms, -20),
                   "other noise than is paid for")
        self.check(len(r["values"]) == width and len(r["counts"]) == (o["record"] != "counted"),
                   "its numbers of values and counts")
        stream[1] = r["to"]
        self.releases, self.newest = self.releases + 1, max(self.newest, r["round"])

    def gap(self, r, records):
        """Verify a gap: all streams give up leaves and begin again."""
        lost, given = r["claimed"] - r["had"], 0
        self.check(r["seq"] >= r["claimed"] and r["margin"] >= 1 and lost >= 0
                   and r["had"] >= records and r["since"] <= r["round"], "its numbers")
        self.check(r["incarnation"] > self.incarnation, "its incarnation")
        self.check(len(r["next"]) == len(self.streams), "its streams")
        spent = False
        for stream, begin in zip(self.streams, r["next"]):
            o, closed = stream[:2]
            self.check(closed < begin <= o["leaves"] + 1 and (
                begin == o["leaves"] + 1 or begin - 1 - closed >= r["margin"]),
                "a stream gives up too few leaves")
            given, spent = given + begin - 1 - closed, spent or begin > o["leaves"]
            stream[1] = stream[2] = begin - 1
        self.check(given >= lost or spent, "the streams give up fewer leaves than records are lost")
        self.check(r["waiting"] == 0 or any(o["record"] != "counted" for o in self.opens),
                   "the number of waiting decisions is not public")
        self.incarnation, self.gaps, self.lost = r["incarnation"], self.gaps + 1, self.lost + lost
        self.check(self.gaps <= 1024, "more than 1,024 gaps")

    def end(self, r, records, head):
        """Verify the signature of the whole ledger."""
        self.check(records > 0 and r["records"] == records and r["head"] == head, "another end")
        self.check(signed(self.owner["peer"], bytes.fromhex(r["signature"]), "peerd/ledger/1",
                          self.owner["network"], records, head), "the peer's key did not sign this")


class Document:
    """The network document: every version, and the votes that made it."""

    def __init__(self, lines, manifest):
        check("network", len(lines) % 2 == 1, "a version, or how it was made, is missing")
        self.first = sha256(lines[0][0])
        self.versions = [v for _, v in lines[::2]]
        for i, (line, version) in enumerate(lines[::2]):
            self.version = version
            self.where = f"version {i + 1} of the document"
            self.check(type(version["version"]) is int and version["version"] == i + 1
                       and version["before"] == (sha256(lines[2 * i - 2][0]) if i else ""),
                       "it does not follow the one before")
            for key in ("name", "start", "every", "settings"):
                self.check(version[key] == self.versions[0][key], f"{key} is not as in the first")
            self.places(self.versions[i - 1]["peers"] if i else [], version["peers"])
            if i:
                self.votes(self.versions[i - 1], lines[2 * i - 1][1], sha256(line))
        self.places = [(p["name"], [*p.get("former", []), p["id"]]) for p in version["peers"]]
        found = [p for p in version["peers"] if p["name"] == manifest["site"]]
        self.check(len(found) == 1 and found[0]["id"] == manifest["peer"],
                   "the site has no place, or another key")
        self.check(version["name"] == manifest["network"], "the name of another network")
        self.place = version["peers"].index(found[0])
        self.own = self.places[self.place][1]

    def check(self, holds, text):
        """Raise the fault network unless the statement holds."""
        check("network", holds, f"{self.where}: {text}")

    def places(self, before, peers):
        """Verify that places stay, with all their ids, and that no id is in two."""
        self.check(len(peers) >= len(before), "a place is missing")
        ids = [{p["id"], *p.get("former", [])} for p in peers]
        for old, new, known in zip(before, peers, ids):
            self.check(old["name"] == new["name"] and known >= {old["id"], *old.get("former", [])},
                       f"the place of {old['name']} lost its name or an id")
        self.check(len(set().union(*ids)) == sum(map(len, ids)), "an id is in two places")
        self.check(len({p["name"] for p in peers}) == len(peers), "a name is in two places")
        self.check(all(p["standing"] in ("present", "invited", "gone") for p in peers), "a standing")

    @staticmethod
    def signers(version):
        """Return the places whose peers sign changes, and how many of them have to."""
        admins = version.get("admins") or []
        places = {i: p["id"] for i, p in enumerate(version["peers"])
                  if p["standing"] == "present" and (not admins or p["name"] in admins)}
        return places, max(version.get("needed", 0), len(places) // 2 + 1)

    def votes(self, before, made, version):
        """Verify that enough signers of the version before voted for this one."""
        signers, quorum = self.signers(before)
        ballot, voted = made["ballot"], set()
        for vote in made["votes"]:
            place, sig = vote["place"], base64.b64decode(vote["sig"], validate=True)
            if place in signers and place not in voted and signed(
                    signers[place], sig, "peerd/document/1", "vote", self.first, ballot["round"],
                    ballot["place"], version):
                voted.add(place)
        self.check(len(voted) >= quorum, f"{len(voted)} of {quorum} signers voted for it")


def verify_manifest(parts):
    """Verify the form of the manifest, its signature, and the hashes of all parts."""
    manifest, signature = parts["manifest.json"], parts["manifest.sig"]
    texts = {name: read_texts(name, data) for name, data in parts.items()}
    fields = texts["manifest.json"]
    check("form", set(fields) == {"format", "network", "site", "peer", "made", "parts"}
          and fields["format"] == "peerd/bundle/1", "the fields of the manifest, or its format")
    seconds(fields["made"])
    check("form", all(isinstance(fields[key], str) for key in ("network", "site", "peer")),
          "a text of the manifest")
    check("form", [set(p) for p in fields["parts"]] == [{"name", "bytes", "sha256"}] * 8
          and [p["name"] for p in fields["parts"]] == list(PARTS[2:]), "the parts in the manifest")
    check("form", SIGNATURE.fullmatch(signature.decode()[:-1]) and signature[-1:] == b"\n",
          "manifest.sig")
    order = []
    for number, (line, r) in enumerate(texts["receipts.jsonl"], 1):
        where = f"receipts.jsonl, line {number}"
        read_record(line, r, ("receipt", "checkpoint"), "form", where)
        receipt = r["kind"] == "receipt"
        order.append((0, r["witness"], seconds(r["time"])) if receipt else (1, r["peer"], 0))
        check("form", order[-2:-1] < order[-1:], f"{where}: the order of the lines")
    check("signature", signed(fields["peer"], bytes.fromhex(signature[:-1].decode()),
                              "peerd/bundle/1", manifest), f"{fields['peer']} did not sign the manifest")
    for part in fields["parts"]:
        data = parts[part["name"]]
        check("hash", part["bytes"] == len(data) and part["sha256"] == sha256(data),
              f"{part['name']} is not the one in the manifest")
    return texts


def verify_ledger(texts):
    """Verify the ledger, except for what the document says of its owner."""
    ledger = Ledger(texts["ledger.jsonl"])
    check("ledger", ledger.owner["network"] == texts["manifest.json"]["network"],
          "it is of another network")
    return ledger


def read_settings(text):
    """Return the keys of settings.yaml with their values. A section's name is before its keys'."""
    settings, sections = {}, []
    for line in text.splitlines():
        indent, key, value = re.fullmatch(r"((?:  )*)([^ :]+):(?: (.*))?", line).groups()
        del sections[len(indent) // 2:]
        sections.append(key)
        if value is not None:
            check("terms", settings.setdefault(".".join(sections), value) is value, f"{line}: twice")
    return settings


def verify_terms(parts, texts, ledger, document):
    """Verify that all agreed on the ledger's budget and the site's settings. Return the terms."""
    text, owner = texts["policy.txt"], ledger.owner
    check("terms", sha256(parts["policy.txt"]) == owner["policy"], "the ledger has another policy")
    lines = [line.split(" ", 1) for line in text.split("\n")[:-1]]
    # The values are quoted strings of Go, which mean the same in Python.
    policy = {key: ast.literal_eval(value) for key, value in lines[1:]}
    check("terms", lines[0] == ["peerd", 'policy "3"'] and len(policy) == len(lines) - 1
          and text.endswith("\n"), "the lines of policy.txt")
    version = document.version
    for key, value in (("name", version["name"]), ("start", version["start"]),
                       ("every", version["every"]), ("first", document.first)):
        check("terms", policy[f"network.{key}"] == value, f"network.{key} is not the document's")
    settings = read_settings(texts["settings.yaml"])
    for key, unit, field in (("privacy.epsilon", 10**9, "budget"), ("privacy.delta", 10**18, "delta")):
        apart = abs(Fraction(policy[key]) * unit - owner[field])
        check("terms", apart <= max(1, Fraction(owner[field], 10**9)), f"{key} is not the ledger's")
        check("terms", key in settings, f"settings.yaml has no {key}")
    for key in policy.keys() & settings.keys():
        check("terms", policy[key] == settings[key], f"{key} is {policy[key]} and {settings[key]}")
    return policy


def verify_page(parts, texts, ledger, policy):
    """Verify that the page for people is of this bundle. Return its promise."""
    manifest, page, owner = texts["manifest.json"], texts["privacy.json"], ledger.owner
    head, budget, settings = page["head"], page["budget"], sha256(parts["settings.yaml"])
    for key, value in (("site", manifest["site"]), ("network", manifest["network"]),
                       ("printed", manifest["made"]), ("settings_sha256", settings),
                       ("policy_sha256", owner["policy"])):
        check("page", head[key] == value, f"privacy.json has another {key}")
    check("page", (budget["nano_epsilon"], budget["atto_delta"]) == (owner["budget"], owner["delta"]),
          "privacy.json has another budget than the ledger")
    promise = head["promise"]
    check("page", promise.startswith(f"ε {policy['privacy.epsilon']} and δ {policy['privacy.delta']} for "),
          "its promise is not the one that all agreed on")
    text = " ".join(texts["privacy.txt"].split())
    for words in (head["printed"], settings, promise):
        check("page", words in text, f"privacy.txt does not say {words!r}")
    return promise


def verify_build(texts):
    """Verify what the program says of itself."""
    build, program = texts["build.json"], texts["privacy.json"]["head"]["program"]
    check("build", not build.get("tags"), f"it was built with tags: {build.get('tags')}")
    for key in build.keys() - {"sha256"}:
        check("build", build[key] == program.get(key), f"privacy.json has another {key}")


def verify_receipts(texts, ledger, document):
    """Verify what others signed. Return the newest receipt of each place, by its name."""
    network, newest, seen = document.version["name"], {}, {}
    others = {peer: place for i, place in enumerate(document.places) if i != document.place
              for peer in place[1]}
    for _, r in texts["receipts.jsonl"]:
        peer = r.get("witness") or r["peer"]
        check("receipt", peer in others, f"{peer} is no other peer of the network")
        sig, tail = bytes.fromhex(r["signature"]), r["records"].to_bytes(8, "big") + bytes.fromhex(r["head"])
        name, ids = others[peer]
        if r["kind"] == "checkpoint":
            check("receipt", any(signed(one, sig, "peerd/checkpoint/1", network, tail) for one in ids),
                  f"{name} did not sign the checkpoint")
            continue
        tail += seconds(r["time"]).to_bytes(8, "big")
        check("receipt", signed(peer, sig, "peerd/receipt/1", network, document.own[0], tail),
              f"{name} did not sign the receipt of {r['time']} for this site")
        check("receipt", ledger.hashes.get(r["records"] - 1) == r["head"],
              f"the ledger does not contain record {r['records'] - 1} that {name} knew at {r['time']}")
        check("receipt", r["records"] >= seen.get(peer, 0), f"{name} knew fewer records later")
        seen[peer] = r["records"]
        newest[name] = max(newest.get(name, (0, "")), (r["records"], r["time"]))
    return newest


def verify_clock(texts, ledger, document):
    """Verify that nothing is newer than the bundle."""
    made = seconds(texts["manifest.json"]["made"])
    for _, r in texts["receipts.jsonl"]:
        check("clock", r["kind"] != "receipt" or seconds(r["time"]) <= made + 600,
              f"a receipt of {r.get('time')} in a bundle of {texts['manifest.json']['made']}")
    units = {"h": 3600, "m": 60, "s": 1, "ms": Fraction(1, 1000), "us": Fraction(1, 10**6),
             "µs": Fraction(1, 10**6), "ns": Fraction(1, 10**9)}
    numbers = re.findall(r"([0-9.]+)([a-zµ]+)", document.version["every"])
    every = sum(Fraction(number) * units[unit] for number, unit in numbers)
    check("clock", seconds(document.version["start"]) + ledger.newest * every <= made + 600,
          f"a release of round {ledger.newest}, which begins after the bundle was made")


def report(texts, ledger, document, promise, receipts):
    """Return what the bundle shows, in some lines."""
    manifest, build, version = texts["manifest.json"], texts["build.json"], document.version
    signers, quorum = document.signers(version)
    peers = version["peers"]
    yield f"site      {manifest['site']} of network {manifest['network']}, at {manifest['made']}"
    yield f"promise   {promise}"
    yield (f"ledger    {ledger.records} records, {ledger.releases} releases, {ledger.gaps} gaps"
           f" with {ledger.lost} records lost")
    yield (f"charged   ε {ledger.cost / 1e9:g} of Laplace noise and μ {math.sqrt(ledger.square / 1e9):.6g}"
           f" of Gaussian noise, within ε {ledger.owner['budget'] / 1e9:g}, δ {ledger.owner['delta'] / 1e18:g}")
    for mechanism in sorted(ledger.unknown):
        yield f"          noise not recomputed: {mechanism}"
    for name, (records, time) in sorted(receipts.items()):
        yield f"vouches   {name}, for the first {records} records, at {time}"
    linked = {i for link in version["links"] or [] if document.place in link for i in link}
    silent = [peers[i]["name"] for i in sorted(linked - {document.place})
              if peers[i]["name"] not in receipts]
    yield f"silent    {', '.join(silent) or 'no neighbour'}"
    since = {}
    for v in document.versions:
        for p in v["peers"]:
            since.setdefault((p["name"], p["standing"]), v["version"])
    members = [f"{p['name']} {p['standing']} since version {since[p['name'], p['standing']]}" for p in peers]
    yield f"document  version {version['version']}: {', '.join(members)}"
    yield (f"signers   {', '.join(peers[i]['name'] for i in signers)}, of whom {quorum} sign a change")
    yield f"program   {build.get('version')}, {build.get('revision', 'no revision')}, {build['sha256']}"
    yield "not shown whether rewards were true, whether the program is this one, what came after the"
    yield "          newest receipt, and whether a receipt was left out (docs/bundle.md)"


def verify(data):
    """Return the report of a good bundle, or raise a Fault."""
    def stage(name, step, *args):
        """Take a step; a value of a wrong kind is a fault of that name, too."""
        try:
            return step(*args)
        except (ArithmeticError, AttributeError, LookupError, SyntaxError, TypeError, ValueError) as err:
            raise Fault(f"{name}: not in the form of docs/bundle.md: {err!r}") from None

    parts = stage("form", read_archive, data)
    texts = stage("form", verify_manifest, parts)
    ledger = stage("ledger", verify_ledger, texts)
    document = stage("network", Document, texts["network.jsonl"], texts["manifest.json"])
    check("ledger", ledger.owner["peer"] in document.own, "it is of another peer")
    policy = stage("terms", verify_terms, parts, texts, ledger, document)
    promise = stage("page", verify_page, parts, texts, ledger, policy)
    stage("build", verify_build, texts)
    receipts = stage("receipt", verify_receipts, texts, ledger, document)
    stage("clock", verify_clock, texts, ledger, document)
    return stage("form", lambda: list(report(texts, ledger, document, promise, receipts)))


def main(args):
    """Verify the bundle of the command line and return the exit code."""
    if len(args) != 1 or args[0].startswith("-"):
        print(__doc__.strip(), file=sys.stdout if args in (["-h"], ["--help"]) else sys.stderr)
        return 0 if args in (["-h"], ["--help"]) else 2
    try:
        with open(args[0], "rb") as file:
            data = file.read()
    except OSError as err:
        print(f"cannot read {args[0]}: {err.strerror}", file=sys.stderr)
        return 4
    try:
        lines = verify(data)
    except Fault as fault:
        print(f"fault: {fault}")
        return 5
    print(f"ok: {args[0]}", *lines, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
