export type Backlog = import('./backlog.mjs').Backlog;
export type Waiting = import('./backlog.mjs').Waiting;
export type Decision = import('./models.d.ts').Decision;
export type TableState = {
    /**
     * of the table; '' without one
     */
    version: string;
    madeAt: string;
    /**
     * decisions with something that the peer has not taken
     */
    waiting: number;
    /**
     * decisions
     */
    drawn: number;
    /**
     * of these, or of the file's, that the peer has taken
     */
    reported: number;
    /**
     * rewards that had to wait, and that the peer has taken
     */
    rewarded: number;
    /**
     * dropped because the peer refused them as too old: decisions with their rewards, or rewards
     */
    expired: number;
    /**
     * dropped because the peer refused them for another reason
     */
    refused: number;
    /**
     * decisions that were not drawn and rewards that were not kept: too many wait, or the disk refused them
     */
    full: number;
    /**
     * the last
     */
    problem: string;
};
export type Send = (method: string, path: string, body: unknown, timeout: number) => Promise<{
    status: number;
    doc: any;
} | undefined>;
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
export declare const AGAIN: number[];
/** @type {TableState} */
export declare const NO_TABLE: TableState;
/** Draws decisions from the newest table, keeps them and rewards, and reports them when the peer answers. */
export declare class Offline {
    #private;
    backlog: import("./backlog.mjs").Backlog;
    down: boolean;
    /**
     * @param {Backlog} backlog
     * @param {Send} send
     * @param {number} timeout
     * @param {number} every
     */
    constructor(backlog: Backlog, send: Send, timeout: number, every: number);
    /** @returns {TableState} */
    state(): TableState;
    /**
     * The decision that was drawn with an id and that the peer may not have.
     * @param {string} id
     */
    remembered(id: string): import("./models.d.ts").Decision | undefined;
    /**
     * Draws and keeps a decision; undefined if that cannot be, which is counted the last time. It has the id of the ask.
     * If the peer has decided with it, and the answer was lost, the peer refuses the drawn one: one ask makes one record
     * of a user.
     * @param {Record<string, any> & {id: string}} ask
     * @returns {Promise<Decision | undefined>}
     */
    draw(ask: Record<string, any> & {
        id: string;
    }, last?: boolean): Promise<Decision | undefined>;
    /**
     * Keeps a reward to report it later, which is counted if it cannot be, the last time.
     * @param {Record<string, any> & {id: string}} reward
     */
    keep(reward: Record<string, any> & {
        id: string;
    }, last?: boolean): Promise<boolean>;
    /**
     * Reports until the deadline, and returns what is left.
     * @param {number} deadline
     * @returns {Promise<Waiting[]>}
     */
    close(deadline: number): Promise<Waiting[]>;
    /**
     * Reports what waits, and whether the peer has answered for all of it. One report is made at a time.
     * @param {number} end
     * @returns {Promise<boolean>}
     */
    report(end: number): Promise<boolean>;
}
