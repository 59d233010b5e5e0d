"""Writes draws.json: what decisions drawn from tables must be. The peer and the clients of all
languages are tested with it; this file shares no code with them. Run: python3 draws.py"""

import hashlib
import json
import os
import random
from fractions import Fraction


def draw(salt, id, actions, exclude, named):
    offered = [(a["name"], a["weight"]) for a in actions if a["name"] not in exclude and (named is None or a["name"] in named)]
    if sum(w for _, w in offered) == 0:
        offered = [(name, 1) for name, _ in offered]
    total = sum(w for _, w in offered)
    lots = [name for name, weight in offered for _ in range(weight)]  # one entry for each unit of weight
    u = int(hashlib.sha256(f"{salt}/{id}".encode()).hexdigest()[:12], 16)
    action = lots[u % total]
    return action, float(Fraction(lots.count(action), total))


def table(*weights, names="mail banner call letter visit".split()):
    return [{"name": n, "weight": w} for n, w in zip(names, weights)]


def main():
    rng = random.Random(42)
    tables = [
        table(1), table(0), table(1, 1), table(0, 1), table(3, 5, 8), table(0, 0, 0), table(1, 0, 0, 7),
        table(2**20), table(2**19, 2**19 - 1, 1), table(2**20 - 1, 0, 1), table(333333, 333334, 333333, 0, 0),
        table(5, 7, 11, 13, names=["Überweisung", "看護師", "naïve", "a/b \"c\""]),
        table(1, 2, 4, names=["é", "e\u0301", "😀"]),  # the first two are different names
        [{"name": f"arm-{i}", "weight": rng.randrange(1000)} for i in range(60)],
    ]
    cases = []
    for actions in tables:
        names = [a["name"] for a in actions]
        zeros = [a["name"] for a in actions if a["weight"] == 0]
        offers = [([], None), ([], names), (["elsewhere"], None), ([], [names[-1], "elsewhere"])]
        if len(names) > 1:
            offers += [([names[0]], None), (names[1:], None), ([names[-1]], names[:2]), ([], names[1:])]
        if zeros and len(zeros) < len(names):
            offers += [([n for n in names if n not in zeros], None), ([], zeros)]
        for exclude, named in offers:
            for _ in range(3):
                salt = rng.choice(["", "s", f"{rng.getrandbits(128):032x}", "a/b", "216345600-318-954"])
                id = rng.choice(["visit-8812", f"{rng.getrandbits(122):x}", "a:b.c_d-E", "0", "Z" * 128])
                action, propensity = draw(salt, id, actions, exclude, named)
                cases.append({"salt": salt, "id": id, "actions": actions, "exclude": exclude, "named": named,
                              "action": action, "propensity": propensity})
    for i in range(150):  # enough of one table for its shares to be seen
        actions = table(1, 2, 5, 12)
        salt, id = "0123456789abcdef", f"visit-{i}"
        action, propensity = draw(salt, id, actions, [], None)
        cases.append({"salt": salt, "id": id, "actions": actions, "exclude": [], "named": None, "action": action, "propensity": propensity})
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "draws.json"), "w", encoding="utf-8") as f:
        f.write("[\n" + ",\n".join(json.dumps(c, ensure_ascii=False, separators=(",", ":")) for c in cases) + "\n]\n")


if __name__ == "__main__":
    main()
