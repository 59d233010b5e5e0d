/**
 * A table of the peer. Its draws are the same in every language, and at the peer, which repeats them.
 */
export declare class Table {
    doc: any;
    /** @type {string} */
    version: string;
    /** @type {string} */
    madeAt: string;
    /** @type {{name: string, weight: number}[]} */
    actions: {
        name: string;
        weight: number;
    }[];
    /** @param {any} doc */
    constructor(doc: any);
    /**
     * The action of a decision and its propensity; undefined if no action is left.
     * @param {string} id
     * @param {string[]} [exclude]
     * @param {string[] | null} [named]
     */
    draw(id: string, exclude?: string[], named?: string[] | null): {
        action: string;
        propensity: number;
    } | undefined;
}
