/**
 * From a bearer token to whoever holds it. Devices and accounts, once known, are remembered for a moment, since
 * nothing takes their tokens away; publishers are looked up each time, so that a revocation holds at once.
 */
import { Fault } from "../../protocol/fault.js";
import type { HubContext } from "../context.js";
import type { Caller } from "./caller.js";
import { isAccountToken, isPublisherToken, readDeviceToken } from "./tokens.js";

/** How long a device or an account is remembered, in case that somebody deletes rows by hand. */
const REMEMBERED_MS = 10_000;
const REMEMBERED_LIMIT = 10_000;

const CREDENTIALS = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i;

interface Remembered {
  readonly caller: Caller;
  readonly untilMs: number;
}

export class Authentication {
  readonly #context: Pick<HubContext, "database" | "hasher" | "now">;
  /** By the Authorization field, oldest first. */
  readonly #remembered = new Map<string, Remembered>();

  constructor(context: Pick<HubContext, "database" | "hasher" | "now">) {
    this.#context = context;
  }

  /**
   * Answers at once where it can: most requests come from somebody who has just asked something else.
   * @param field the Authorization field (RFC 6750 §2.1)
   * @throws {Fault} `unauthorized`, also as a rejection
   */
  caller(field: string | undefined): Caller | Promise<Caller> {
    if (field === undefined) throw new Fault("unauthorized", "A bearer token is missing");
    const remembered = this.#remembered.get(field);
    if (remembered && remembered.untilMs > this.#context.now()) return remembered.caller;
    const token = CREDENTIALS.exec(field)?.[1];
    if (token === undefined) throw new Fault("unauthorized", 'Authorization is "Bearer" and a token');
    return this.#lookUp(token, field);
  }

  async #lookUp(token: string, field: string): Promise<Caller> {
    const caller = await this.#find(token);
    if (!caller) throw new Fault("unauthorized", "Nobody holds this token");
    if (caller.kind !== "publisher") this.#remember(field, caller);
    return caller;
  }

  #find(token: string): Promise<Caller | undefined> {
    const deviceToken = readDeviceToken(token);
    if (deviceToken !== undefined) return this.#device(deviceToken);
    if (isAccountToken(token)) return this.#account(token);
    if (isPublisherToken(token)) return this.#publisher(token);
    return Promise.resolve(undefined);
  }

  async #device(token: string): Promise<Caller | undefined> {
    const row = await this.#context.database
      .selectFrom("devices")
      .select("id")
      .where("token_hash", "=", this.#context.hasher.hash(token))
      .executeTakeFirst();
    return row && { kind: "device", deviceId: row.id };
  }

  async #account(token: string): Promise<Caller | undefined> {
    const row = await this.#context.database
      .selectFrom("accounts")
      .select("id")
      .where("token_hash", "=", this.#context.hasher.hash(token))
      .executeTakeFirst();
    return row && { kind: "account", accountId: row.id };
  }

  async #publisher(token: string): Promise<Caller | undefined> {
    const row = await this.#context.database
      .selectFrom("publishers")
      .select("id")
      .where("token_hash", "=", this.#context.hasher.hash(token))
      .where("revoked_at", "is", null)
      .executeTakeFirst();
    return row && { kind: "publisher", publisherId: row.id };
  }

  #remember(field: string, caller: Caller): void {
    this.#remembered.delete(field); // to the end of the order
    this.#remembered.set(field, { caller, untilMs: this.#context.now() + REMEMBERED_MS });
    if (this.#remembered.size <= REMEMBERED_LIMIT) return;
    const [oldest] = this.#remembered.keys();
    if (oldest !== undefined) this.#remembered.delete(oldest);
  }
}
