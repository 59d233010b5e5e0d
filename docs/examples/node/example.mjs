// Customers of some sites. For each of them the site's peer is asked for an action; what
// came of it is reported at once, late, too late, twice or never. Run it beside
// scripts/testnet.sh configs/application.yaml; it ends by itself.

import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { Client, Expired, Refused } from 'peerd';

// How often each action succeeds with the customers of a site. Over all sites the third
// is best; the customers of the first two sites alone would say otherwise.
const SUCCESS = [[0.2, 0.6, 0.5], [0.6, 0.2, 0.5], [0.3, 0.3, 0.6]];
const FATES = { now: 75, late: 10, 'too late': 3, twice: 5, never: 7 }; // of rewards, in percent
const DELAY = { late: 1000, 'too late': 3000 }; // configs/application.yaml takes rewards for two seconds
const TICK = 100, ROW = 5000; // milliseconds

class Counter extends Map {
  get(key) {
    return super.get(key) ?? 0;
  }
  add(key, n = 1) {
    return this.set(key, this.get(key) + n);
  }
  total() {
    return [...this.values()].reduce((a, b) => a + b, 0);
  }
  static sum(counters) {
    const sum = new Counter();
    for (const c of counters) c.forEach((n, key) => sum.add(key, n));
    return sum;
  }
}

class Site {
  asked = new Counter();
  earned = new Counter();
  count = new Counter();
  later = []; // rewards to report, with their times

  static async open(folder, success) {
    const site = new Site();
    site.name = basename(folder);
    site.peer = new Client({ dir: folder });
    site.before = new Map((await site.peer.arms()).map((a) => [a.name, a.pulls]));
    site.actions = [...site.before.keys()];
    site.success = new Map(site.actions.map((a, i) => [a, success[i] ?? 0.1]));
    return site;
  }

  // Asks, acts and reports for one customer.
  async customer() {
    const d = await this.peer.decide({ subject: randomUUID(), fallback: this.actions[0] }); // a new customer
    const value = Number(Math.random() < this.success.get(d.action));
    if (d.source === 'client-fallback') return this.count.add(d.source); // the customer was served; nobody learns from it
    const fate = draw(FATES);
    this.asked.add(d.action);
    this.earned.add(d.action, value);
    this.count.add(fate);
    if (DELAY[fate]) this.later.push({ at: performance.now() + DELAY[fate], reward: { id: d.id, value } });
    for (let n = { now: 1, twice: 2 }[fate] ?? 0; n > 0; n--) this.reported(await this.peer.reward(d.id, value));
  }

  // Reports what is due by now, in one request.
  async report() {
    const now = performance.now();
    const due = this.later.filter((l) => l.at <= now);
    this.later = this.later.filter((l) => l.at > now);
    for (const result of await this.peer.rewardBatch(due.map((l) => l.reward))) this.reported(result);
  }

  reported(result) {
    if (result instanceof Refused && !(result instanceof Expired)) throw result;
    this.count.add(result instanceof Expired ? 'expired' : result.duplicate ? 'duplicate' : 'taken');
  }
}

function draw(weights) {
  let at = Math.random() * 100;
  return Object.keys(weights).find((key) => (at -= weights[key]) < 0) ?? 'never';
}

// The peers' folders of a testnet, which is the newest unless it is named.
function folders(testnet) {
  const made = readdirSync(tmpdir()).filter((name) => name.startsWith('peerd-testnet-')).map((name) => join(tmpdir(), name));
  for (const t of testnet ? [testnet] : made.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)) {
    const found = readdirSync(t).sort().map((name) => join(t, name)).filter((dir) => existsSync(join(dir, 'peerd.sock')));
    if (found.length) return found;
  }
  throw new Error('no testnet found; start one: scripts/testnet.sh configs/application.yaml');
}

function table(...rows) {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((r) => String(r[i]).length)));
  for (const r of rows) console.log(r.map((c, i) => String(c).padEnd(widths[i])).join('  ').trimEnd());
}

// Customers come at a rate a second and site, and every five seconds a row says what became
// of the last ones.
async function simulate(sites, seconds, rate) {
  const { actions } = sites[0];
  let asked = new Counter(), earned = new Counter(), row = ROW, late = 0;
  console.log('SECOND  CUSTOMERS  SUCCESS  ' + actions.map((a) => a.toUpperCase().padStart(8)).join('  '));
  const begin = performance.now();
  for (let now = 0; now < seconds * 1000; now = performance.now() - begin) {
    late += (rate * TICK) / 1000;
    const customers = Math.trunc(late);
    late -= customers;
    await Promise.all(sites.flatMap((s) => [s.report(), ...Array.from({ length: customers }, () => s.customer())]));
    await pause(Math.max(0, begin + now + TICK - performance.now()));
    if (now + TICK < row) continue;
    row += ROW;
    const [was, had] = [asked, earned];
    asked = Counter.sum(sites.map((s) => s.asked));
    earned = Counter.sum(sites.map((s) => s.earned));
    const n = Math.max(1, asked.total() - was.total());
    const shares = actions.map((a) => `${Math.round((100 * (asked.get(a) - was.get(a))) / n)}%`.padStart(8)).join('  ');
    console.log(`${Math.round((now + TICK) / 1000)}`.padStart(6) + `${n}`.padStart(11) + ((earned.total() - had.total()) / n).toFixed(2).padStart(9) + `  ${shares}`);
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '60' }, rate: { type: 'string', default: '100' } }, // customers a second at each site
});
const sites = await Promise.all(folders(positionals[0]).map((f, i) => Site.open(f, SUCCESS[i % SUCCESS.length])));
await simulate(sites, Number(values.seconds), Number(values.rate));
for (let waited = 0; waited < DELAY['too late'] + 2 * TICK; waited += TICK) {
  await pause(TICK);
  await Promise.all(sites.map((s) => s.report()));
}
const rows = [['SITE', 'ACTION', 'ASKED', 'COUNTED', 'EARNED', 'EACH', 'REALLY', 'PEER BELIEVES']];
let wrong = false;
for (const s of sites) {
  for (const a of await s.peer.arms()) {
    const [counted, asked] = [a.pulls - s.before.get(a.name), s.asked.get(a.name)];
    wrong ||= counted !== asked;
    rows.push([s.name, a.name, asked, counted, s.earned.get(a.name), (s.earned.get(a.name) / Math.max(1, asked)).toFixed(2),
      s.success.get(a.name).toFixed(2), `${a.estimate.toFixed(2)} ± ${a.noise_sd.toFixed(2)}`]);
  }
  s.peer.close();
}
console.log();
table(...rows);
const n = Counter.sum(sites.map((s) => s.count));
console.log(`\nrewards: ${n.get('taken')} taken, ${n.get('duplicate')} of ${n.get('twice')} reported twice known as duplicates, ` +
  `${n.get('expired')} of ${n.get('too late')} too late refused, ${n.get('never')} never reported, ${n.get('client-fallback')} fallbacks`);
if (wrong) throw new Error('the peers counted other decisions than were asked for; is anybody else asking?');
