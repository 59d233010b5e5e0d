"""Customers of some sites who differ by the hour and by their device. For each of them the
site's peer is asked for an action by these named features; what came of it is reported at
once. Run it beside scripts/testnet.sh configs/contextual.yaml; it ends by itself."""

import argparse
import concurrent.futures
import random
import threading
import time
import uuid

from example import folders
from peerd import CLIENT_FALLBACK, Client

TICK, PARTS = 0.1, 5


def success(hour, device):
    """How often each action succeeds. Mornings are for mail and evenings for calls, but who
    holds a telephone around noon looks at banners."""
    late, mobile = hour / 12 - 1, device == "mobile"
    return {"mail": 0.5 - 0.3 * late, "banner": 0.6 if mobile else 0.1, "call": 0.5 + 0.3 * late}


class Site:
    def __init__(self, folder):
        self.peer, self.lock = Client(dir=folder), threading.Lock()
        self.asked, self.right, self.earned, self.best = ([0] * PARTS for _ in range(4))

    def customer(self, part):
        hour, device = random.uniform(0, 24), random.choice(("mobile", "desktop"))
        d = self.peer.decide(subject=uuid.uuid4().hex, context={"hour": hour, "device": device}, fallback="mail")
        chances = success(hour, device)
        value = float(random.random() < chances[d.action])
        if d.source != CLIENT_FALLBACK:
            self.peer.reward(d.id, value)
        with self.lock:
            self.asked[part] += 1
            self.right[part] += chances[d.action] == max(chances.values())
            self.earned[part] += value
            self.best[part] += max(chances.values())


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("testnet", nargs="?", help="folder of the testnet")
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--rate", type=float, default=100, help="customers a second at each site")
    o = options.parse_args()
    sites = [Site(f) for f in folders(o.testnet)]
    begin, late = time.monotonic(), 0.0
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        while (now := time.monotonic() - begin) < o.seconds:
            part, late = int(PARTS * now / o.seconds), late + o.rate * TICK
            jobs = [pool.submit(s.customer, part) for s in sites for _ in range(int(late))]
            late -= int(late)
            for job in jobs:
                job.result()
            time.sleep(max(0.0, begin + now + TICK - time.monotonic()))
    print("PART  CUSTOMERS  RIGHT  SUCCESS  BEST POSSIBLE")
    for part in range(PARTS):
        asked, right, earned, best = (sum(x) for x in zip(*((s.asked[part], s.right[part], s.earned[part], s.best[part]) for s in sites)))
        n = max(1, asked)
        print(f"{part + 1:4}  {asked:9}  {right / n:5.0%}  {earned / n:7.2f}  {best / n:13.2f}")


if __name__ == "__main__":
    main()
