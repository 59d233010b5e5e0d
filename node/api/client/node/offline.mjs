// Decisions while the peer is down.

import { setTimeout as pause } from 'node:timers/promises';

import { Table } from './table.mjs';

/**
 * @typedef {import('./backlog.mjs').Backlog} Backlog
 * @typedef {import('./backlog.mjs').Waiting} Waiting
 * @typedef {import('./models.d.ts').Decision} Decision
 */

/**
 * The table that a client holds, and what became of its draws since the client was made.
 * @typedef {object} TableState
 * @property {string} version of the table; '' without one
 * @property {string} madeAt
 * @property {number} waiting decisions with something that the peer has not taken
 * @property {number} drawn decisions
 * @property {number} reported of these, or of the file's, that the peer has taken
 * @property {number} rewarded rewards that had to wait, and that the peer has taken
 * @property {number} expired dropped because the peer refused them as too old: decisions with their rewards, or rewards
 * @property {number} refused dropped because the peer refused them for another reason
 * @property {number} full decisions that were not drawn and rewards that were not kept: too many wait, or the disk refused them
 * @property {string} problem the last
 */

/**
 * One try, in so many milliseconds: the status and document of the answer, or undefined if there is none.
 * @typedef {(method: string, path: string, body: unknown, timeout: number) => Promise<{status: number, doc: any} | undefined>} Send
 */

export const AGAIN = [500, 503, 507]; // statuses after which another try may succeed
const BATCH = 100; // items of a request
const ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** @type {TableState} */
export const NO_TABLE = Object.freeze({ version: '', madeAt: '', waiting: 0, drawn: 0, reported: 0, rewarded: 0, expired: 0, refused: 0, full: 0, problem: '' });

/** Draws decisions from the newest table, keeps them and rewards, and reports them when the peer answers. */
export class Offline {
  down = false;
  #send;
  #timeout;
  #every;
  #counts = { ...NO_TABLE };
  #batch = { decisions: BATCH, rewards: BATCH };
  #stopped = false;
  #wake = () => {};
  /** @type {Promise<boolean> | undefined} */
  #reporting;

  /**
   * @param {Backlog} backlog
   * @param {Send} send
   * @param {number} timeout
   * @param {number} every
   */
  constructor(backlog, send, timeout, every) {
    this.backlog = backlog;
    this.#counts.problem = backlog.problem;
    this.#send = send;
    this.#timeout = timeout;
    this.#every = every;
    void this.#run();
  }

  /** @returns {TableState} */
  state() {
    const { table, waiting } = this.backlog;
    return { ...this.#counts, version: table?.version ?? '', madeAt: table?.madeAt ?? '', waiting: waiting.size };
  }

  /**
   * The decision that was drawn with an id and that the peer may not have.
   * @param {string} id
   */
  remembered(id) {
    const w = this.backlog.waiting.get(id);
    return w?.ask && decision(id, w, w.ask.table, true);
  }

  /**
   * Draws and keeps a decision; undefined if that cannot be, which is counted the last time. It has the id of the ask.
   * If the peer has decided with it, and the answer was lost, the peer refuses the drawn one: one ask makes one record
   * of a user.
   * @param {Record<string, any> & {id: string}} ask
   * @returns {Promise<Decision | undefined>}
   */
  async draw(ask, last = true) {
    const { table } = this.backlog;
    /** @type {{id: string, features?: unknown}[] | undefined} */
    const named = ask.actions?.map((/** @type {any} */ a) => (typeof a === 'string' ? { id: a } : a));
    const plain = !ask.features && !ask.context && !ask.taken && !named?.some((a) => a.features);
    if (this.#stopped || !table || !plain) return undefined;
    const { id } = ask;
    const found = table.draw(id, ask.exclude, named?.map((a) => a.id));
    if (!found || !ID.test(id)) return undefined;
    let problem = 'too many decisions wait for the peer';
    const kept = await this.backlog.drawn({ ...ask, table: table.version }, found.action, found.propensity).catch((err) => {
      problem = String(err);
      return false;
    });
    if (kept) {
      this.#counts.drawn++;
      return decision(id, found, table.version, false);
    }
    if (this.backlog.waiting.has(id)) return this.remembered(id);
    if (last) this.#full(problem);
    return undefined;
  }

  /**
   * Keeps a reward to report it later, which is counted if it cannot be, the last time.
   * @param {Record<string, any> & {id: string}} reward
   */
  async keep(reward, last = true) {
    let problem = 'too many rewards wait for the peer';
    const kept = !this.#stopped && await this.backlog.reward(reward).catch((err) => {
      problem = String(err);
      return false;
    });
    if (!kept && last) this.#full(problem);
    return kept;
  }

  /**
   * Reports until the deadline, and returns what is left.
   * @param {number} deadline
   * @returns {Promise<Waiting[]>}
   */
  async close(deadline) {
    const end = performance.now() + deadline;
    const stay = setInterval(() => {}, 1000); // its requests do not keep the program
    this.#stopped = true;
    this.#wake();
    try {
      while (!(await this.report(end)) && performance.now() + 100 < end) await pause(100);
      await this.backlog.close();
    } finally {
      clearInterval(stay);
    }
    return [...this.backlog.waiting.values()];
  }

  /** @param {string} problem */
  #full(problem) {
    this.#counts.full++;
    this.#counts.problem = problem;
  }

  async #run() {
    for (let due = 0; !this.#stopped;) {
      let answered = true;
      try {
        if (this.down || performance.now() >= due) {
          answered = await this.#fetch();
          if (answered) due = performance.now() + this.#every;
        }
        if (answered && this.backlog.waiting.size) answered = await this.report(performance.now() + this.#timeout);
        this.down &&= !answered;
      } catch (err) { // of an answer that is no peer's
        this.#counts.problem = String(err);
      }
      if (this.#stopped) return;
      await new Promise((done) => {
        const timer = setTimeout(done, Math.min(1000, this.#every));
        timer.unref(); // a program may end while it waits
        this.#wake = () => done(clearTimeout(timer));
      });
    }
  }

  /** Asks for the newest table, and reports whether the peer answered. */
  async #fetch() {
    const answer = await this.#send('GET', '/v1/table', undefined, this.#timeout);
    if (!answer || AGAIN.includes(answer.status)) return false;
    const { status, doc } = answer;
    const old = this.backlog.table;
    if (status !== 200) {
      this.#counts.problem = `no table: ${doc?.detail}`;
      if (old && [404, 422].includes(status)) await this.backlog.add({ table: null }); // the peer has none now
      return true;
    }
    try {
      if (new Table(doc).version !== old?.version) await this.backlog.add({ table: doc });
    } catch (err) {
      this.#counts.problem = `GET /v1/table: ${err}`;
    }
    return true;
  }

  /**
   * Reports what waits, and whether the peer has answered for all of it. One report is made at a time.
   * @param {number} end
   * @returns {Promise<boolean>}
   */
  async report(end) {
    while (this.#reporting) await this.#reporting;
    this.#reporting = this.#report(end).finally(() => (this.#reporting = undefined));
    return this.#reporting;
  }

  /** @param {number} end */
  async #report(end) {
    for (;;) {
      const asks = this.backlog.decisions(this.#batch.decisions);
      if (asks.length && !(await this.#post('decisions', asks, end))) return false;
      const rewards = this.backlog.rewards(this.#batch.rewards);
      if (rewards.length && !(await this.#post('rewards', rewards, end))) return false;
      if (!asks.length && !rewards.length) return true;
    }
  }

  /**
   * @param {'decisions' | 'rewards'} name
   * @param {any[]} items
   * @param {number} end
   */
  async #post(name, items, end) {
    const left = Math.min(this.#timeout, end - performance.now());
    const answer = left > 0 ? await this.#send('POST', `/v1/${name}/batch`, { [name]: items }, left) : undefined;
    if (!answer || AGAIN.includes(answer.status)) return false;
    const { status, doc } = answer;
    if ([401, 403].includes(status)) { // all of it; a person has to do something
      this.#counts.problem = String(doc?.detail);
      return false;
    }
    if (status !== 200 && items.length > 1) { // too large, or an item spoils it
      this.#batch[name] = Math.trunc(items.length / 2);
      return true;
    }
    this.#batch[name] = status === 200 ? BATCH : 1;
    const outcomes = status === 200 ? doc?.outcomes : [{ status, problem: doc }];
    if (outcomes?.length !== items.length) return false;
    let all = true;
    for (const [i, item] of items.entries()) all = (await this.#took(name, item, outcomes[i])) && all;
    return all;
  }

  /**
   * Ends what the peer has answered for, and reports whether it has.
   * @param {string} name
   * @param {any} item
   * @param {any} outcome
   */
  async #took(name, { id }, outcome) {
    let { status, decision: d, receipt, problem } = outcome ?? {};
    const result = status === 200 ? (name === 'rewards' ? receipt : d) : problem;
    if (!Number.isInteger(status) || AGAIN.includes(status) || (status === 200 ? result?.id !== id : !result?.code)) return false;
    let detail = problem?.detail;
    if (name === 'decisions' && status === 200) {
      const w = this.backlog.waiting.get(id);
      if (d.source === 'table' && d.action === w?.action && d.propensity === w?.propensity) {
        this.#counts.reported++;
        return this.backlog.add({ taken: id });
      }
      [status, detail] = [409, 'the peer has made another decision'];
    }
    if (status === 200) this.#counts.rewarded++;
    else {
      this.#counts[status === 410 ? 'expired' : 'refused']++;
      this.#counts.problem = `${id}: ${detail}`;
    }
    return this.backlog.add(name === 'rewards' ? { rewarded: id } : { dropped: { id, status } });
  }
}

/**
 * @param {string} id
 * @param {{action: string, propensity: number}} drawn
 * @param {string} version
 * @param {boolean} repeated
 * @returns {Decision}
 */
function decision(id, { action, propensity }, version, repeated) {
  return { id, action, propensity, source: 'table', model: version, counted: true, repeated, expires_at: '' };
}
