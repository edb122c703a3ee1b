/**
 * How often one caller may search the catalogue, in each process (docs/spec/hub-api.md#search-budget). A search costs the
 * database up to 20 ms, a hundred times as much as most requests, and where the catalogue is public, strangers search.
 */
import type { FastifyRequest } from "fastify";
import { callerKey } from "../api/request-budgets.js";
import { addressKey, clientAddress } from "../auth/client-address.js";
import type { HubConfig } from "../config/read-config.js";
import { TokenBuckets } from "../limits/token-buckets.js";

/** Five in a second: more than a search at each pause in typing. */
const SEARCHES_PER_MINUTE = 300;

export class SearchBudget {
  readonly #trustsProxy: boolean;
  readonly #buckets = new TokenBuckets(SEARCHES_PER_MINUTE);

  constructor({ trustsProxy }: Pick<HubConfig, "trustsProxy">) {
    this.#trustsProxy = trustsProxy;
  }

  /** Counts a search of the request's caller, or of its address. @throws {Fault} `too_many_attempts` */
  take({ caller, raw }: FastifyRequest): void {
    this.#buckets.take(caller ? callerKey(caller) : addressKey(clientAddress(raw, this.#trustsProxy)));
  }
}
