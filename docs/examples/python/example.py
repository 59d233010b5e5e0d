"""Customers of some sites. For each of them the site's peer is asked for an action; what
came of it is reported at once, late, too late, twice or never. Run it beside
scripts/testnet.sh configs/application.yaml; it ends by itself."""

import argparse
import concurrent.futures
import glob
import os
import random
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter

from peerd import CLIENT_FALLBACK, Client, Expired, Refused, Reward

# How often each action succeeds with the customers of a site. Over all sites the third
# is best; the customers of the first two sites alone would say otherwise.
SUCCESS = ((0.2, 0.6, 0.5), (0.6, 0.2, 0.5), (0.3, 0.3, 0.6))
FATES = {"now": 75, "late": 10, "too late": 3, "twice": 5, "never": 7}  # of rewards, in percent
DELAY = {"late": 1.0, "too late": 3.0}  # configs/application.yaml takes rewards for two seconds
TICK, ROW = 0.1, 5.0  # seconds


class Site:
    def __init__(self, folder, success):
        self.name, self.peer, self.lock = os.path.basename(folder), Client(dir=folder), threading.Lock()
        self.before = {a.name: a.pulls for a in self.peer.arms()}
        self.success = {a: success[i] if i < len(success) else 0.1 for i, a in enumerate(self.before)}
        self.asked, self.earned, self.count = Counter(), Counter(), Counter()
        self.later = []  # rewards to report, with their times

    def customer(self):
        """Asks, acts and reports."""
        d = self.peer.decide(subject=uuid.uuid4().hex, fallback=next(iter(self.success)))
        value = float(random.random() < self.success[d.action])
        if d.source == CLIENT_FALLBACK:  # the customer was served; nobody learns from it
            with self.lock:
                self.count[CLIENT_FALLBACK] += 1
            return
        fate = random.choices(list(FATES), list(FATES.values()))[0]
        with self.lock:
            self.asked[d.action] += 1
            self.earned[d.action] += value
            self.count[fate] += 1
            if fate in DELAY:
                self.later.append((time.monotonic() + DELAY[fate], Reward(d.id, value)))
        for _ in range({"now": 1, "twice": 2}.get(fate, 0)):
            self.reported(self.peer.reward(d.id, value))

    def report(self):
        """Reports what is due by now, in one request."""
        now = time.monotonic()
        with self.lock:
            due = [r for at, r in self.later if at <= now]
            self.later = [(at, r) for at, r in self.later if at > now]
        for result in self.peer.reward_batch(due):
            self.reported(result)

    def reported(self, result):
        if isinstance(result, Refused) and not isinstance(result, Expired):
            raise result
        with self.lock:
            self.count["expired" if isinstance(result, Expired) else "duplicate" if result.duplicate else "taken"] += 1


def folders(testnet):
    """The peers' folders of a testnet, which is the newest unless it is named."""
    made = [testnet] if testnet else glob.glob(os.path.join(tempfile.gettempdir(), "peerd-testnet-*"))
    for t in sorted(made, key=os.path.getmtime, reverse=True):
        found = sorted(os.path.dirname(s) for s in glob.glob(os.path.join(t, "*", "peerd.sock")))
        if found:
            return found
    sys.exit("no testnet found; start one: scripts/testnet.sh configs/application.yaml")


def table(*rows):
    widths = [max(len(str(r[i])) for r in rows) for i in range(len(rows[0]))]
    for r in rows:
        print("  ".join(str(c).ljust(w) for c, w in zip(r, widths)).rstrip())


def simulate(sites, seconds, rate):
    """Customers come at a rate a second and site, and every five seconds a row says
    what became of the last ones."""
    actions, asked, earned = list(sites[0].success), Counter(), Counter()
    print("SECOND  CUSTOMERS  SUCCESS  " + "  ".join(f"{a.upper():>8}" for a in actions))
    begin, row, late = time.monotonic(), ROW, 0.0
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        while (now := time.monotonic() - begin) < seconds:
            late += rate * TICK
            jobs = [pool.submit(s.customer) for s in sites for _ in range(int(late))]
            late -= int(late)
            for job in jobs + [pool.submit(s.report) for s in sites]:
                job.result()
            time.sleep(max(0.0, begin + now + TICK - time.monotonic()))
            if now + TICK >= row:
                row += ROW
                was, had = sum(asked.values()), sum(earned.values())
                old = Counter(asked)
                asked, earned = sum((s.asked for s in sites), Counter()), sum((s.earned for s in sites), Counter())
                n = max(1, sum(asked.values()) - was)
                shares = "  ".join(f"{(asked[a] - old[a]) / n:8.0%}" for a in actions)
                print(f"{now + TICK:6.0f}  {n:9}  {(sum(earned.values()) - had) / n:7.2f}  {shares}", flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("testnet", nargs="?", help="folder of the testnet")
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--rate", type=float, default=100, help="customers a second at each site")
    o = options.parse_args()
    sites = [Site(f, SUCCESS[i % len(SUCCESS)]) for i, f in enumerate(folders(o.testnet))]
    simulate(sites, o.seconds, o.rate)
    for _ in range(int(DELAY["too late"] / TICK) + 2):
        time.sleep(TICK)
        for s in sites:
            s.report()
    rows, wrong = [("SITE", "ACTION", "ASKED", "COUNTED", "EARNED", "EACH", "REALLY", "PEER BELIEVES")], 0
    for s in sites:
        for a in s.peer.arms():
            counted, asked = a.pulls - s.before[a.name], s.asked[a.name]
            wrong += counted != asked
            rows.append((s.name, a.name, asked, counted, f"{s.earned[a.name]:.0f}", f"{s.earned[a.name] / max(1, asked):.2f}",
                         f"{s.success[a.name]:.2f}", f"{a.estimate:.2f} ± {a.noise_sd:.2f}"))
    print()
    table(*rows)
    n = sum((s.count for s in sites), Counter())
    print(f"\nrewards: {n['taken']} taken, {n['duplicate']} of {n['twice']} reported twice known as duplicates, "
          f"{n['expired']} of {n['too late']} too late refused, {n['never']} never reported, {n[CLIENT_FALLBACK]} fallbacks")
    if wrong:
        sys.exit("the peers counted other decisions than were asked for; is anybody else asking?")


if __name__ == "__main__":
    main()
