// A client for peerd: which action, and what came of it.
//
//   const peer = new Client({ dir: 'hospital-a' });       // or { url, tokenFile }
//   const d = await peer.decide({ subject: 'patient-17', fallback: 'usual-care' });
//   …
//   if (d.id) await peer.reward(d.id, 1);
//
// A request that gets no answer, or 500, 503 or 507, is sent again with the same id until
// the deadline, and counts once however often it was sent.

import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * @typedef {import('./models.d.ts').Arm} Arm
 * @typedef {import('./models.d.ts').Ask} Ask
 * @typedef {import('./models.d.ts').Decision} Decision
 * @typedef {import('./models.d.ts').Flaw} Flaw
 * @typedef {import('./models.d.ts').Peer} Peer
 * @typedef {import('./models.d.ts').Problem} Problem
 * @typedef {import('./models.d.ts').Receipt} Receipt
 * @typedef {import('./models.d.ts').Reward} Reward
 * @typedef {import('./models.d.ts').Status} Status
 * @typedef {Omit<Decision, 'source'> & {source: 'client-fallback'}} Fallback what no peer decided; its id is ''
 */

const AGAIN = [500, 503, 507]; // statuses after which another try may succeed

/** Why a method has nothing to return. */
export class PeerdError extends Error {
  get name() {
    return this.constructor.name;
  }
}

/** No answer by the deadline. Whether the peer took the request is not known. */
export class Unreachable extends PeerdError {}

/** The peer answered with a problem; docs/api.md has a table of their codes. */
export class Refused extends PeerdError {
  /** @param {Problem} problem */
  constructor({ status, code, detail, errors = [] }) {
    super(`${status} ${code}: ${detail}`);
    this.status = status;
    this.code = code;
    this.detail = detail;
    /** @type {Flaw[]} */
    this.fields = errors;
  }
}

/** 404: the peer has no such decision. */
export class Unknown extends Refused {}

/** 409: decided or rewarded otherwise before, and that stands. */
export class Conflict extends Refused {}

/** 410: the time for this reward is over. */
export class Expired extends Refused {}

/**
 * Asks the peer of a folder over its socket, or the one at a URL with a token; of neither,
 * the one that PEERD_URL and PEERD_TOKEN_FILE name. A try waits up to timeout milliseconds
 * for its peer; a call with all its tries ends by the deadline.
 */
export class Client {
  #where;
  #tokenFile;
  #timeout;
  #deadline;
  #agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

  /** @param {{url?: string, tokenFile?: string, dir?: string, timeout?: number, deadline?: number}} [options] */
  constructor({ url, tokenFile, dir, timeout = 2000, deadline = 5000 } = {}) {
    const { protocol, hostname, port } = new URL(url ?? (process.env.PEERD_URL || 'http://127.0.0.1:8470'));
    if (!dir && protocol !== 'http:') throw new TypeError(`${url} is no URL such as http://127.0.0.1:8470`);
    this.#where = dir ? { socketPath: join(dir, 'peerd.sock') } : { host: hostname.replace(/[[\]]/g, ''), port: port || 80 };
    this.#tokenFile = dir ? undefined : tokenFile ?? process.env.PEERD_TOKEN_FILE;
    this.#timeout = timeout;
    this.#deadline = deadline;
  }

  /**
   * Chooses an action. It is the fallback, if there is one, when the peer does not answer
   * by the deadline; such a decision has no id, and no reward to report.
   * @param {Ask & {fallback?: string}} [ask]
   * @returns {Promise<Decision | Fallback>}
   */
  async decide({ fallback, ...rest } = {}) {
    const ask = named(rest);
    try {
      return await this.#call('POST', '/v1/decisions', ask);
    } catch (err) {
      return instead(err, ask, fallback);
    }
  }

  /**
   * Reports the reward of a decision, in the network's range: from 0 to 1, unless it has another
   * one. With end, later reports are refused, and the value may be undefined. A report has an id
   * of its own where rewards add up (api.reward: sum).
   * @param {string} id
   * @param {number} [value]
   * @param {{end?: boolean, report?: string}} [more]
   * @returns {Promise<Receipt>}
   */
  async reward(id, value, more = {}) {
    if (!id) throw new TypeError('a decision without an id, such as a fallback, has no reward');
    return this.#call('POST', '/v1/rewards', { id, value, ...more });
  }

  /**
   * Which actions? For 1 to 1,000 asks, in order; a Refused stands for one that has no
   * decision.
   * @param {Ask[]} asks
   * @param {{fallback?: string}} [options]
   * @returns {Promise<(Decision | Fallback | Refused)[]>}
   */
  async decideBatch(asks, { fallback } = {}) {
    const all = asks.map(named);
    try {
      const results = await this.#batch('decisions', all, 'decision');
      return results.map((r, i) => (r instanceof Refused && fallback && AGAIN.includes(r.status) ? instead(r, all[i], fallback) : r));
    } catch (err) {
      return all.map((ask) => instead(err, ask, fallback));
    }
  }

  /**
   * These were the rewards. For 1 to 1,000, in order, as with decideBatch.
   * @param {Reward[]} rewards
   * @returns {Promise<(Receipt | Refused)[]>}
   */
  async rewardBatch(rewards) {
    return this.#batch('rewards', rewards, 'receipt');
  }

  /** @returns {Promise<Status>} */
  async status() {
    return this.#call('GET', '/v1/status');
  }

  /** @returns {Promise<Arm[]>} */
  async arms() {
    return this.#call('GET', '/v1/arms');
  }

  /** @returns {Promise<Peer[]>} */
  async peers() {
    return this.#call('GET', '/v1/peers');
  }

  /** Closes all connections. */
  close() {
    this.#agent.destroy();
  }

  /**
   * The time that each try has, with pauses between them, until the end.
   * @param {number} end
   */
  async *#tries(end) {
    yield Math.max(1, Math.min(this.#timeout, end - performance.now()));
    for (let wait = 50; performance.now() + wait < end; wait = Math.min(2 * wait, 1000)) {
      await pause(wait * (0.5 + Math.random() / 2));
      yield Math.min(this.#timeout, end - performance.now());
    }
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   * @returns {Promise<any>}
   */
  async #call(method, path, body, end = performance.now() + this.#deadline) {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    /** @type {PeerdError} */
    let error = new Unreachable('no time to ask');
    for await (const timeout of this.#tries(end)) {
      try {
        const { status, text } = await this.#send(method, path, sent, timeout);
        if (status === 200) return JSON.parse(text);
        error = refused(status, text);
        if (!AGAIN.includes(status)) break;
      } catch (cause) {
        error = new Unreachable(`${method} ${path}: ${cause}`, { cause });
      }
    }
    throw error;
  }

  /**
   * Sends items, and those again whose own status says so.
   * @param {string} name
   * @param {any[]} items
   * @param {string} key
   */
  async #batch(name, items, key) {
    /** @type {any[]} */
    const results = items.map(() => undefined);
    const end = performance.now() + this.#deadline;
    let todo = [...items.keys()];
    if (todo.length === 0) return results;
    for await (const _ of this.#tries(end)) {
      let outcomes;
      try {
        ({ outcomes } = await this.#call('POST', `/v1/${name}/batch`, { [name]: todo.map((i) => items[i]) }, end));
      } catch (err) {
        if (results.includes(undefined)) throw err; // it was the first
        break;
      }
      todo.forEach((i, n) => (results[i] = outcomes[n].status === 200 ? outcomes[n][key] : typed(outcomes[n].problem)));
      todo = todo.filter((i) => results[i] instanceof Refused && AGAIN.includes(results[i].status));
      if (todo.length === 0) break;
    }
    return results;
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {string | undefined} body
   * @param {number} timeout
   * @returns {Promise<{status: number, text: string}>}
   */
  async #send(method, path, body, timeout) {
    /** @type {Record<string, string | number>} */
    const headers = {};
    if (body !== undefined) Object.assign(headers, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
    // Read each time, as a new token is made when it is removed.
    if (this.#tokenFile) headers.Authorization = `Bearer ${(await readFile(this.#tokenFile, 'utf8')).trim()}`;
    const signal = AbortSignal.timeout(Math.ceil(timeout)); // closes the connection, or a late answer would be the next one's
    return new Promise((resolve, reject) => {
      const request = http.request({ ...this.#where, agent: this.#agent, method, path, headers, signal }, async (answer) => {
        try {
          const parts = [];
          for await (const part of answer) parts.push(part);
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() });
        } catch (err) {
          reject(err);
        }
      });
      request.on('error', reject);
      request.end(body);
    });
  }
}

/**
 * With an id of ours, made before the first try.
 * @param {Ask} ask
 */
function named(ask) {
  return { ...ask, id: ask.id ?? randomUUID() };
}

/**
 * The fallback, unless the fault is the program's.
 * @param {unknown} err
 * @param {Ask} ask
 * @param {string} [fallback]
 * @returns {Fallback}
 */
function instead(err, ask, fallback) {
  if (fallback === undefined || !(err instanceof PeerdError) || (err instanceof Refused && !AGAIN.includes(err.status))) throw err;
  if (ask.exclude?.includes(fallback)) throw new TypeError(`the fallback ${fallback} is excluded`, { cause: err });
  return { id: '', action: fallback, propensity: 1, source: 'client-fallback', model: '', counted: false, repeated: false, expires_at: '' };
}

/**
 * @param {number} status
 * @param {string} text
 */
function refused(status, text) {
  try {
    return typed(JSON.parse(text));
  } catch { // of the HTTP server itself, in text
    return new Refused({ title: '', status, code: '', detail: text });
  }
}

/** @param {Problem} problem */
function typed(problem) {
  const kinds = new Map([['unknown', Unknown], ['conflict', Conflict], ['expired', Expired]]);
  return new (kinds.get(problem.code) ?? Refused)(problem);
}
