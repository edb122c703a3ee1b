/**
 * Sends the deliveries that are due. Each process looks every second, takes turns of webhooks (webhook-turns.ts), and has a
 * limited number of them in progress. Webhooks that fail have a part of these places only: receivers that never answer
 * do not keep the others waiting.
 */
import { SecretBox, WEBHOOK_SECRETS } from "../auth/secret-box.js";
import type { HubContext } from "../context.js";
import { carriedContext, inSpan, SpanKind } from "../tracing/spans.js";
import { type CompletedAttempt, isSuccess } from "./delivery-state.js";
import { type Attempt, type Sending, sendWebhook } from "./send-webhook.js";
import { signatureFields } from "./signature.js";
import { endTurn, type Turn, type TurnResult, takeTurns } from "./webhook-turns.js";

const POLL_INTERVAL_MS = 1000;

/** Turns in progress in this process, of webhooks whose last turn had a success, and of those that fail. */
const TURNS = 32;
const FAILING_TURNS = 16;

export type DeliveryOutcome = "delivered" | "attempt_failed";

interface WebhookDispatcherOptions
  extends Pick<HubContext, "config" | "database" | "dialect" | "logger" | "now"> {
  /** Called for each attempt. */
  readonly onAttempt: (outcome: DeliveryOutcome) => void;
}

export class WebhookDispatcher {
  readonly #options: WebhookDispatcherOptions;
  readonly #secrets: SecretBox;
  readonly #ending = new AbortController();
  readonly #turns = { usual: new Set<Promise<void>>(), failing: new Set<Promise<void>>() };
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> | undefined;

  constructor(options: WebhookDispatcherOptions) {
    this.#options = options;
    this.#secrets = new SecretBox(options.config.secret, WEBHOOK_SECRETS);
  }

  start(): void {
    this.#timer = setInterval(() => this.#poll(), POLL_INTERVAL_MS);
    this.#poll();
  }

  /** Ends attempts in progress, which then count for nothing: another process makes them. May be called twice. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#ending.abort();
    await this.#polling;
    await Promise.all([...this.#turns.usual, ...this.#turns.failing]);
  }

  /** No-op while running. */
  #poll(): void {
    if (this.#ending.signal.aborted) return;
    this.#polling ??= this.#takeTurns()
      .catch((error: unknown) => this.#options.logger.warn({ err: error }, "cannot read webhooks now"))
      .finally(() => {
        this.#polling = undefined;
      });
  }

  async #takeTurns(): Promise<void> {
    for (const isFailing of [false, true]) {
      const turns = isFailing ? this.#turns.failing : this.#turns.usual;
      const places = (isFailing ? FAILING_TURNS : TURNS) - turns.size;
      if (places === 0) continue;
      for (const turn of await takeTurns(this.#options, isFailing, places)) {
        const running = this.#run(turn).finally(() => {
          turns.delete(running);
          if (turn.deliveries.length > 0) this.#poll(); // there are probably more
        });
        turns.add(running);
      }
    }
  }

  async #run(turn: Turn): Promise<void> {
    const { logger } = this.#options;
    const { id, account_id } = turn.webhook;
    try {
      const results = await this.#send(turn);
      if (await endTurn(this.#options, turn, results))
        logger.warn({ webhook: id, account: account_id }, "disabled a webhook that fails");
    } catch (error) {
      logger.warn({ err: error, webhook: id }, "cannot store the results of a webhook: sending them again");
    }
  }

  async #send({ webhook, deliveries }: Turn): Promise<readonly TurnResult[]> {
    const { now, onAttempt } = this.#options;
    const secrets = this.#secretsOf(webhook);
    const results = await Promise.all(
      deliveries.map(async (delivery): Promise<TurnResult | undefined> => {
        const { id, body } = delivery;
        const timestamp = Math.floor(now() / 1000);
        const headers = signatureFields(secrets, { id, timestamp, body });
        const attempt = await this.#attempt({ url: webhook.url, body, headers }, delivery.event);
        return attempt.kind === "aborted" ? undefined : { delivery, attempt };
      }),
    );
    const made = results.filter((result) => result !== undefined);
    for (const { attempt } of made) onAttempt(outcomeOf(attempt));
    return made;
  }

  /** The secret, and for a while the one that it has replaced. */
  #secretsOf({ id, sealed_secret, former_secret, former_until }: Turn["webhook"]): readonly string[] {
    const hasFormer = former_secret !== null && former_until !== null && former_until > this.#options.now();
    const sealed = hasFormer ? [sealed_secret, former_secret] : [sealed_secret];
    return sealed.map((secret) => this.#secrets.open(secret, id));
  }

  /** A span without the address, of which parts may be secret; the receiver gets its `traceparent`. */
  #attempt(sending: Sending, event: string): Promise<Attempt> {
    const { config } = this.#options;
    const options = { policy: { allowsPrivate: config.allowsPrivateWebhooks }, signal: this.#ending.signal };
    const spanOptions = { kind: SpanKind.CLIENT, attributes: { "svc.event": event } };
    return inSpan("webhook attempt", spanOptions, async (span) => {
      const headers = { ...carriedContext(), ...sending.headers };
      const attempt = await sendWebhook({ ...sending, headers }, options);
      if (attempt.kind === "answered") span.setAttribute("http.response.status_code", attempt.status);
      if (attempt.kind === "failed") span.setAttribute("error.type", attempt.error);
      return attempt;
    });
  }
}

function outcomeOf(attempt: CompletedAttempt): DeliveryOutcome {
  return isSuccess(attempt) ? "delivered" : "attempt_failed";
}
