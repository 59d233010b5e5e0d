import { Table } from './table.mjs';
export type Waiting = {
    /**
     * what draws it again; missing if the peer made it
     */
    ask?: (Record<string, any> & {
        id: string;
        table: string;
    }) | undefined;
    action: string;
    propensity: number;
    /**
     * the peer has the decision
     */
    taken: boolean;
    rewards: (Record<string, any> & {
        id: string;
    })[];
};
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
export declare class Backlog {
    #private;
    /** @type {Table | undefined} */
    table: Table | undefined;
    /** @type {Map<string, Waiting>} */
    waiting: Map<string, Waiting>;
    /** @type {Map<string, number>} statuses by id */
    dropped: Map<string, number>;
    problem: string;
    /**
     * @param {string | undefined} path
     * @param {number} bound
     */
    constructor(path: string | undefined, bound: number);
    /**
     * Applies a line. Only a line that must be on disk first, and is not, is an error: what others say is found out
     * again after a restart. If it no longer fits when its turn comes, it is not applied, and the result is false.
     * @param {Record<string, any>} line
     * @param {{durable?: boolean, fits?: () => boolean}} [options]
     * @returns {Promise<boolean>}
     */
    add(line: Record<string, any>, { durable, fits }?: {
        durable?: boolean;
        fits?: () => boolean;
    }): Promise<boolean>;
    /**
     * Keeps a decision, unless there are too many.
     * @param {Record<string, any> & {id: string, table: string}} ask
     * @param {string} action
     * @param {number} propensity
     */
    drawn(ask: Record<string, any> & {
        id: string;
        table: string;
    }, action: string, propensity: number): Promise<boolean>;
    /**
     * Keeps a reward, unless there are too many.
     * @param {Record<string, any> & {id: string}} doc
     */
    reward(doc: Record<string, any> & {
        id: string;
    }): Promise<boolean>;
    /**
     * The oldest decisions that the peer does not have.
     * @param {number} most
     */
    decisions(most: number): ((Record<string, any> & {
        id: string;
        table: string;
    }) | undefined)[];
    /**
     * The oldest rewards, one for each decision that the peer has.
     * @param {number} most
     */
    rewards(most: number): (Record<string, any> & {
        id: string;
    })[];
    close(): Promise<void>;
}
