/**
 * How many requests an address and a token may send in a minute (docs/spec/hub-api.md#request-budget): generous limits, so
 * that a program that has gone wild, or a stranger, leaves room for others. Endpoints whose work is expensive have smaller
 * ones of their own (`callsPerMinute`).
 */
import type { IncomingMessage } from "node:http";
import type { Caller } from "../auth/authentication.js";
import { addressKey, clientAddress } from "../auth/client-address.js";
import type { HubConfig } from "../config/read-config.js";
import { type Budget, TokenBuckets } from "../limits/token-buckets.js";

export class RequestBudgets {
  readonly #trustsProxy: boolean;
  readonly #byAddress: TokenBuckets | undefined;
  readonly #byToken: TokenBuckets | undefined;

  constructor({
    trustsProxy,
    requestsPerMinute,
    addressRequestsPerMinute,
  }: Pick<HubConfig, "trustsProxy" | "requestsPerMinute" | "addressRequestsPerMinute">) {
    this.#trustsProxy = trustsProxy;
    this.#byAddress = addressRequestsPerMinute > 0 ? new TokenBuckets(addressRequestsPerMinute) : undefined;
    this.#byToken = requestsPerMinute > 0 ? new TokenBuckets(requestsPerMinute) : undefined;
  }

  /**
   * Counts a request of an address, before its token is looked up, which may cost a statement.
   * @returns what the answer tells of the budget
   * @throws {Fault} `too_many_attempts`
   */
  countAddress(raw: IncomingMessage): Budget | undefined {
    return this.#byAddress?.take(addressKey(clientAddress(raw, this.#trustsProxy)));
  }

  /** Takes back a request that {@link countAddress} has counted. */
  giveBackAddress(raw: IncomingMessage): void {
    this.#byAddress?.giveBack(addressKey(clientAddress(raw, this.#trustsProxy)));
  }

  /** @returns what the answer tells of the budget, instead of the address's @throws {Fault} `too_many_attempts` */
  countCaller(caller: Caller): Budget | undefined {
    return this.#byToken?.take(callerKey(caller));
  }
}

/** Header fields of an answer that tells of a budget, most do not: three more fields cost a tenth of the fastest answers. */
export function budgetFields({ perMinute, remaining, resetS }: Budget): Readonly<Record<string, number>> {
  return { "ratelimit-limit": perMinute, "ratelimit-remaining": remaining, "ratelimit-reset": resetS };
}

/** Of the limits of single endpoints: an account has one of each, however many tokens it makes. */
export function ownerKey(caller: Caller): string {
  return caller.kind === "account" ? caller.accountId : callerKey(caller);
}

/** The id of the token's owner: the same however the token is written. */
export function callerKey(caller: Caller): string {
  switch (caller.kind) {
    case "account":
      return caller.member?.id ?? caller.accountId;
    case "device":
      return caller.deviceId;
    case "publisher":
      return caller.publisherId;
    default:
      return caller satisfies never;
  }
}
