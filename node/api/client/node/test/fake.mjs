// A peer for tests, which does as it is told: it keeps decisions and rewards by id as
// peerd does, and loses, delays or refuses what a plan says.

import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

import { Table } from '../table.mjs';

export const DELAY = 600; // milliseconds of a slow answer

const codes = { 401: 'unauthorized', 404: 'unknown', 409: 'conflict', 410: 'expired', 422: 'invalid', 500: 'internal', 503: 'unavailable', 507: 'full' };

function problem(status) {
  const errors = status === 422 ? { errors: [{ location: 'body.value', message: 'is wrong' }] } : {};
  return { status, doc: { title: 'A Title', status, detail: 'body.value: is wrong', code: codes[status], ...errors } };
}

// plan is what becomes of the next requests, in order: 'ok'; 'drop' closes before anything
// is taken, 'lose' after; 'half' breaks off in the answer; 'slow' answers late; a number
// answers that status; 'text' answers without a problem. items holds statuses that items of
// batches get first, by id. While it is dead it answers nothing; table is its newest, and tables
// holds those that it has not forgotten. Requests for the table are not planned, and not in asked.
export class Fake {
  plan = [];
  items = {};
  decisions = new Map();
  rewards = new Map();
  asked = []; // bodies, or paths, of all requests in order
  connections = 0;
  token = '';
  dead = false;
  table = undefined;
  tables = new Map();

  // Makes the newest table.
  offer(version, weights) {
    const actions = Object.entries(weights).map(([name, weight]) => ({ name, weight }));
    this.table = { version, model: '1-2-3', salt: `s${version}`, made_at: '2026-11-21T14:10:00Z', actions };
    this.tables.set(version, new Table(this.table));
  }

  // Listens on a free port, or on a socket.
  static async start(path) {
    const fake = new Fake();
    fake.server = http.createServer((request, response) => fake.#act(request, response));
    fake.server.on('connection', () => fake.connections++);
    await new Promise((done) => fake.server.listen(path ?? { port: 0, host: '127.0.0.1' }, done));
    if (!path) fake.url = `http://127.0.0.1:${fake.server.address().port}`;
    return fake;
  }

  close() {
    this.server.close();
    this.server.closeAllConnections();
  }

  #one(path, body) {
    const statuses = this.items[body.id];
    if (statuses?.length) return problem(statuses.shift());
    if (path === '/v1/decisions') {
      const repeated = this.decisions.has(body.id);
      let [drawn, source] = [{ action: body.actions?.[0].id ?? body.actions?.[0] ?? 'mail', propensity: 0.5 }, 'learned'];
      if (body.table) {
        if (!this.tables.has(body.table)) return problem(410);
        [drawn, source] = [this.tables.get(body.table).draw(body.id, body.exclude, body.actions), 'table'];
        if (repeated && this.decisions.get(body.id).source !== source) return problem(409);
      }
      if (!repeated) {
        this.decisions.set(body.id, { id: body.id, ...drawn, source, model: '1-1-1', counted: true, ...(body.keep && { kept: true }), repeated, expires_at: '2026-11-21T14:10:00.123456789Z' });
      }
      return { status: 200, doc: { ...this.decisions.get(body.id), repeated } };
    }
    if (this.table && !this.decisions.has(body.id)) return problem(404);
    const duplicate = this.rewards.has(body.id);
    if (duplicate && this.rewards.get(body.id) !== body.value && !body.end && !body.report) return problem(409);
    if (!body.end) this.rewards.set(body.id, body.value);
    return { status: 200, doc: { id: body.id, duplicate, counted: true } };
  }

  async #act(request, response) {
    const parts = [];
    for await (const part of request) parts.push(part);
    const body = parts.length ? JSON.parse(Buffer.concat(parts)) : undefined;
    if (this.dead) return request.socket.destroy();
    if (request.url === '/v1/table') return this.#answer(response, this.table ? { status: 200, doc: this.table } : problem(422));
    this.asked.push(body ?? request.url);
    const plan = this.plan.shift() ?? 'ok';
    if (plan === 'drop') return request.socket.destroy();
    let answer;
    if (this.token && request.headers.authorization !== `Bearer ${this.token}`) answer = problem(401);
    else if (typeof plan === 'number') answer = problem(plan);
    else if (!body) answer = { status: 200, doc: [{ name: 'mail', pulls: 3, estimate: 0.5, samples: 2, noise_sd: 0.1, own: 2, borrowed: 1, borrowed_sites: 1 }] };
    else if (request.url.endsWith('/batch')) {
      const [key, word] = body.decisions ? ['decisions', 'decision'] : ['rewards', 'receipt'];
      const outcomes = body[key].map((b) => this.#one(`/v1/${key}`, b));
      answer = { status: 200, doc: { outcomes: outcomes.map(({ status, doc }) => ({ status, [status === 200 ? word : 'problem']: doc })) } };
    } else answer = this.#one(request.url, body);
    if (plan === 'lose') return request.socket.destroy();
    if (plan === 'slow') await pause(DELAY);
    this.#answer(response, answer, plan);
  }

  #answer(response, answer, plan) {
    const text = plan === 'text' ? 'out of order' : JSON.stringify(answer.doc);
    response.writeHead(plan === 'text' ? 502 : answer.status, { 'Content-Length': Buffer.byteLength(text) });
    if (plan === 'half') return response.write(text.slice(0, 5), () => response.socket.destroy());
    response.end(text);
  }
}
