// What the client does with what a server, a disk or a person got wrong, from the table of cases of all languages.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, lstatSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import { Fake } from './fake.mjs';
import { BadToken, Client } from '../peerd.mjs';

let file, ends;

beforeEach(async () => {
  ends = [];
  const dir = await mkdtemp(join(tmpdir(), 'peerd-'));
  ends.push(() => rm(dir, { recursive: true }));
  file = join(dir, 'peerd.jsonl');
});

afterEach(async () => {
  for (const end of ends.reverse()) await end();
});

async function cases(t, name) {
  const text = await readFile(new URL(`../../testdata/${name}`, import.meta.url), 'utf8').catch(() => undefined);
  if (!text) t.skip('the cases are in the repository only');
  return JSON.parse(text ?? '[]');
}

const table = { version: '1', model: '1-2-3', salt: 's1', made_at: '2001-09-09T01:46:40Z', actions: [{ name: 'mail', weight: 1 }, { name: 'banner', weight: 1 }] };

function lineOf(short) {
  const [kind, id] = short.split(' ');
  if (short === 'T') return JSON.stringify({ table });
  if (kind === 'D') return JSON.stringify({ drawn: { ask: { id, table: '1' }, action: 'mail', propensity: 0.5 } });
  if (short === 'DEEP') return '['.repeat(100000);
  if (short === 'BYTES') return '\xff\xfe';
  return kind === 'R' ? JSON.stringify({ reward: { id, value: 0.5 } }) : short;
}

test('a damaged file is read as far as it can be', async (t) => {
  for (const [n, { name, lines, torn = '', waiting, rewards, damaged }] of (await cases(t, 'damaged.json')).entries()) {
    const path = `${file}-${n}`;
    const text = lines.map((line) => lineOf(line) + '\n').join('') + torn;
    await writeFile(path, text, 'latin1');
    for (const again of [false, true]) {
      const client = new Client({ url: 'http://127.0.0.1:1', table: path, timeout: 10, deadline: 10 });
      const { version, problem } = client.table();
      const left = await client.close();
      assert.equal(version, '1', name);
      assert.deepEqual(left.map((w) => w.ask?.id), waiting, name);
      assert.equal(left.reduce((all, w) => all + w.rewards.length, 0), rewards, name);
      assert.equal(problem.includes('.damaged-1'), damaged && !again, `${name}: ${problem}`);
      assert.equal(existsSync(`${path}.damaged-1`), damaged, name);
    }
    if (damaged) assert.equal(await readFile(`${path}.damaged-1`, 'latin1'), text, name);
  }
});

test('a file has one client', async () => {
  const url = 'http://127.0.0.1:1';
  const first = new Client({ url, table: file, timeout: 10, deadline: 10 });
  assert.throws(() => new Client({ url, table: file }), new RegExp(`is used by process ${process.pid}: give each worker a file`));
  await first.close();
  const program = `import { Client } from ${JSON.stringify(new URL('../peerd.mjs', import.meta.url))};
    new Client({ url: '${url}', table: ${JSON.stringify(file)} }); console.log('open'); setInterval(() => {}, 1000);`;
  const other = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((done) => other.on('exit', done));
  await new Promise((done) => other.stdout.once('data', done));
  assert.throws(() => new Client({ url, table: file }), new RegExp(`is used by process ${other.pid}`));
  other.kill('SIGKILL'); // leaves its file
  await ended;
  await new Client({ url, table: file, timeout: 10, deadline: 10 }).close();
  assert.ok(!lstatSync(`${file}.pid`, { throwIfNoEntry: false }));
});

test('a file that cannot be written again goes on', async () => {
  const options = { url: 'http://127.0.0.1:1', table: file, timeout: 10, deadline: 10 };
  await writeFile(file, `${lineOf('T')}\n\xff\n${lineOf('D a')}\n{"torn`, 'latin1');
  await mkdir(`${file}.new/x`, { recursive: true });
  const client = new Client(options);
  assert.match(client.table().problem, /goes on as it is.*line 2/);
  assert.equal((await client.decide({ id: 'b', offline: true })).source, 'table');
  await client.close();
  await rm(`${file}.new`, { recursive: true });
  const left = await new Client(options).close();
  assert.deepEqual(left.map((w) => w.ask.id), ['a', 'b']);
});

async function serve({ status, head = '', body = '', repeat = '', every = 0, close }) {
  if (body === 'DEEP') body = lineOf(body);
  if (status) head = `HTTP/1.1 ${status} X\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const more = repeat === 'SPACES' ? ' '.repeat(1 << 20) : repeat;
  const open = new Set();
  const server = net.createServer((socket) => {
    open.add(socket.on('error', () => {}));
    socket.once('data', async () => {
      socket.write(head + body);
      if (close) socket.end();
      while (more && !socket.destroyed) {
        if (!socket.write(more)) await new Promise((done) => socket.once('drain', done).once('close', done));
        await pause(every * 1000);
      }
    });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  ends.push(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}`;
}

test('wrong answers are none', async (t) => {
  await Promise.all((await cases(t, 'answers.json')).map(async (x) => {
    const client = new Client({ url: await serve(x), timeout: 300, deadline: 700 });
    const begin = performance.now();
    const d = await client.decide({ id: 'mine', exclude: ['banner'], actions: ['mail', 'banner'], fallback: 'mail' });
    assert.deepEqual([d.source, d.action], ['client-fallback', 'mail'], x.name);
    const receipt = await client.reward('mine', 1).catch(() => undefined);
    assert.ok(!receipt || x.body.includes('"id":"mine"'), x.name);
    assert.ok(performance.now() - begin < 5000, x.name);
    await client.close();
  }));
});

test('what waits is kept whatever a server answers', async (t) => {
  await Promise.all((await cases(t, 'answers.json')).map(async (x, n) => {
    const url = await serve(x);
    for (const line of ['D mine', 'R mine']) {
      const path = `${file}-${n}-${line}`;
      await writeFile(path, `${lineOf('T')}\n${lineOf(line)}\n`);
      const client = new Client({ url, table: path, timeout: 300, deadline: 700 });
      const begin = performance.now();
      assert.equal((await client.close()).length, 1, `${x.name}: ${line}`);
      assert.ok(performance.now() - begin < 5000, x.name);
    }
  }));
});

test('a token file is not shown', async () => {
  for (const [text, want] of [['secret-1\nsecret-2\n', 'more than one line'], ['', 'empty'], [' \n', 'empty'], [Buffer.from('secret', 'utf16le'), 'not UTF-8'],
    ['secret one', 'none'], ['secr\u00e9t', 'none'], ['api:\n  secret: 1\n', 'more than one line'], ['secret'.repeat(100), 'none']]) {
    await writeFile(file, text);
    const client = new Client({ url: 'http://127.0.0.1:1', tokenFile: file, deadline: 60000 });
    await assert.rejects(client.decide(), (err) => err instanceof BadToken && err.message.includes(want) && err.message.includes(file) && !err.message.includes('secr'));
    assert.equal((await client.decide({ fallback: 'mail' })).source, 'client-fallback');
    await client.close();
  }
  await writeFile(`${file}.jsonl`, lineOf('T') + '\n');
  const kept = new Client({ url: 'http://127.0.0.1:1', tokenFile: file, table: `${file}.jsonl`, deadline: 10 });
  assert.equal((await kept.decide()).source, 'table'); // it is reported when the file has a token
  await kept.close();
  const peer = await Fake.start();
  peer.token = 'secret';
  ends.push(() => peer.close());
  await writeFile(file, '\ufeffsecret\r\n');
  const client = new Client({ url: peer.url, tokenFile: file });
  assert.ok((await client.decide()).id);
  await client.close();
});

test('a program that is busy until the deadline gets the last reason', async () => { // and no time is negative
  const url = await serve({ status: 503, body: '{"title":"","status":503,"code":"full","detail":"no room"}' });
  const client = new Client({ url, deadline: 600 });
  const send = http.request;
  http.request = (...all) => { // while the client waits for its second try
    return send(...all).once('response', () => setTimeout(() => {
      for (const end = performance.now() + 800; performance.now() < end;);
    }, 10));
  };
  ends.push(() => (http.request = send));
  await assert.rejects(client.decide(), (err) => err.status === 503);
  await client.close();
});
