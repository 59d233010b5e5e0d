// What the peer has not heard of yet.

import fs from 'node:fs';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';

import { Table } from './table.mjs';

const DROPPED = 1000; // ids that are remembered of those that the peer refused
const [write, sync, truncate] = [promisify(fs.write), promisify(fs.fsync), promisify(fs.ftruncate)];

/**
 * A decision that was drawn from a table, or one of the peer's, and rewards that the peer has not taken.
 * @typedef {object} Waiting
 * @property {(Record<string, any> & {id: string, table: string})=} ask what draws it again; missing if the peer made it
 * @property {string} action
 * @property {number} propensity
 * @property {boolean} taken the peer has the decision
 * @property {(Record<string, any> & {id: string})[]} rewards
 */

/**
 * Decisions and rewards until the peer has taken or refused them, and the newest table. With a file a line for each
 * is on disk before the application goes on; all states follow from lines. Lines are written one after another. No
 * other client may use the file. What it has of whole lines is read; if some are damaged, the file as it was is kept
 * under another name, and problem says so.
 */
export class Backlog {
  /** @type {Table | undefined} */
  table;
  /** @type {Map<string, Waiting>} */
  waiting = new Map();
  /** @type {Map<string, number>} statuses by id */
  dropped = new Map();
  problem = '';
  #path;
  #bound;
  #rewards = 0;
  #locked = false;
  /** @type {number | undefined} */
  #file;
  #size = 0;
  #lines = 0;
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  /**
   * @param {string | undefined} path
   * @param {number} bound
   */
  constructor(path, bound) {
    this.#path = path;
    this.#bound = bound;
    if (!path) return;
    lock(path);
    this.#locked = true;
    try {
      this.#open(path);
    } catch (err) {
      this.#release();
      throw err;
    }
  }

  /**
   * Applies a line. Only a line that must be on disk first, and is not, is an error: what others say is found out
   * again after a restart. If it no longer fits when its turn comes, it is not applied, and the result is false.
   * @param {Record<string, any>} line
   * @param {{durable?: boolean, fits?: () => boolean}} [options]
   * @returns {Promise<boolean>}
   */
  add(line, { durable = false, fits = () => true } = {}) {
    const done = this.#last.then(async () => {
      if (!fits()) return false;
      await this.#write(line, durable).catch((err) => {
        if (durable) throw err;
      });
      this.#apply(line);
      if (this.#path && this.#lines > 1000 + 4 * (this.waiting.size + this.#rewards + this.dropped.size)) {
        this.#lines = 0;
        try {
          this.#compact(this.#path);
        } catch { /* the longer file is right, too */ }
      }
      return true;
    });
    this.#last = done.catch(() => {});
    return done;
  }

  /**
   * Keeps a decision, unless there are too many.
   * @param {Record<string, any> & {id: string, table: string}} ask
   * @param {string} action
   * @param {number} propensity
   */
  drawn(ask, action, propensity) {
    const fits = () => !this.waiting.has(ask.id) && this.waiting.size < this.#bound;
    return this.add({ drawn: { ask, action, propensity } }, { durable: true, fits });
  }

  /**
   * Keeps a reward, unless there are too many.
   * @param {Record<string, any> & {id: string}} doc
   */
  reward(doc) {
    const fits = () => this.#rewards < this.#bound && (this.waiting.has(doc.id) || this.waiting.size < this.#bound);
    return this.add({ reward: doc }, { durable: true, fits });
  }

  /**
   * The oldest decisions that the peer does not have.
   * @param {number} most
   */
  decisions(most) {
    return [...this.waiting.values()].filter((w) => !w.taken).slice(0, most).map((w) => w.ask);
  }

  /**
   * The oldest rewards, one for each decision that the peer has.
   * @param {number} most
   */
  rewards(most) {
    return [...this.waiting.values()].filter((w) => w.taken && w.rewards.length).slice(0, most).map((w) => w.rewards[0]);
  }

  async close() {
    await this.#last;
    if (this.#file !== undefined) fs.closeSync(this.#file);
    this.#file = undefined;
    this.#release();
  }

  #release() {
    if (this.#locked) fs.rmSync(`${this.#path}.pid`, { force: true });
    this.#locked = false;
  }

  /**
   * @param {Record<string, any>} line
   * @param {boolean} durable
   */
  async #write(line, durable) {
    if (this.#file === undefined) return;
    const text = Buffer.from(JSON.stringify(line) + '\n');
    try {
      const { bytesWritten } = await write(this.#file, text);
      if (bytesWritten !== text.length) throw new Error('the disk is full');
      if (durable) await sync(this.#file);
    } catch (err) {
      await truncate(this.#file, this.#size); // or the next line would follow a torn one
      throw err;
    }
    this.#size += text.length;
    this.#lines++;
  }

  /** @param {any} line */
  #apply(line) {
    if (Object.keys(line).length !== 1 || Array.isArray(line)) throw new TypeError('want one kind');
    const [[kind, value]] = Object.entries(line);
    const w = this.waiting.get(value?.id ?? value);
    switch (kind) {
      case 'table':
        this.table = value ? new Table(value) : undefined;
        break;
      case 'drawn':
        if (!(text(value.ask.table) && text(value.action) && typeof value.propensity === 'number' && value.propensity > 0 && value.propensity <= 1)) throw new TypeError('no decision');
        this.#rewards -= this.waiting.get(text(value.ask.id))?.rewards.length ?? 0;
        this.waiting.delete(value.ask.id);
        this.waiting.set(value.ask.id, { ...value, taken: false, rewards: [] });
        this.dropped.delete(value.ask.id);
        break;
      case 'reward':
        if (w) w.rewards.push(value);
        else this.waiting.set(text(value.id), { action: '', propensity: 0, taken: true, rewards: [value] });
        this.#rewards++;
        break;
      case 'taken':
        if (text(value) && w) w.taken = true;
        if (w?.rewards.length === 0) this.waiting.delete(value);
        break;
      case 'rewarded':
        if (!text(value) || !w?.rewards.length) break;
        w.rewards.shift();
        this.#rewards--;
        if (w.rewards.length === 0) this.waiting.delete(value);
        break;
      case 'dropped':
        if (!Number.isInteger(value.status)) throw new TypeError('no refusal');
        this.waiting.delete(text(value.id));
        this.#rewards -= w?.rewards.length ?? 0;
        this.dropped.set(value.id, value.status);
        for (const id of this.dropped.keys()) {
          if (this.dropped.size <= DROPPED) break;
          this.dropped.delete(id);
        }
        break;
      case 'asked':
        this.dropped.delete(text(value));
        break;
      default:
        throw new TypeError(`a line of kind ${kind}`);
    }
  }

  /** @param {string} path */
  #open(path) {
    const fresh = !fs.existsSync(path);
    const read = fresh ? Buffer.alloc(0) : fs.readFileSync(path);
    const whole = read.lastIndexOf(10) + 1; // the application did not go on from a torn line, the last
    for (const [i, line] of read.toString('utf8', 0, whole).split('\n').slice(0, -1).entries()) {
      try {
        this.#apply(JSON.parse(line));
      } catch (cause) {
        this.problem ||= `${path}, line ${i + 1}: not of a client's file: ${cause}`;
      }
    }
    if (this.problem) this.problem += setAside(path);
    try {
      this.#compact(path);
    } catch (err) {
      if (fresh) throw err;
      this.problem = `${path}: ${err}; the file goes on as it is; ${this.problem}`.replace(/; $/, '');
      if (this.#file !== undefined) return;
      [this.#file, this.#size] = [fs.openSync(path, fs.constants.O_WRONLY | fs.constants.O_APPEND), whole];
      fs.ftruncateSync(this.#file, whole);
    }
  }

  /**
   * Writes the file with the lines that the present state needs.
   * @param {string} path
   */
  #compact(path) {
    /** @type {any[]} */
    const lines = this.table ? [{ table: this.table.doc }] : [];
    for (const [id, status] of this.dropped) lines.push({ dropped: { id, status } });
    for (const [id, { ask, action, propensity, taken, rewards }] of this.waiting) {
      if (ask) lines.push({ drawn: { ask, action, propensity } });
      lines.push(...rewards.map((reward) => ({ reward })));
      if (ask && taken) lines.push({ taken: id });
    }
    const text = Buffer.from(lines.map((line) => JSON.stringify(line) + '\n').join(''));
    fs.rmSync(`${path}.new`, { force: true });
    const file = fs.openSync(`${path}.new`, 'ax', 0o600);
    try {
      fs.writeFileSync(file, text);
      fs.fsyncSync(file);
      fs.renameSync(`${path}.new`, path);
    } catch (err) {
      fs.closeSync(file);
      throw err;
    }
    if (this.#file !== undefined) fs.closeSync(this.#file);
    [this.#file, this.#size, this.#lines] = [file, text.length, lines.length];
    if (process.platform === 'win32') return;
    const folder = fs.openSync(dirname(resolve(path)), 'r');
    try {
      fs.fsyncSync(folder); // or the name is not durable
    } finally {
      fs.closeSync(folder);
    }
  }
}

/** @param {unknown} value */
function text(value) {
  if (typeof value !== 'string' || !value) throw new TypeError('want text');
  return value;
}

/**
 * Takes a file for this client until its process ends or closes it. Node has no lock that ends with a process, so a
 * link, which needs no room on the disk, says which process, and when it began.
 * @param {string} path
 */
function lock(path) {
  if (process.platform === 'win32') return;
  const [name, aside] = [`${path}.pid`, `${path}.pid.${process.pid}`];
  for (;;) {
    try {
      return fs.symlinkSync(`${process.pid} ${began(process.pid)}`, name);
    } catch (err) {
      if (/** @type {any} */ (err).code !== 'EEXIST') throw err;
    }
    try {
      const held = fs.readlinkSync(name);
      const [pid, when] = held.split(' ');
      if (began(Number(pid)) === when) throw new Error(`${path} is used by process ${pid}: give each worker a file of its own`);
      fs.renameSync(name, aside);
      const moved = fs.readlinkSync(aside);
      fs.rmSync(aside);
      if (moved !== held) fs.symlinkSync(moved, name); // another process was faster
    } catch (err) {
      if (/** @type {any} */ (err).code !== 'ENOENT') throw err; // it has just ended
    }
  }
}

/**
 * When a process began, as Linux says it; elsewhere whether it runs.
 * @param {number} pid
 */
function began(pid) {
  try {
    if (process.platform === 'linux') return fs.readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\)/s, '').split(' ')[20];
    process.kill(pid, 0);
    return 'running';
  } catch {
    return 'gone';
  }
}

/**
 * Keeps a damaged file, and says where.
 * @param {string} path
 */
function setAside(path) {
  let n = 1;
  while (fs.existsSync(`${path}.damaged-${n}`)) n++;
  try {
    fs.linkSync(path, `${path}.damaged-${n}`);
  } catch {
    return '; what could be read is kept';
  }
  return `; what could be read is kept, and the file as it was is ${path}.damaged-${n}`;
}
