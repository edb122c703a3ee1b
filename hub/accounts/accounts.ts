/** Accounts: who may give commands to the consoles that they have claimed. */
import type { HubContext } from "../context.js";

export class Accounts {
  readonly #context: HubContext;

  constructor(context: HubContext) {
    this.#context = context;
  }

  /** @returns the token, which is not kept and cannot be had again */
  create(): Promise<{ readonly account_id: string; readonly account_token: string }> {
    throw new Error(`not built ${this.#context.processId}`);
  }
}
