// The same as main.go in JavaScript.

import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

import { Client, Conflict, Unreachable } from 'peerd';

const [dir, name, seconds] = process.argv.slice(2);
const peer = new Client({ dir, table: `${name}.table`, tableEvery: 1000, timeout: 200, deadline: 300 });

// value is the reward of a decision by a checksum of its id: a third gets none.
function value(id) {
  let crc = -1;
  for (const byte of Buffer.from(id)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (~crc >>> 0) % 3 - 1;
}

// reward reports one, unless a kill cut off the peer's own decision of that id.
async function reward(id, value) {
  try {
    await peer.reward(id, value);
  } catch (err) {
    if (!(err instanceof Conflict)) throw err;
  }
}

const last = existsSync(`${name}.did`) && readFileSync(`${name}.did`, 'utf8').trim().split('\n').pop();
if (last) { // it may have been killed before it reported this one
  const r = JSON.parse(last);
  if (r.value >= 0) await reward(r.id, r.value);
}
for (const end = performance.now() + 1000 * seconds; performance.now() < end; await pause(10)) {
  let d;
  try {
    d = await peer.decide({ subject: randomUUID() });
  } catch (err) {
    if (err instanceof Unreachable) continue; // there is no table yet
    throw err;
  }
  const { id, action, propensity, source } = d;
  appendFileSync(`${name}.did`, JSON.stringify({ id, action, propensity, source, value: value(id) }) + '\n');
  if (value(id) >= 0) await reward(id, value(id));
}
const left = await peer.close();
console.log('left', left.length, JSON.stringify(peer.table()));
