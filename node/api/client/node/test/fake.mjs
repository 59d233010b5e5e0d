// A peer for tests, which does as it is told: it keeps decisions and rewards by id as
// peerd does, and loses, delays or refuses what a plan says.

import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

export const DELAY = 600; // milliseconds of a slow answer

const codes = { 401: 'unauthorized', 404: 'unknown', 409: 'conflict', 410: 'expired', 422: 'invalid', 500: 'internal', 503: 'unavailable', 507: 'full' };

function problem(status) {
  const errors = status === 422 ? { errors: [{ location: 'body.value', message: 'is wrong' }] } : {};
  return { status, doc: { title: 'A Title', status, detail: 'body.value: is wrong', code: codes[status], ...errors } };
}

// plan is what becomes of the next requests, in order: 'ok'; 'drop' closes before anything
// is taken, 'lose' after; 'half' breaks off in the answer; 'slow' answers late; a number
// answers that status; 'text' answers without a problem. items holds statuses that items of
// batches get first, by id.
export class Fake {
  plan = [];
  items = {};
  decisions = new Map();
  rewards = new Map();
  asked = []; // bodies, or paths, of all requests in order
  connections = 0;
  token = '';

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
      if (!repeated) {
        this.decisions.set(body.id, { id: body.id, action: 'mail', propensity: 0.5, source: 'learned', model: '1-1-1', counted: true, repeated, expires_at: '2026-11-21T14:10:00.123456789Z' });
      }
      return { status: 200, doc: { ...this.decisions.get(body.id), repeated } };
    }
    const duplicate = this.rewards.has(body.id);
    this.rewards.set(body.id, body.value);
    return { status: 200, doc: { id: body.id, duplicate, counted: true } };
  }

  async #act(request, response) {
    const parts = [];
    for await (const part of request) parts.push(part);
    const body = parts.length ? JSON.parse(Buffer.concat(parts)) : undefined;
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
    const text = plan === 'text' ? 'out of order' : JSON.stringify(answer.doc);
    response.writeHead(plan === 'text' ? 502 : answer.status, { 'Content-Length': Buffer.byteLength(text) });
    if (plan === 'half') return response.write(text.slice(0, 5), () => request.socket.destroy());
    response.end(text);
  }
}
