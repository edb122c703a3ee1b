/** Webhooks of an account: the addresses to which its events are sent (docs/spec/hub-api.md#webhooks). */
import { randomUUID } from "node:crypto";
import { Fault } from "../../protocol/fault.js";
import type { EventType } from "../../protocol/hub/answers/webhooks.js";
import type { Page } from "../api/answers.js";
import { type NewestRows, newestRows } from "../api/newest-rows.js";
import { SecretBox, WEBHOOK_SECRETS } from "../auth/secret-box.js";
import type { HubContext } from "../context.js";
import type { NewRow, Row } from "../database/schema.js";
import { lockAccount, retriedTransaction } from "../database/transactions.js";
import type { RateLimits } from "../limits/rate-limits.js";
import { TEST_EVENT } from "./event-types.js";
import { eventBody, writeEvents } from "./events.js";
import { type ReceiverPolicy, readReceiverUrl } from "./receiver-address.js";
import { newDelivery } from "./record-events.js";
import { makeWebhookSecret } from "./signature.js";

/** Webhooks of an account (docs/spec/hub-api.md#webhook-limit). */
const WEBHOOKS_LIMIT = 10;

/** Test deliveries of an account: a webhook must not become a way to flood others. */
const TESTS_PER_MINUTE = 10;

/** Time for which a secret that was replaced signs beside the new one (docs/spec/hub-api.md#webhook-secret). */
const FORMER_SECRET_MS = 24 * 3_600_000;

export interface NewSecret {
  readonly row: Row<"webhooks">;
  /** Stored sealed: it cannot be shown again. */
  readonly secret: string;
}

export interface WebhookChange {
  readonly url?: string | undefined;
  readonly events?: readonly EventType[] | undefined;
  /** Only to enable one that the hub has disabled. */
  readonly enabled?: true | undefined;
}

interface WebhooksOptions extends Pick<HubContext, "config" | "database" | "dialect" | "now"> {
  readonly limits: RateLimits;
}

export class Webhooks {
  readonly #options: WebhooksOptions;
  readonly #policy: ReceiverPolicy;
  readonly #secrets: SecretBox;

  constructor(options: WebhooksOptions) {
    this.#options = options;
    this.#policy = { allowsPrivate: options.config.allowsPrivateWebhooks };
    this.#secrets = new SecretBox(options.config.secret, WEBHOOK_SECRETS);
  }

  /** @throws {Fault} `bad_parameter` for an address that is not allowed; `too_many_webhooks` */
  async add(accountId: string, url: string, events: readonly EventType[]): Promise<NewSecret> {
    const { database, now } = this.#options;
    const [id, secret] = [randomUUID(), makeWebhookSecret()];
    const values: NewRow<"webhooks"> = {
      id,
      account_id: accountId,
      url: readReceiverUrl(url, this.#policy),
      events: writeEvents(events),
      sealed_secret: this.#secrets.seal(secret, id),
      created_at: now(),
    };
    const row = await retriedTransaction(database, async (transaction) => {
      await lockAccount(transaction, accountId);
      const { count } = await transaction
        .selectFrom("webhooks")
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .where("account_id", "=", accountId)
        .executeTakeFirstOrThrow();
      if (Number(count) >= WEBHOOKS_LIMIT)
        throw new Fault("too_many_webhooks", `An account has at most ${WEBHOOKS_LIMIT} webhooks`);
      return transaction.insertInto("webhooks").values(values).returningAll().executeTakeFirstOrThrow();
    });
    return { row, secret };
  }

  /** In a stable order. */
  list(accountId: string): Promise<readonly Row<"webhooks">[]> {
    return this.#options.database
      .selectFrom("webhooks")
      .selectAll()
      .where("account_id", "=", accountId)
      .orderBy("created_at")
      .orderBy("id")
      .execute();
  }

  /** Omitted members stay unchanged; an address that is given has not failed yet. @throws {Fault} `webhook_not_found`, `bad_parameter` */
  async change(
    accountId: string,
    webhookId: string,
    { url, events, enabled }: WebhookChange,
  ): Promise<Row<"webhooks">> {
    const set = {
      ...(url !== undefined && { url: readReceiverUrl(url, this.#policy), failures: 0, failing_since: null }),
      ...(events !== undefined && { events: writeEvents(events) }),
      ...(enabled && { failures: 0, failing_since: null, disabled_at: null }),
    };
    if (Object.keys(set).length === 0)
      throw new Fault("bad_parameter", 'Cannot change a webhook without "url", "events" or "enabled"');
    const row = await this.#options.database
      .updateTable("webhooks")
      .set(set)
      .where("id", "=", webhookId)
      .where("account_id", "=", accountId)
      .returningAll()
      .executeTakeFirst();
    if (!row) throw webhookNotFound(webhookId);
    return row;
  }

  /**
   * Replaces the secret. The previous one signs beside it for a day, so that receivers can change over without a loss.
   * @throws {Fault} `webhook_not_found`
   */
  async renewSecret(accountId: string, webhookId: string): Promise<NewSecret> {
    const { database, now } = this.#options;
    const secret = makeWebhookSecret();
    const row = await database
      .updateTable("webhooks")
      .set(({ ref }) => ({
        former_secret: ref("sealed_secret"),
        former_until: now() + FORMER_SECRET_MS,
        sealed_secret: this.#secrets.seal(secret, webhookId),
      }))
      .where("id", "=", webhookId)
      .where("account_id", "=", accountId)
      .returningAll()
      .executeTakeFirst();
    if (!row) throw webhookNotFound(webhookId);
    return { row, secret };
  }

  /** Removes a webhook with its deliveries; an attempt in progress goes on. @throws {Fault} `webhook_not_found` */
  async remove(accountId: string, webhookId: string): Promise<void> {
    await retriedTransaction(this.#options.database, async (transaction) => {
      const removed = await transaction
        .deleteFrom("webhooks")
        .where("id", "=", webhookId)
        .where("account_id", "=", accountId)
        .returning("id")
        .executeTakeFirst();
      if (!removed) throw webhookNotFound(webhookId);
      await transaction.deleteFrom("webhook_deliveries").where("webhook_id", "=", webhookId).execute();
    });
  }

  /**
   * Sends a test event before all that waits, also while the webhook waits after a failure.
   * @returns the id of the delivery
   * @throws {Fault} `webhook_not_found`, `webhook_disabled`, `too_many_attempts`
   */
  async test(accountId: string, webhookId: string): Promise<string> {
    const { database, limits, now } = this.#options;
    const webhook = await this.require(accountId, webhookId);
    if (webhook.disabled_at !== null)
      throw new Fault("webhook_disabled", "Cannot test the webhook: it is disabled");
    await limits.consume(`webhook test ${accountId}`, TESTS_PER_MINUTE);
    const at = now();
    const body = eventBody(TEST_EVENT, at, { webhook_id: webhookId });
    const delivery = { ...newDelivery(webhook, TEST_EVENT, body, at), next_at: 0 };
    await retriedTransaction(database, async (transaction) => {
      await transaction.insertInto("webhook_deliveries").values(delivery).execute();
      await transaction.updateTable("webhooks").set({ due_at: at }).where("id", "=", webhookId).execute();
    });
    return delivery.id;
  }

  /** Deliveries of a webhook, the newest event first. @throws {Fault} `webhook_not_found` */
  async deliveries(
    accountId: string,
    webhookId: string,
    page: Page,
  ): Promise<NewestRows<"webhook_deliveries">> {
    await this.require(accountId, webhookId);
    return newestRows(this.#options.database, "webhook_deliveries", { webhook_id: webhookId }, page);
  }

  /** @throws {Fault} `webhook_not_found`, also for a webhook of another account */
  async require(accountId: string, webhookId: string): Promise<Row<"webhooks">> {
    const row = await this.#options.database
      .selectFrom("webhooks")
      .selectAll()
      .where("id", "=", webhookId)
      .where("account_id", "=", accountId)
      .executeTakeFirst();
    if (!row) throw webhookNotFound(webhookId);
    return row;
  }
}

function webhookNotFound(webhookId: string): Fault {
  return new Fault("webhook_not_found", `The account has no webhook "${webhookId}"`);
}
