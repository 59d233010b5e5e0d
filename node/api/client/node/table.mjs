// The table by which a client decides while its peer is down.

import { createHash } from 'node:crypto';

/**
 * A table of the peer. Its draws are the same in every language, and at the peer, which repeats them.
 */
export class Table {
  /** @param {any} doc */
  constructor(doc) {
    this.doc = doc;
    /** @type {string} */
    this.version = doc.version;
    /** @type {string} */
    this.madeAt = doc.made_at ?? '';
    /** @type {{name: string, weight: number}[]} */
    this.actions = doc.actions.map((/** @type {any} */ { name, weight }) => ({ name, weight }));
    const right = this.actions.every((a) => Number.isInteger(a.weight) && a.weight >= 0) && sum(this.actions) <= 2 ** 20;
    if (typeof this.version !== 'string' || typeof doc.salt !== 'string' || !right) throw new TypeError('the table is wrong');
  }

  /**
   * The action of a decision and its propensity; undefined if no action is left.
   * @param {string} id
   * @param {string[]} [exclude]
   * @param {string[] | null} [named]
   */
  draw(id, exclude = [], named) {
    let offered = this.actions.filter((a) => !exclude.includes(a.name) && (!named || named.includes(a.name)));
    if (offered.length === 0) return undefined;
    if (sum(offered) === 0) offered = offered.map(({ name }) => ({ name, weight: 1 }));
    const total = sum(offered);
    let at = createHash('sha256').update(`${this.doc.salt}/${id}`).digest().readUIntBE(0, 6) % total;
    const { name, weight } = offered.find((a) => (at -= a.weight) < 0) ?? offered[0];
    return { action: name, propensity: weight / total };
  }
}

/** @param {{weight: number}[]} actions */
function sum(actions) {
  return actions.reduce((n, a) => n + a.weight, 0);
}
