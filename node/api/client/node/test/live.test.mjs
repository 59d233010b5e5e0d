// The client against a real peer: the one that PEERD_URL and PEERD_TOKEN_FILE name, where
// nobody else asks meanwhile. Without them nothing is tested here.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import net from 'node:net';
import { dirname } from 'node:path';
import { after, test } from 'node:test';

import { Client, Conflict, Refused, Unknown } from '../peerd.mjs';

const { PEERD_URL: url, PEERD_TOKEN_FILE: tokenFile } = process.env;
const skip = !(url && tokenFile) && 'PEERD_URL and PEERD_TOKEN_FILE name no peer';
const clients = skip ? [] : [new Client(), new Client({ dir: dirname(tokenFile) })];
after(() => clients.forEach((c) => c.close()));

// models reads the interfaces of models.d.ts: by name, the fields with their types.
async function models() {
  const text = await readFile(new URL('../models.d.ts', import.meta.url), 'utf8');
  const all = {};
  for (const [, name, body] of text.matchAll(/^export interface (\w+) \{\n(.*?)^\}/gms)) {
    all[name] = [...body.matchAll(/^ {2}(\w+)(\??): (.*);$/gm)].map(([, field, optional, type]) => ({ field, optional: !!optional, type }));
  }
  return all;
}

// fits fails where a value is not of a type.
function fits(all, type, value, at) {
  if (type.endsWith(' | null')) return value === null || fits(all, type.slice(0, -' | null'.length), value, at);
  if (type.endsWith('[]')) {
    assert.ok(Array.isArray(value), at);
    return value.forEach((v, i) => fits(all, type.slice(0, -2), v, `${at}[${i}]`));
  }
  if (!all[type]) return assert.ok(type.includes('"') ? type.split(' | ').includes(JSON.stringify(value)) : typeof value === type, `${at}: ${value} is no ${type}`);
  const known = all[type].map((f) => f.field);
  assert.deepEqual(Object.keys(value).filter((k) => !known.includes(k)), [], at);
  for (const { field, optional, type: of } of all[type]) {
    if (!(optional && value[field] === undefined)) fits(all, of, value[field], `${at}.${field}`);
  }
}

test('models hold all of real answers', { skip }, async () => {
  const all = await models();
  const token = await readFile(tokenFile, 'utf8');
  await clients[0].decide({ id: 'live-model-node' });
  for (const [type, path, body] of [
    ['Status', '/v1/status'], ['Arm[]', '/v1/arms'], ['Peer[]', '/v1/peers'], ['Table', '/v1/table'],
    ['Decision', '/v1/decisions', '{}'],
    ['DecisionBatch', '/v1/decisions/batch', '{"decisions":[{},{"id":"no id"}]}'],
    ['Receipt', '/v1/rewards', '{"id":"live-model-node","value":1}'],
    ['ReceiptBatch', '/v1/rewards/batch', '{"rewards":[{"id":"live-model-node","value":1},{"id":"x-x","value":1}]}'],
    ['Problem', '/v1/rewards', '{"id":"x-x","value":2}'],
    ['Problem', '/v1/rewards', '{'],
  ]) {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const answer = await fetch(url + path, { method: body ? 'POST' : 'GET', headers, body });
    fits(all, type, await answer.json(), type);
  }
});

test('both ways in', { skip }, async () => {
  for (const c of clients) {
    const d = await c.decide({ subject: 'live' });
    await assert.rejects(c.reward('nobody-decided-this', 1), Unknown);
    await c.reward(d.id, 1);
    assert.equal((await c.reward(d.id, 1)).duplicate, true);
    await assert.rejects(c.reward(d.id, 0), Conflict);
    await assert.rejects(c.reward(d.id, NaN), (err) => err instanceof Refused && err.status === 422 && err.fields[0].location === 'body.value');
  }
});

// lossy is a port before the peer's. It loses every third answer on its way, which closes
// the connection after the peer has taken the request.
async function lossy() {
  const { hostname, port } = new URL(url);
  const state = { answers: 0, lost: 0 };
  const server = net.createServer((near) => {
    const far = net.connect(Number(port), hostname);
    near.on('data', (b) => far.write(b)).on('close', () => far.destroy()).on('error', () => {});
    far.on('data', (b) => {
      if (++state.answers % 3 !== 0) return near.write(b);
      state.lost++;
      near.destroy();
    }).on('close', () => near.destroy()).on('error', () => {});
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { ...server.address(), state, close: () => server.close() };
}

test('lost answers count once', { skip }, async () => {
  const pulls = async () => (await clients[0].arms()).reduce((n, a) => n + a.pulls, 0);
  const before = await pulls();
  const port = await lossy();
  const client = new Client({ url: `http://127.0.0.1:${port.port}`, deadline: 20000 });
  const ids = new Set();
  let duplicates = 0;
  for (let round = 0; round < 10; round++) { // six at once, so that either kind of answer is lost
    const receipts = await Promise.all(Array.from({ length: 6 }, async () => {
      const { id } = await client.decide();
      ids.add(id);
      return client.reward(id, 1);
    }));
    duplicates += receipts.filter((r) => r.duplicate).length;
  }
  for (let round = 0; round < 3; round++) {
    const batch = (await client.decideBatch(Array(20).fill({}))).map((d) => d.id);
    batch.forEach((id) => ids.add(id));
    assert.ok((await client.rewardBatch(batch.map((id) => ({ id, value: 1 })))).every((r) => r.counted));
  }
  client.close();
  port.close();
  assert.ok(port.state.lost > 30);
  assert.ok(duplicates > 10, `${duplicates} duplicates`);
  assert.equal(ids.size, 120);
  assert.equal((await pulls()) - before, 120);
});
