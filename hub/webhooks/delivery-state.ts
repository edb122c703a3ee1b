/**
 * State machine of a delivery, and of its webhook. Pure: no database access.
 *
 * ```
 *   pending ── a 2xx answer ───────────────> delivered
 *    │   ▲     the last attempt failed, or ─> failed
 *    │   │     the webhook was disabled
 *    └───┘ another answer, or none: again, after a while
 * ```
 *
 * A webhook has its turns, and sends several deliveries in each. After a turn without any success its next one waits and
 * sends a single delivery, so that a receiver that is down costs little, until one succeeds. After days of it, or at an
 * answer 410 (gone), the hub disables the webhook.
 */
import type { WebhookDeliveryState } from "../database/schema.js";
import type { Attempt } from "./send-webhook.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Waits after the first attempt, the second one, …: three days in all, as Standard Webhooks recommends. */
const RETRY_MS: readonly number[] = Object.freeze([
  ...[5000, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS, 14 * HOUR_MS],
  ...[20 * HOUR_MS, 24 * HOUR_MS],
]);

/** Longest wait of a webhook between two turns, while deliveries are due. */
export const WEBHOOK_WAIT_LIMIT_MS = 5 * MINUTE_MS;

/** Failing as long as this disables a webhook: longer than all attempts of one delivery take. */
const DISABLE_MS = 5 * 24 * HOUR_MS;

/** Share of a wait by which it varies, so that what failed together is not tried again together. */
const JITTER = 0.1;

const GONE = 410;

export interface DeliveryStatus {
  readonly state: WebhookDeliveryState;
  readonly attempts: number;
  readonly next_at: number;
  readonly status: number | null;
  readonly error: string | null;
}

export type CompletedAttempt = Exclude<Attempt, { readonly kind: "aborted" }>;

export function isSuccess(attempt: CompletedAttempt): boolean {
  return attempt.kind === "answered" && attempt.status >= 200 && attempt.status < 300;
}

/** @param random from 0 to 1 */
export function afterAttempt(
  before: Pick<DeliveryStatus, "attempts">,
  attempt: CompletedAttempt,
  now: number,
  random: number,
): DeliveryStatus {
  const attempts = before.attempts + 1;
  const status = attempt.kind === "answered" ? attempt.status : null;
  const error = attempt.kind === "failed" ? attempt.error : null;
  if (isSuccess(attempt)) return { state: "delivered", attempts, next_at: now, status, error };
  const wait = RETRY_MS[attempts - 1];
  if (wait === undefined) return { state: "failed", attempts, next_at: now, status, error };
  return { state: "pending", attempts, next_at: now + varied(wait, random), status, error };
}

export interface WebhookStatus {
  readonly failures: number;
  readonly failing_since: number | null;
  readonly disabled_at: number | null;
}

/** @param attempts of one turn, at least one */
export function afterTurn(
  before: WebhookStatus,
  attempts: readonly CompletedAttempt[],
  now: number,
): WebhookStatus {
  const isGone = attempts.some((attempt) => attempt.kind === "answered" && attempt.status === GONE);
  if (attempts.some(isSuccess) && !isGone) return { failures: 0, failing_since: null, disabled_at: null };
  const failing_since = before.failing_since ?? now;
  const isOver = isGone || now - failing_since >= DISABLE_MS;
  return { failures: before.failures + 1, failing_since, disabled_at: isOver ? now : null };
}

/** The wait of a webhook after that many turns without success. @param random from 0 to 1 */
export function turnWaitMs(failures: number, random: number): number {
  if (failures === 0) return 0;
  return varied(Math.min(RETRY_MS[failures - 1] ?? WEBHOOK_WAIT_LIMIT_MS, WEBHOOK_WAIT_LIMIT_MS), random);
}

function varied(waitMs: number, random: number): number {
  return Math.round(waitMs * (1 + JITTER * random));
}
