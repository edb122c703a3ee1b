/** Accounts, which claim consoles and then send commands to them. */
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { Fault } from "../../protocol/fault.js";
import type { Authentication } from "../auth/authentication.js";
import { makeAccountToken, makeClaimCode, parseClaimCode } from "../auth/tokens.js";
import type { Commands } from "../commands/commands.js";
import type { HubContext } from "../context.js";
import type { Row } from "../database/schema.js";
import { retriedTransaction } from "../database/transactions.js";
import { deviceNotFound } from "../devices/device-record.js";
import { recordFormerToken } from "../devices/former-tokens.js";
import { removeTags } from "../fleet/tags.js";
import type { RateLimits } from "../limits/rate-limits.js";
import { removeFromRollouts } from "../rollouts/rollout-update.js";
import { deviceEvent } from "../webhooks/events.js";
import { recordEvents } from "../webhooks/record-events.js";
import { eraseAccount, eraseHistory } from "./erase-account.js";

/** Wrong claim codes per minute for each account and each address: a code has 40 bits (docs/spec/hub-api.md#claim). */
const CLAIM_FAILURES_PER_MINUTE = 10;

/**
 * Claims of one address, and of one account, that are in progress at the same time in a process: each waits for a flush of the disk. Others wait,
 * so that many guesses at once meet the limit.
 */
const CLAIMS_AT_ONCE = 16;

/** A mutex per key within this process: tasks of one key run in sequence, tasks of different keys concurrently. */
export class KeyedMutex {
  /** The last task of each key. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` once all previous tasks of the same key have settled. */
  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}

/** Devices released per query when an account ends. */
const RELEASE_BATCH = 100;

interface AccountsOptions extends HubContext {
  readonly authentication: Authentication;
  readonly commands: Commands;
  readonly limits: RateLimits;
}

export class Accounts {
  readonly #options: AccountsOptions;
  /** By lane and address, and of ends by account. */
  readonly #mutex = new KeyedMutex();
  #lane = 0;

  constructor(options: AccountsOptions) {
    this.#options = options;
  }

  /** @returns the token, which the hub does not store and cannot show again */
  async create(): Promise<{ readonly account_id: string; readonly account_token: string }> {
    const { database, hasher, now } = this.#options;
    const account_id = randomUUID();
    const account_token = makeAccountToken();
    await database
      .insertInto("accounts")
      .values({ id: account_id, token_hash: hasher.hash(account_token), created_at: now() })
      .execute();
    return { account_id, account_token };
  }

  /** Replaces the token; the previous one is invalid at once. @returns the new token, which cannot be shown again */
  async rotateToken(
    accountId: string,
  ): Promise<{ readonly account_id: string; readonly account_token: string }> {
    const { authentication, database, hasher } = this.#options;
    const account_token = makeAccountToken();
    await database
      .updateTable("accounts")
      .set({ token_hash: hasher.hash(account_token) })
      .where("id", "=", accountId)
      .where("revoked_at", "is", null)
      .execute();
    authentication.clearCache();
    return { account_id: accountId, account_token };
  }

  /**
   * Releases the account's consoles, deletes what the hub keeps of it, and invalidates its token. Safe to repeat after an
   * interruption: until then the token is valid. One at a time: two would wait for each other at each console.
   */
  end(accountId: string): Promise<void> {
    return this.#mutex.run(`end ${accountId}`, () => this.#end(accountId));
  }

  async #end(accountId: string): Promise<void> {
    const { authentication, database, now } = this.#options;
    for (;;) {
      const held = await database
        .selectFrom("devices")
        .select("id")
        .where("account_id", "=", accountId)
        .orderBy("id")
        .limit(RELEASE_BATCH)
        .execute();
      if (held.length === 0) break;
      for (const { id } of held) await this.#release(accountId, id, eraseHistory).catch(ignoreReleased);
    }
    await eraseAccount(database, accountId);
    await database
      .updateTable("accounts")
      .set({ token_hash: `revoked ${accountId}`, revoked_at: now() })
      .where("id", "=", accountId)
      .execute();
    authentication.clearCache();
    await eraseAccount(database, accountId); // what requests have added meanwhile
  }

  /**
   * Claims a console for the account.
   * @param address the client's address; guesses are rate-limited by account and by address
   * @param typed the console's claim code, as the user typed it
   * @throws {Fault} `claim_code_unknown`, `too_many_attempts`
   */
  claim(accountId: string, address: string, typed: string): Promise<Row<"devices">> {
    const keys = [`claim ${accountId}`, `claim ${address}`];
    const lane = this.#lane;
    this.#lane = (lane + 1) % CLAIMS_AT_ONCE;
    return this.#mutex.run(`${lane} ${address}`, () =>
      this.#mutex.run(`${lane} ${accountId}`, () => this.#claimOnce(accountId, keys, parseClaimCode(typed))),
    );
  }

  /**
   * Releases a console, with a new claim code, so that anyone who sees the code may claim it. Cancels the account's
   * pending commands for it. The hub asks the console for a new token, as the account may know the old one. A console
   * that supports rotation has no code until then, even if its record ends (former-tokens.ts).
   * @throws {Fault} `device_not_found`
   */
  release(accountId: string, deviceId: string): Promise<void> {
    return this.#release(accountId, deviceId);
  }

  /** @param alsoDo runs as a part of the transaction, while no other account can hold the console */
  async #release(accountId: string, deviceId: string, alsoDo?: typeof eraseHistory): Promise<void> {
    const { commands, database, now } = this.#options;
    const device = await retriedTransaction(database, async (transaction) => {
      await removeFromRollouts(transaction, { accountId, deviceId, now: now() });
      const released = await transaction
        .updateTable("devices")
        .set({
          account_id: null,
          rotation_id: randomUUID(),
          claim_code: sql`case when apps is null then ${makeClaimCode()} end`,
        })
        .where("id", "=", deviceId)
        .where("account_id", "=", accountId)
        .returningAll()
        .executeTakeFirst();
      if (!released) throw deviceNotFound(deviceId);
      await recordFormerToken(transaction, released);
      await transaction // the console sends its next token again on request
        .updateTable("devices")
        .set({ next_token_hash: null })
        .where("id", "=", deviceId)
        .execute();
      await commands.cancelDevice(deviceId, transaction);
      await removeTags(transaction, deviceId);
      await alsoDo?.(transaction, accountId, deviceId);
      await recordEvents(transaction, [deviceEvent(accountId, "device.released", released)], now());
      return released;
    });
    this.#notify(device, device.claim_code === null);
  }

  /**
   * Only failures are counted, so that an account may claim as many consoles at once as it has. Wrong codes that are in
   * progress at the same time are refused like those past the limit, which tells nothing about them.
   */
  async #claimOnce(
    accountId: string,
    keys: readonly string[],
    code: string | undefined,
  ): Promise<Row<"devices">> {
    const { limits } = this.#options;
    await limits.check(keys, CLAIM_FAILURES_PER_MINUTE);
    const device = code === undefined ? undefined : await this.#claimByCode(accountId, code);
    if (!device) {
      // One after the other: counted at once, two of them could each be past one of the limits, and both be refused.
      for (const key of keys) await limits.consume(key, CLAIM_FAILURES_PER_MINUTE);
      throw new Fault("claim_code_unknown", "No unclaimed console has this code");
    }
    this.#notify(device, true);
    return device;
  }

  /** Claims in one statement, so that only one of two concurrent claims with the same code succeeds. */
  #claimByCode(accountId: string, code: string): Promise<Row<"devices"> | undefined> {
    const { database, now } = this.#options;
    return retriedTransaction(database, async (transaction) => {
      const claimed = await transaction
        .updateTable("devices")
        .set({ account_id: accountId, claim_code: null })
        .where("claim_code", "=", code)
        .returningAll()
        .executeTakeFirst();
      if (claimed)
        await recordEvents(transaction, [deviceEvent(accountId, "device.claimed", claimed)], now());
      return claimed;
    });
  }

  /** Notifies the console if it is connected. Otherwise it learns of the change when it connects. */
  #notify({ id, process_id }: Row<"devices">, claimed: boolean): void {
    if (process_id === null) return;
    this.#options.bus.publish(`process.${process_id}`, { kind: "claimed", device_id: id, claimed });
    this.#options.bus.publish(`process.${process_id}`, { kind: "look", device_id: id });
  }
}

/** Ignores the fault if another request has released the console meanwhile. */
function ignoreReleased(error: unknown): void {
  if (!(error instanceof Fault && error.code === "device_not_found")) throw error;
}
