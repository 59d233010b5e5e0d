// A client for peerd: which action, and what came of it.
//
//   const peer = new Client({ dir: 'hospital-a' });       // or { url, tokenFile }
//   const d = await peer.decide({ subject: 'patient-17', fallback: 'usual-care' });
//   …
//   if (d.id) await peer.reward(d.id, 1);
//
// A request that gets no answer, or 500, 503 or 507, is sent again with the same id until
// the deadline, and counts once however often it was sent.
//
//   const peer = new Client({ dir: 'hospital-a', table: '/var/lib/app/peerd.jsonl' });
//
// decides by the peer's newest table while the peer is down, and reports what was decided and
// its rewards when the peer answers again.

import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { Backlog } from './backlog.mjs';
import { AGAIN, NO_TABLE, Offline } from './offline.mjs';

const MOST = 8 * 2 ** 20; // bytes of an answer
const MISTAKES = [400, 409, 413, 415, 422]; // statuses of a request that is wrong, whichever peer has it

/**
 * @typedef {import('./backlog.mjs').Waiting} Waiting
 * @typedef {import('./offline.mjs').TableState} TableState
 * @typedef {import('./models.d.ts').Action} Action
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

/**
 * What decide takes beyond an Ask: names of the network's actions, for learners without features; what the application
 * took, in shadow mode; what to do without an answer; and to draw from the table at once.
 * @typedef {Omit<Ask, 'actions' | 'taken'> & {
 *   actions?: Action[] | string[], taken?: {action: string, propensity: number}, fallback?: string, offline?: boolean}} Question
 */

/** Why a method has nothing to return. */
export class PeerdError extends Error {
  get name() {
    return this.constructor.name;
  }
}

/** The token file has no token, so nothing was sent. */
export class BadToken extends PeerdError {}

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
 *
 * With table the client asks for the peer's newest table every tableEvery milliseconds. When no
 * answer comes by the deadline, it decides by the table, and keeps these decisions and rewards,
 * of at most queue decisions, to report them later. If table is the path of a file, they and
 * the table are kept in it. A second client of a file is refused.
 */
export class Client {
  #where;
  #tokenFile;
  #timeout;
  #deadline;
  #agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

  /** @type {Offline | undefined} */
  #offline;

  /**
   * @param {{url?: string, tokenFile?: string, dir?: string, timeout?: number, deadline?: number,
   *   table?: boolean | string, tableEvery?: number, queue?: number}} [options]
   */
  constructor({ url, tokenFile, dir, timeout = 2000, deadline = 5000, table = false, tableEvery = 60000, queue = 10000 } = {}) {
    const { protocol, hostname, port } = new URL(url ?? (process.env.PEERD_URL || 'http://127.0.0.1:8470'));
    if (!dir && protocol !== 'http:') throw new TypeError(`${url} is no URL such as http://127.0.0.1:8470`);
    this.#where = dir ? { socketPath: join(dir, 'peerd.sock') } : { host: hostname.replace(/[[\]]/g, ''), port: port || 80 };
    this.#tokenFile = dir ? undefined : tokenFile ?? process.env.PEERD_TOKEN_FILE;
    this.#timeout = timeout;
    this.#deadline = deadline;
    if (!table) return;
    const backlog = new Backlog(table === true ? undefined : table, queue);
    this.#offline = new Offline(backlog, (...request) => this.#once(...request), timeout, tableEvery);
  }

  /**
   * Chooses an action. When the peer does not answer by the deadline, and at once if offline, the
   * decision is drawn from the table, if there is one; its model is the table's version.
   * Otherwise it is the fallback, which has no id, and no reward to report.
   * @param {Question} [ask]
   * @returns {Promise<Decision | Fallback>}
   */
  async decide({ fallback, offline = false, ...rest } = {}) {
    const ask = named(rest);
    try {
      return (await this.#early(ask, offline)) ?? (await this.#asked(await this.#call('POST', '/v1/decisions', ask, (d) => decided(d, ask))));
    } catch (err) {
      return this.#instead(err, ask, fallback, !offline);
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
    /** @type {any} an end may have no value */
    const doc = { id, value, ...more };
    try {
      return (await this.#kept(doc)) ?? (await this.#call('POST', '/v1/rewards', doc, (r) => about(r, doc)));
    } catch (err) {
      return this.#later(err, doc);
    }
  }

  /**
   * Which actions? For 1 to 1,000 asks, in order; a Refused stands for one that has no
   * decision.
   * @param {Omit<Question, 'fallback' | 'offline'>[]} asks
   * @param {{fallback?: string}} [options]
   * @returns {Promise<(Decision | Fallback | Refused)[]>}
   */
  async decideBatch(asks, { fallback } = {}) {
    const all = asks.map(named);
    /** @type {any[]} */
    const results = [];
    for (const ask of all) results.push(await this.#early(ask));
    const last = (/** @type {unknown} */ err, /** @type {number} */ i) => this.#instead(err, all[i], fallback);
    await this.#rest(results, last, (todo) => this.#batch('decisions', todo.map((i) => all[i]), 'decision', decided));
    for (const r of results) if (r.source !== 'table' && !(r instanceof Refused)) await this.#asked(r);
    return results;
  }

  /**
   * These were the rewards. For 1 to 1,000, in order, as with decideBatch.
   * @param {Reward[]} rewards
   * @returns {Promise<(Receipt | Refused)[]>}
   */
  async rewardBatch(rewards) {
    /** @type {any[]} */
    const results = [];
    for (const doc of rewards) {
      results.push(await this.#kept(doc).catch((err) => itself(err, err instanceof Refused && err, err)));
    }
    const last = (/** @type {unknown} */ err, /** @type {number} */ i) => this.#later(err, rewards[i]);
    await this.#rest(results, last, (todo) => this.#batch('rewards', todo.map((i) => rewards[i]), 'receipt', about));
    return results;
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

  /**
   * The table that the client holds, and what became of its draws.
   * @returns {TableState}
   */
  table() {
    return this.#offline?.state() ?? NO_TABLE;
  }

  /**
   * Reports what waits for the peer, until the deadline, closes all connections, and returns what is left; a file
   * still has it. The client then decides by no table any more.
   * @returns {Promise<Waiting[]>}
   */
  async close() {
    const left = this.#offline ? await this.#offline.close(this.#deadline) : [];
    this.#agent.destroy();
    return left;
  }

  /**
   * A decision for which the peer is not asked: it was drawn before, the call says so, or no answer is expected.
   * @param {any} ask
   * @returns {Promise<any>}
   */
  async #early(ask, offline = false) {
    if (!this.#offline) {
      if (offline) throw new Unreachable('offline, and the client was made without a table');
      return undefined;
    }
    const before = this.#offline.remembered(ask.id);
    if (before) return before;
    const drawn = offline || this.#offline.down ? await this.#offline.draw(ask, offline) : undefined;
    if (offline && !drawn) throw new Unreachable(`offline, and nothing is drawn: ${this.#offline.state().problem || 'there is no table yet'}`);
    return drawn;
  }

  /**
   * A decision by the table or the fallback, unless the fault is the program's.
   * @param {unknown} err
   * @param {any} ask
   * @param {string} [fallback]
   * @returns {Promise<any>}
   */
  async #instead(err, ask, fallback, draw = true) {
    if (!(err instanceof PeerdError)) throw err;
    const drawn = draw && !(err instanceof Refused && !AGAIN.includes(err.status)) ? await this.#offline?.draw(ask) : undefined;
    if (drawn && this.#offline) {
      this.#offline.down = true;
      return drawn;
    }
    if (fallback === undefined || (err instanceof Refused && MISTAKES.includes(err.status))) throw err;
    if (ask.exclude?.includes(fallback)) throw new TypeError(`the fallback ${fallback} is excluded`, { cause: err });
    return { id: '', action: fallback, propensity: 1, source: 'client-fallback', model: '', counted: false, repeated: false, expires_at: '' };
  }

  /**
   * The peer's decision, also with an id that it refused before.
   * @param {Decision} d
   */
  async #asked(d) {
    if (this.#offline?.backlog.dropped.has(d.id)) await this.#offline.backlog.add({ asked: d.id });
    return d;
  }

  /**
   * A receipt of a reward that has to wait: its decision does, or no answer is expected.
   * @param {Reward} reward
   * @returns {Promise<Receipt | undefined>}
   */
  async #kept(reward) {
    if (!this.#offline) return undefined;
    const status = this.#offline.backlog.dropped.get(reward.id);
    if (status) { // the peer may have another decision with this id
      throw typed({ title: '', code: status === 410 ? 'expired' : 'conflict', detail: 'the peer has refused the decision' }, status);
    }
    const waits = this.#offline.backlog.waiting.has(reward.id);
    if (!waits && !this.#offline.down) return undefined;
    if (await this.#offline.keep(reward, waits)) return receipt(reward);
    if (waits) throw new Unreachable('too many rewards wait for the peer');
    return undefined;
  }

  /**
   * A receipt of a reward that is kept because no answer came.
   * @param {unknown} err
   * @param {Reward} reward
   * @returns {Promise<any>}
   */
  async #later(err, reward) {
    const final = !(err instanceof PeerdError) || (err instanceof Refused && !AGAIN.includes(err.status));
    if (!this.#offline || final || !(await this.#offline.keep(reward))) throw err;
    this.#offline.down = true;
    return receipt(reward);
  }

  /**
   * The missing results of a batch. Without an answer, what is drawn or kept stands, so that the error is the other
   * items', if there are others.
   * @param {any[]} results
   * @param {(err: unknown, i: number) => Promise<any>} last
   * @param {(places: number[]) => Promise<any[]>} ask
   */
  async #rest(results, last, ask) {
    const todo = [...results.keys()].filter((i) => !results[i]);
    /** @type {any} */
    let whole;
    const answers = await ask(todo).catch((err) => {
      whole = err;
      return /** @type {any[]} */ ([]);
    });
    if (whole && !(whole instanceof PeerdError)) throw whole;
    const missing = whole instanceof Unreachable ? new Refused({ title: '', status: 503, code: 'unavailable', detail: whole.message }) : whole;
    for (const [n, i] of todo.entries()) {
      const r = (results[i] = whole ? missing : answers[n]);
      if (whole || (r instanceof Refused && AGAIN.includes(r.status))) results[i] = await last(whole ?? r, i).catch((err) => itself(err, whole ?? r, r));
    }
    if (whole && results.every((r) => r === missing)) throw whole;
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} body
   * @param {number} timeout
   */
  async #once(method, path, body, timeout) {
    try {
      const { status, text } = await this.#send(method, path, body === undefined ? undefined : JSON.stringify(body), timeout, true);
      return { status, doc: JSON.parse(text) };
    } catch {
      return undefined;
    }
  }

  /**
   * The time that each try has, with pauses between them, until the end.
   * @param {number} end
   */
  async *#tries(end) {
    yield Math.max(1, Math.min(this.#timeout, end - performance.now()));
    for (let wait = 50; performance.now() + wait < end; wait = Math.min(2 * wait, 1000)) {
      await pause(wait * (0.5 + Math.random() / 2));
      if (performance.now() >= end) return; // a busy program was late
      yield Math.max(1, Math.min(this.#timeout, end - performance.now()));
    }
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   * @param {(doc: any) => any} [read] throws if the answer is none
   * @returns {Promise<any>}
   */
  async #call(method, path, body, read = (doc) => doc, end = performance.now() + this.#deadline) {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    /** @type {PeerdError} */
    let error = new Unreachable('no time to ask');
    for await (const timeout of this.#tries(end)) {
      try {
        const { status, text } = await this.#send(method, path, sent, timeout);
        if (status === 200) return read(JSON.parse(text));
        error = refused(status, text);
        if (!AGAIN.includes(status)) break;
      } catch (cause) {
        if (cause instanceof BadToken) throw cause;
        const { syscall, address } = /** @type {any} */ (cause);
        error = new Unreachable(syscall === 'connect' ? `no peer runs at ${address}` : `${method} ${path}: ${cause}`, { cause });
      }
    }
    throw error;
  }

  /**
   * Sends items, and those again whose own status says so.
   * @param {string} name
   * @param {any[]} items
   * @param {string} key
   * @param {(result: any, item: any) => any} read throws if the answer is none
   */
  async #batch(name, items, key, read) {
    /** @type {any[]} */
    const results = items.map(() => undefined);
    const end = performance.now() + this.#deadline;
    let todo = [...items.keys()];
    if (todo.length === 0) return results;
    for await (const _ of this.#tries(end)) {
      let outcomes;
      try {
        outcomes = await this.#call('POST', `/v1/${name}/batch`, { [name]: todo.map((i) => items[i]) }, (doc) => {
          if (doc.outcomes.length !== todo.length) throw new TypeError(`${doc.outcomes.length} outcomes of ${todo.length}`);
          return todo.map((i, n) => (doc.outcomes[n].status === 200 ? read(doc.outcomes[n][key], items[i]) : typed(doc.outcomes[n].problem, doc.outcomes[n].status)));
        }, end);
      } catch (err) {
        if (results.includes(undefined)) throw err; // it was the first
        break;
      }
      todo.forEach((i, n) => (results[i] = outcomes[n]));
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
   * @param {boolean} [aside] nobody waits for it
   * @returns {Promise<{status: number, text: string}>}
   */
  async #send(method, path, body, timeout, aside) {
    /** @type {Record<string, string | number>} */
    const headers = {};
    if (body !== undefined) Object.assign(headers, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
    // Read each time, as a new token is made when it is removed.
    if (this.#tokenFile) headers.Authorization = `Bearer ${await token(this.#tokenFile)}`;
    const signal = AbortSignal.timeout(Math.ceil(timeout)); // closes the connection, or a late answer would be the next one's
    return new Promise((resolve, reject) => {
      const request = http.request({ ...this.#where, agent: this.#agent, method, path, headers, signal }, async (answer) => {
        try {
          const parts = [];
          let size = 0;
          for await (const part of answer) {
            parts.push(part);
            if ((size += part.length) > MOST) throw new RangeError('the answer has over 8 MiB');
          }
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() });
        } catch (err) {
          reject(err);
        }
      });
      request.on('error', reject);
      if (aside) request.on('socket', (socket) => socket.unref()); // a program may end before the answer
      request.end(body);
    });
  }
}

/**
 * With an id of ours, made before the first try.
 * @param {Omit<Question, 'fallback' | 'offline'>} ask
 */
function named(ask) {
  return { ...ask, id: ask.id ?? randomUUID() };
}

/**
 * A result, if err is that one.
 * @template T
 * @param {unknown} err
 * @param {unknown} same
 * @param {T} result
 */
function itself(err, same, result) {
  if (err !== same) throw err;
  return result;
}

/**
 * @param {Reward} reward
 * @returns {Receipt}
 */
function receipt({ id }) {
  return { id, duplicate: false, counted: true };
}

/**
 * A decision; an answer about anything else is none.
 * @param {any} d
 * @param {any} ask
 */
function decided(d, ask) {
  const offered = ask.actions?.some((/** @type {any} */ a) => (a.id ?? a) === d.action) ?? true;
  if (typeof d.action !== 'string' || !d.action || ask.exclude?.includes(d.action) || !offered) throw new TypeError(`the answer has action ${d.action}`);
  return about(d, ask);
}

/**
 * @param {any} result
 * @param {any} item
 */
function about(result, { id }) {
  if (result.id !== id) throw new TypeError(`the answer is about ${result.id}`);
  return result;
}

/**
 * The token in a file. An error has no text of the file.
 * @param {string} path
 */
async function token(path) {
  const text = await readFile(path, 'utf8').catch(({ code }) => {
    throw new BadToken(`no token in ${path}: ${code}`);
  });
  const found = text.replace(/^\ufeff/, '').trim();
  if (/^[!-~]{1,512}$/.test(found)) return found;
  const why = !found ? 'it is empty' : text.includes('\0') ? 'it is not UTF-8' : found.includes('\n') ? 'it has more than one line' : 'its text is none';
  throw new BadToken(`no token in ${path}: ${why}`);
}

/**
 * @param {number} status
 * @param {string} text
 */
function refused(status, text) {
  try {
    return typed(JSON.parse(text), status);
  } catch { // of the HTTP server itself, in text
    return new Refused({ title: '', status, code: '', detail: text });
  }
}

/**
 * @param {any} problem
 * @param {number} status
 */
function typed(problem, status) {
  if (typeof problem.code !== 'string' || typeof problem.detail !== 'string') throw new TypeError('no problem');
  const kinds = new Map([['unknown', Unknown], ['conflict', Conflict], ['expired', Expired]]);
  return new (kinds.get(problem.code) ?? Refused)({ ...problem, status });
}
