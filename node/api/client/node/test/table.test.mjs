// What the client promises while its peer is down.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFile, copyFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

import { Client, Conflict, Expired, Unreachable } from '../peerd.mjs';
import { Table } from '../table.mjs';
import { Fake } from './fake.mjs';

let peer, file, ends;

beforeEach(async () => {
  ends = [];
  peer = await Fake.start();
  ends.push(() => peer.close());
  peer.offer('1', { mail: 1, banner: 2, call: 5 });
  const dir = await mkdtemp(join(tmpdir(), 'peerd-'));
  ends.push(() => rm(dir, { recursive: true }));
  file = join(dir, 'peerd.jsonl');
});

afterEach(async () => {
  for (const end of ends.reverse()) await end();
});

function open(options) {
  const c = new Client({ url: peer.url, table: true, timeout: 800, deadline: 800, tableEvery: 50, ...options });
  ends.push(() => c.close());
  return c;
}

async function until(holds) {
  for (let n = 0; !holds(); n++) {
    assert.ok(n < 1000, 'it did not become true');
    await pause(10);
  }
}

async function withTable(options) {
  const client = open(options);
  await until(() => client.table().version === peer.table.version);
  return client;
}

// equal fails unless the peer has each decision as it was made, each reward once, and nothing else.
function equal(done, rewards) {
  const sorted = (all) => new Map([...all].map(({ id, action, propensity, source }) => [id, { action, propensity, source }]).sort());
  assert.deepEqual(sorted(peer.decisions.values()), sorted(done));
  assert.deepEqual(new Map([...peer.rewards].sort()), new Map([...rewards].sort()));
}

test('draws are those of all languages', async (t) => {
  const text = await readFile(new URL('../../testdata/draws.json', import.meta.url), 'utf8').catch(() => undefined);
  if (!text) return t.skip('the vectors are in the repository only');
  const cases = JSON.parse(text);
  for (const { salt, id, actions, exclude, named, action, propensity } of cases) {
    assert.deepEqual(new Table({ version: 'v', salt, actions }).draw(id, exclude, named), { action, propensity });
  }
  assert.ok(cases.length > 400);
});

test('wrong tables, and nothing to draw', () => {
  for (const weight of [-1, 0.5, 2 ** 21, '1']) assert.throws(() => new Table({ version: 'v', salt: 's', actions: [{ name: 'a', weight }] }), TypeError);
  const table = new Table({ version: 'v', salt: 's', actions: [{ name: 'a', weight: 1 }] });
  assert.equal(table.draw('id', ['a']), undefined);
  assert.equal(table.draw('id', [], []), undefined);
});

test('down from the start', async () => {
  peer.dead = true;
  const client = open();
  await assert.rejects(client.decide(), Unreachable);
  assert.equal((await client.decide({ fallback: 'usual' })).source, 'client-fallback');
  await assert.rejects(client.decide({ offline: true }), Unreachable);
  assert.equal(client.table().version, '');
  peer.dead = false;
  await until(() => client.table().version === '1');
});

test('it dies in the middle and comes back', async () => {
  const client = await withTable();
  const done = [await client.decide(), await client.decide(), await client.decide()];
  peer.dead = true;
  done.push(await client.decide({ subject: 'patient-17' }));
  const begin = performance.now();
  done.push(...await Promise.all(Array.from({ length: 39 }, () => client.decide()))); // which do not wait
  assert.ok(performance.now() - begin < 5000);
  const table = new Table(peer.table);
  for (const d of done.slice(3)) {
    assert.deepEqual([d.source, d.model, { action: d.action, propensity: d.propensity }], ['table', '1', table.draw(d.id)]);
  }
  const rewards = new Map();
  for (const [n, d] of done.entries()) { // also of those that the peer decided
    if (n % 2) continue;
    rewards.set(d.id, n / 100);
    assert.equal((await client.reward(d.id, n / 100)).duplicate, false);
  }
  const { drawn, reported, waiting } = client.table();
  assert.deepEqual([drawn, reported, waiting], [40, 0, 42]);
  peer.offer('2', { mail: 1 });
  peer.dead = false;
  await until(() => client.table().waiting === 0);
  equal(done, rewards);
  const state = client.table();
  assert.deepEqual([state.reported, state.rewarded, state.expired, state.refused, state.version], [40, 22, 0, 0, '2']);
  for (let source; source !== 'learned'; await pause(10)) ({ source } = await client.decide()); // it is asked again
  await client.reward(done[3].id, 0.5); // at once: the peer has the decision
  assert.equal(peer.rewards.get(done[3].id), 0.5);
});

test('answers that are lost on the way back', async () => {
  const client = await withTable({ timeout: 300 });
  peer.dead = true;
  const done = await client.decideBatch(Array(250).fill({}));
  await client.rewardBatch(done.map(({ id }) => ({ id, value: 1 })));
  peer.plan = ['lose', 'drop', 'half', 503, 'lose', 'slow', 'ok', 'lose'];
  peer.items = { [done[7].id]: [503], [done[8].id]: [500, 507] };
  peer.dead = false;
  await until(() => client.table().waiting === 0);
  equal(done, done.map(({ id }) => [id, 1]));
  const { reported, rewarded, refused } = client.table();
  assert.deepEqual([reported, rewarded, refused], [250, 250, 0]);
});

test('the first request was taken and only its answer lost', async () => {
  const client = await withTable();
  peer.plan = Array(40).fill('lose');
  const made = await client.decide();
  const mine = await client.decide({ id: 'mine', exclude: ['mail'] });
  assert.deepEqual([made.source, mine.source, mine.id], ['table', 'table', 'mine']);
  peer.decisions.set('mine', { id: 'mine', action: 'call', propensity: 1, source: 'learned' });
  peer.plan = [];
  await until(() => client.table().waiting === 0);
  assert.equal(peer.decisions.get(made.id).source, 'learned'); // one record of one user
  assert.equal(peer.decisions.size, 2);
  const { reported, refused, problem } = client.table();
  assert.deepEqual([reported, refused], [0, 2]);
  assert.match(problem, /mine/);
  await assert.rejects(client.reward('mine', 1), Conflict); // or it would be the other action's
  assert.ok((await client.rewardBatch([{ id: 'mine', value: 1 }]))[0] instanceof Conflict);
  assert.equal(peer.rewards.size, 0);
});

test('the table is forgotten', async () => {
  const client = await withTable();
  peer.dead = true;
  const d = await client.decide();
  await client.reward(d.id, 1);
  peer.tables.clear();
  peer.offer('2', { mail: 1 });
  peer.dead = false;
  await until(() => client.table().waiting === 0);
  const { expired, refused } = client.table();
  assert.deepEqual([expired, refused], [1, 0]);
  await assert.rejects(client.reward(d.id, 1), Expired);
  equal([], []);
});

test('a file is kept', async () => {
  assert.deepEqual(await (await withTable({ table: file })).close(), []);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  peer.dead = true;
  const done = [], rewards = new Map();
  for (let n = 0; n < 5; n++) { // each is killed before it closes: a copy of its file is what the next one finds
    const client = open({ table: file, deadline: 100 });
    for (let i = 0; i < 4; i++) done.push(await client.decide({ id: `visit-${n}-${i}` }));
    for (const d of done.filter((_, i) => i % 7 === n)) {
      if (rewards.has(d.id)) continue;
      rewards.set(d.id, n / 10);
      await client.reward(d.id, n / 10);
    }
    assert.deepEqual(await client.decide({ id: done[0].id }), { ...done[0], repeated: true });
    await copyFile(file, `${file}+`);
    await client.close();
    file += '+';
    await appendFile(file, '{"reward": {"id": "never ret');
  }
  assert.deepEqual((await open({ table: file }).close()).map((w) => w.ask.id), done.map((d) => d.id));
  peer.dead = false;
  const client = open({ table: file });
  await until(() => client.table().waiting === 0);
  equal(done, rewards);
  await client.close();
});

test('a file does not grow', async () => {
  const client = await withTable({ table: file });
  for (let n = 0; n < 30; n++) {
    await Promise.all(Array.from({ length: 20 }, () => client.decide({ offline: true })));
    await until(() => client.table().waiting === 0);
  }
  assert.equal(client.table().reported, 600);
  assert.ok((await readFile(file, 'utf8')).split('\n').length < 1100);
});

test('no more than the queue', async () => {
  const client = await withTable({ queue: 5 });
  peer.dead = true;
  const done = [];
  for (let i = 0; i < 5; i++) done.push(await client.decide());
  assert.equal((await client.decide({ fallback: 'usual' })).source, 'client-fallback');
  await assert.rejects(client.decide(), Unreachable);
  for (const { id } of done) await client.reward(id, 1); // their rewards have room
  await assert.rejects(client.reward('another', 1), Unreachable);
  const { waiting, drawn, full } = client.table();
  assert.deepEqual([waiting, drawn, full], [5, 5, 3]);
  peer.dead = false;
  await until(() => client.table().waiting === 0);
  equal(done, done.map(({ id }) => [id, 1]));
});

test('offline calls ask nobody', async () => {
  const client = await withTable();
  const ask = { id: 'mine', exclude: ['call'], actions: ['mail', 'call'] };
  const d = await client.decide({ ...ask, offline: true });
  assert.deepEqual([d.action, d.propensity, peer.asked], ['mail', 1, []]);
  const again = await client.decide(ask);
  assert.deepEqual([again.action, again.repeated], ['mail', true]);
  await until(() => client.table().waiting === 0);
  assert.deepEqual(peer.asked, [{ decisions: [{ ...ask, table: '1' }] }]);
  for (const other of [{ features: [[1]] }, { context: [1] }, { actions: [{ id: 'a', features: [1] }] }, { taken: { action: 'mail', propensity: 0.5 } },
    { exclude: ['mail', 'banner', 'call'] }, { id: 'no id' }]) {
    await assert.rejects(client.decide({ ...other, offline: true }), Unreachable);
  }
  assert.equal((await client.decide({ features: [[1]], offline: true, fallback: 'usual' })).action, 'usual');
});

test('a learner by features has no table', async () => {
  peer.table = undefined;
  const client = open();
  await until(() => client.table().problem);
  peer.dead = true;
  assert.equal((await client.decide({ features: [[1]], fallback: 'usual' })).source, 'client-fallback');
  await assert.rejects(client.decide({ features: [[1]] }), Unreachable);
  peer.dead = false;
  assert.equal((await client.decide({ features: [[1]] })).source, 'learned');
});

test('batches', async () => {
  const client = await withTable();
  const first = await client.decideBatch([{}]);
  peer.dead = true;
  const done = [...await client.decideBatch([{ id: 'a' }, { exclude: ['call'] }, {}]), ...first];
  assert.deepEqual(done.map((d) => d.source), ['table', 'table', 'table', 'learned']);
  const receipts = await client.rewardBatch(done.map(({ id }) => ({ id, value: 0.5 })));
  assert.deepEqual(receipts.map((r) => r.duplicate), [false, false, false, false]);
  [peer.plan, peer.dead] = [[422, 'ok', 422], false]; // what spoils a batch does not spoil all of it
  await until(() => client.table().waiting === 0);
  const { reported, refused } = client.table();
  assert.deepEqual([reported, refused, peer.rewards.size], [2, 1, 3]);
});

test('a batch without room', async () => {
  const client = await withTable({ queue: 2 });
  peer.dead = true;
  const [a, b, c] = await client.decideBatch([{ actions: [{ id: 'mail' }] }, {}, {}]);
  assert.deepEqual([a.action, b.source, c.status], ['mail', 'table', 503]);
  assert.deepEqual((await client.decideBatch([{}, {}], { fallback: 'usual' })).map((d) => d.action), ['usual', 'usual']);
  await assert.rejects(client.decideBatch([{}, {}]), Unreachable);
});

test('a wrong token drops nothing', async () => {
  const client = await withTable();
  peer.dead = true;
  const d = await client.decide();
  [peer.token, peer.dead] = ['another', false];
  await until(() => client.table().problem.includes('wrong'));
  assert.equal(client.table().waiting, 1);
  peer.token = '';
  await until(() => client.table().waiting === 0);
  equal([d], []);
});

test('many at once while it comes and goes', async () => {
  const client = await withTable({ table: file });
  const done = [], rewards = new Map();
  let n = 0;
  const trouble = setInterval(() => {
    peer.dead = ++n % 3 !== 2;
    peer.offer(String(n), { mail: n, banner: 2, call: 5 });
  }, 20);
  await Promise.all(Array.from({ length: 8 }, async () => {
    for (let i = 0; i < 150; i++) {
      const d = await client.decide();
      rewards.set(d.id, (i % 10) / 10);
      done.push(d);
      await client.reward(d.id, (i % 10) / 10);
    }
  }));
  clearInterval(trouble);
  peer.dead = false;
  await until(() => client.table().waiting === 0);
  assert.equal(done.length, 1200);
  assert.ok(done.filter((d) => d.source === 'table').length > 100);
  const known = new Set(done.map((d) => d.id));
  for (const [id, { source }] of peer.decisions) { // taken, but no answer came: the client decided otherwise
    if (known.has(id)) continue;
    assert.equal(source, 'learned');
    peer.decisions.delete(id);
  }
  equal(done, rewards);
  assert.equal(client.table().refused, 0);
});

test('a program ends with what it has to do, and close waits', async () => {
  const module = JSON.stringify(new URL('../peerd.mjs', import.meta.url));
  const run = (text) => promisify(execFile)(process.execPath, ['--input-type=module', '-e', `import { Client } from ${module};
    const peer = new Client({ url: ${JSON.stringify(peer.url)}, table: true, timeout: 20000 }); ${text}`]);
  const begin = performance.now();
  await run('');
  assert.ok(performance.now() - begin < 5000);
  const { stdout } = await run(`while (!peer.table().version) await new Promise((done) => setTimeout(done, 10));
    await peer.decide({ id: 'mine', offline: true });
    console.log(JSON.stringify(await peer.close()));`);
  assert.deepEqual([stdout, peer.decisions.get('mine').source], ['[]\n', 'table']);
});
