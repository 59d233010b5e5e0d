export type Waiting = import('./backlog.mjs').Waiting;
export type TableState = import('./offline.mjs').TableState;
export type Action = import('./models.d.ts').Action;
export type Arm = import('./models.d.ts').Arm;
export type Ask = import('./models.d.ts').Ask;
export type Decision = import('./models.d.ts').Decision;
export type Flaw = import('./models.d.ts').Flaw;
export type Peer = import('./models.d.ts').Peer;
export type Problem = import('./models.d.ts').Problem;
export type Receipt = import('./models.d.ts').Receipt;
export type Reward = import('./models.d.ts').Reward;
export type Status = import('./models.d.ts').Status;
export type Fallback = Omit<Decision, 'source'> & {
    source: 'client-fallback';
};
export type Question = Omit<Ask, 'actions' | 'taken'> & {
    actions?: Action[] | string[];
    taken?: {
        action: string;
        propensity: number;
    };
    fallback?: string;
    offline?: boolean;
};
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
export declare class PeerdError extends Error {
    get name(): string;
}
/** The token file has no token, so nothing was sent. */
export declare class BadToken extends PeerdError {
}
/** No answer by the deadline. Whether the peer took the request is not known. */
export declare class Unreachable extends PeerdError {
}
/** The peer answered with a problem; docs/api.md has a table of their codes. */
export declare class Refused extends PeerdError {
    status: number;
    code: string;
    detail: string;
    /** @type {Flaw[]} */
    fields: Flaw[];
    /** @param {Problem} problem */
    constructor({ status, code, detail, errors }: Problem);
}
/** 404: the peer has no such decision. */
export declare class Unknown extends Refused {
}
/** 409: decided or rewarded otherwise before, and that stands. */
export declare class Conflict extends Refused {
}
/** 410: the time for this reward is over. */
export declare class Expired extends Refused {
}
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
export declare class Client {
    #private;
    /**
     * @param {{url?: string, tokenFile?: string, dir?: string, timeout?: number, deadline?: number,
     *   table?: boolean | string, tableEvery?: number, queue?: number}} [options]
     */
    constructor({ url, tokenFile, dir, timeout, deadline, table, tableEvery, queue }?: {
        url?: string;
        tokenFile?: string;
        dir?: string;
        timeout?: number;
        deadline?: number;
        table?: boolean | string;
        tableEvery?: number;
        queue?: number;
    });
    /**
     * Chooses an action. When the peer does not answer by the deadline, and at once if offline, the
     * decision is drawn from the table, if there is one; its model is the table's version.
     * Otherwise it is the fallback, which has no id, and no reward to report.
     * @param {Question} [ask]
     * @returns {Promise<Decision | Fallback>}
     */
    decide({ fallback, offline, ...rest }?: Question): Promise<Decision | Fallback>;
    /**
     * Reports the reward of a decision, in the network's range: from 0 to 1, unless it has another
     * one. With end, later reports are refused, and the value may be undefined. A report has an id
     * of its own where rewards add up (api.reward: sum).
     * @param {string} id
     * @param {number} [value]
     * @param {{end?: boolean, report?: string}} [more]
     * @returns {Promise<Receipt>}
     */
    reward(id: string, value?: number, more?: {
        end?: boolean;
        report?: string;
    }): Promise<Receipt>;
    /**
     * Which actions? For 1 to 1,000 asks, in order; a Refused stands for one that has no
     * decision.
     * @param {Omit<Question, 'fallback' | 'offline'>[]} asks
     * @param {{fallback?: string}} [options]
     * @returns {Promise<(Decision | Fallback | Refused)[]>}
     */
    decideBatch(asks: Omit<Question, 'fallback' | 'offline'>[], { fallback }?: {
        fallback?: string;
    }): Promise<(Decision | Fallback | Refused)[]>;
    /**
     * These were the rewards. For 1 to 1,000, in order, as with decideBatch.
     * @param {Reward[]} rewards
     * @returns {Promise<(Receipt | Refused)[]>}
     */
    rewardBatch(rewards: Reward[]): Promise<(Receipt | Refused)[]>;
    /** @returns {Promise<Status>} */
    status(): Promise<Status>;
    /** @returns {Promise<Arm[]>} */
    arms(): Promise<Arm[]>;
    /** @returns {Promise<Peer[]>} */
    peers(): Promise<Peer[]>;
    /**
     * The table that the client holds, and what became of its draws.
     * @returns {TableState}
     */
    table(): TableState;
    /**
     * Reports what waits for the peer, until the deadline, closes all connections, and returns what is left; a file
     * still has it. The client then decides by no table any more.
     * @returns {Promise<Waiting[]>}
     */
    close(): Promise<Waiting[]>;
}
