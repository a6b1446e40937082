/** What a scenario is: something a client does with a server. */

/** Does it. `context` is what the suite says beside the address. */
export type Scenario = (url: string, context: Readonly<Record<string, unknown>>) => Promise<void>;
