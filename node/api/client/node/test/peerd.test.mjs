// What the client promises, shown with a peer that misbehaves: node --test.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import { DELAY, Fake } from './fake.mjs';
import { BadToken, Client, Conflict, Expired, PeerdError, Refused, Unknown, Unreachable } from '../peerd.mjs';

let peer, client, ends;

beforeEach(async () => {
  ends = [];
  peer = await Fake.start();
  ends.push(() => peer.close());
  client = open({ url: peer.url, timeout: 300, deadline: 3000 });
});

afterEach(async () => {
  for (const end of ends.reverse()) await end();
});

function open(options) {
  const c = new Client(options);
  ends.push(() => c.close());
  return c;
}

async function folder() {
  const dir = await mkdtemp(join(tmpdir(), 'peerd-'));
  ends.push(() => rm(dir, { recursive: true }));
  return dir;
}

const ids = () => peer.asked.map((a) => a.id);

test('decide and reward', async () => {
  const d = await client.decide({ id: 'visit-1', exclude: ['call'], subject: 'patient-17' });
  assert.deepEqual([d.id, d.action, d.source, d.repeated], ['visit-1', 'mail', 'learned', false]);
  assert.equal((await client.reward(d.id, 1)).duplicate, false);
  assert.deepEqual(peer.asked, [{ id: 'visit-1', exclude: ['call'], subject: 'patient-17' }, { id: 'visit-1', value: 1 }]);
  assert.equal((await client.arms())[0].estimate, 0.5);
});

test('kept decisions', async () => {
  assert.equal((await client.decide({ keep: true })).kept, true);
  assert.equal((await client.decide()).kept, undefined);
  assert.deepEqual(peer.asked.map(({ keep }) => keep), [true, undefined]);
});

test('reports and ends', async () => {
  const d = await client.decide({ id: 'visit-9' });
  await client.reward(d.id, 0.5, { report: 'sale-1' });
  await client.reward(d.id, undefined, { end: true });
  assert.deepEqual(peer.asked.slice(1), [{ id: 'visit-9', value: 0.5, report: 'sale-1' }, { id: 'visit-9', end: true }]);
});

test('features', async () => {
  await client.decide({ id: 'visit-2', features: [[0.5, 1], [0, -2]] });
  assert.deepEqual(peer.asked, [{ id: 'visit-2', features: [[0.5, 1], [0, -2]] }]);
  const ask = { id: 'visit-3', context: [1, 0.5], actions: [{ id: 'article 7', features: [0.5, 1] }, { id: 'article 9', features: [0, -1] }] };
  await client.decide(ask);
  assert.deepEqual(peer.asked[1], ask);
});

test('ids are made by the client', async () => {
  const [a, b] = [await client.decide(), await client.decide()];
  assert.deepEqual(ids(), [a.id, b.id]);
  assert.match(a.id, /^[0-9a-f-]{36}$/);
  assert.notEqual(a.id, b.id);
});

for (const plan of [['lose'], ['drop'], ['slow'], ['half'], ['lose', 'drop', 'lose'], [507], [503, 500, 507], ['lose', 507]]) {
  test(`asked again with its id after ${plan}`, async () => {
    peer.plan = [...plan];
    const d = await client.decide();
    assert.deepEqual(ids(), Array(plan.length + 1).fill(d.id));
    assert.equal(d.repeated, plan.some((p) => ['lose', 'slow', 'half'].includes(p)));
    peer.plan = [...plan];
    assert.equal((await client.reward(d.id, 0.5)).duplicate, d.repeated);
    assert.equal(peer.decisions.size, 1);
  });
}

test("a late answer is not the next one's", async () => {
  peer.plan = ['slow'];
  const [first, second] = [await client.decide({ id: 'a' }), await client.decide({ id: 'b' })];
  await pause(DELAY);
  const third = await client.decide({ id: 'c' });
  assert.deepEqual([first.id, second.id, third.id], ['a', 'b', 'c']);
});

for (const [status, kind, code] of [[401, Refused, 'unauthorized'], [404, Unknown, 'unknown'], [409, Conflict, 'conflict'], [410, Expired, 'expired'], [422, Refused, 'invalid']]) {
  test(`${status} is final`, async () => {
    peer.plan = [status];
    await assert.rejects(client.decide(), (err) => {
      assert.deepEqual([err.constructor, err.status, err.code], [kind, status, code]);
      assert.deepEqual(err.fields.map((f) => f.location), status === 422 ? ['body.value'] : []);
      assert.match(err.detail, /is wrong/);
      return true;
    });
    assert.equal(peer.asked.length, 1);
  });
}

test('a fallback is for faults of the peer', async () => { // and hides no bug of the program
  for (const status of [401, 403, 404, 502]) {
    peer.plan = [status];
    assert.equal((await client.decide({ fallback: 'usual' })).source, 'client-fallback');
    peer.plan = [status];
    assert.equal((await client.decideBatch([{}], { fallback: 'usual' }))[0].source, 'client-fallback');
  }
  for (const status of [400, 409, 413, 415, 422]) {
    peer.plan = [status];
    await assert.rejects(client.decide({ fallback: 'usual' }), Refused);
  }
});

test('text of the HTTP server is a refusal', async () => {
  peer.plan = ['text'];
  await assert.rejects(client.decide(), { status: 502, detail: 'out of order' });
});

test('the deadline ends all tries', async () => {
  const near = open({ url: peer.url, timeout: 100, deadline: 500 });
  const nowhere = open({ url: 'http://127.0.0.1:9', deadline: 500 });
  const tokenless = open({ url: peer.url, tokenFile: '/nowhere', deadline: 500 });
  for (const [c, plan, kind] of [[near, 'drop', Unreachable], [near, 'slow', Unreachable], [near, 507, Refused], [nowhere, 'ok', Unreachable], [tokenless, 'ok', BadToken]]) {
    peer.plan = Array(99).fill(plan);
    const begin = performance.now();
    await assert.rejects(c.decide(), (err) => err instanceof PeerdError && err.constructor === kind);
    const d = await c.decide({ id: 'mine', fallback: 'usual' });
    assert.deepEqual([d.id, d.action, d.source], ['', 'usual', 'client-fallback']);
    assert.ok(performance.now() - begin < 1500);
    await assert.rejects(c.reward(d.id, 1), TypeError);
  }
  await assert.rejects(nowhere.decide({ exclude: ['usual'], fallback: 'usual' }), TypeError);
});

test('batches', async () => {
  peer.items = { b: [507, 503], c: [422] };
  const [a, b, c, made] = await client.decideBatch([{ id: 'a' }, { id: 'b' }, { id: 'c' }, { subject: 's' }]);
  assert.deepEqual([a.id, b.id, c.constructor, c.fields[0].location], ['a', 'b', Refused, 'body.value']);
  assert.deepEqual(peer.asked.map((r) => r.decisions.map((d) => d.id)), [['a', 'b', 'c', made.id], ['b'], ['b']]);
  peer.asked = [];
  peer.plan = ['lose'];
  const again = await client.decideBatch([{}, { id: 'a' }]);
  assert.ok(again.every((d) => d.repeated));
  assert.deepEqual(peer.asked[0], peer.asked[1]);
  assert.equal(peer.decisions.size, 4);
  peer.items = { b: [409], a: [500] };
  const [first, second] = await client.rewardBatch([{ id: 'a', value: 1 }, { id: 'b', value: 0.5 }]);
  assert.deepEqual([first.duplicate, second.constructor], [false, Conflict]);
  assert.deepEqual(await client.decideBatch([]), []);
});

test('fallback of a batch', async () => {
  const near = open({ url: peer.url, deadline: 300 });
  peer.items = { b: Array(99).fill(507), c: [422] };
  const [a, b, c] = await near.decideBatch([{ id: 'a' }, { id: 'b' }, { id: 'c' }], { fallback: 'usual' });
  assert.deepEqual([a.source, b.source, b.id, c.constructor], ['learned', 'client-fallback', '', Refused]);
  peer.plan = Array(99).fill('drop');
  assert.deepEqual((await near.decideBatch([{}, {}], { fallback: 'usual' })).map((d) => d.action), ['usual', 'usual']);
  await assert.rejects(near.rewardBatch([{ id: 'a', value: 1 }]), Unreachable);
});

test('connections are kept, and no more than 64', async () => {
  client = open({ url: peer.url }); // which has time
  for (let i = 0; i < 5; i++) await client.decide();
  assert.equal(peer.connections, 1);
  const many = await Promise.all(Array.from({ length: 200 }, (_, i) => client.decide({ id: `m-${i}` })));
  assert.deepEqual(many.map((d) => d.id), many.map((_, i) => `m-${i}`));
  assert.ok(peer.connections <= 64);
});

test('the token is read anew', async () => {
  const file = join(await folder(), 'api.token');
  const c = open({ url: peer.url, tokenFile: file });
  for (peer.token of ['first', 'second']) {
    await writeFile(file, peer.token);
    await c.decide();
  }
});

test('socket of a folder', async () => {
  const dir = await folder();
  const c = open({ dir, timeout: 300, deadline: 1000 });
  await assert.rejects(c.decide(), Unreachable);
  const other = await Fake.start(join(dir, 'peerd.sock'));
  ends.push(() => other.close());
  other.plan = ['lose', 'slow'];
  assert.equal((await c.decide({ id: 'a' })).repeated, true);
  assert.deepEqual([...other.decisions.keys()], ['a']);
});

test('other URLs are refused', () => {
  for (const url of ['https://127.0.0.1:8470', '127.0.0.1:8470', 'unix:/x']) assert.throws(() => new Client({ url }), TypeError);
});
