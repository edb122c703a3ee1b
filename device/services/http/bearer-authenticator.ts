/**
 * Bearer authentication and rate limit when `CONFIG_SVC_HTTP_AUTH` is on (docs/spec/http.md#auth), shared by HTTP and
 * WebSocket, so that an address does not get twice the guesses.
 *
 * Counts only wrong tokens: a client that does not know yet that it needs a token is not guessing.
 */
import { Fault } from "../../../protocol/fault.js";
import type { Clock } from "../../../protocol/ports/timer.js";
import { TOKEN_ADDRESS_LIMIT, TOKEN_FAILURE_LIMIT, TOKEN_FAILURE_WINDOW_MS } from "./limits.js";

export interface BearerAuthenticatorOptions {
  readonly isRequired: boolean;
  /** Read at each request, since the token can be replaced. */
  readonly token: { readonly value: string };
  readonly clock: Clock;
}

interface Failures {
  readonly address: string;
  readonly sinceMs: number;
  count: number;
}

const SCHEME = "bearer ";

export class BearerAuthenticator {
  readonly #options: BearerAuthenticatorOptions;
  /** Oldest first, since each entry begins a window of the same length. */
  #failures: Failures[] = [];

  constructor(options: BearerAuthenticatorOptions) {
    this.#options = options;
  }

  get isRequired(): boolean {
    return this.#options.isRequired;
  }

  /**
   * Lets a request pass or throws.
   * @param address where it came from
   * @param presented the token it brought, `undefined` where it brought none
   * @throws {Fault} `unauthorized`, `too_many_attempts` with `retry_after_s`
   */
  check(address: string | undefined, presented: string | undefined): void {
    if (!this.#options.isRequired) return;
    const nowMs = this.#options.clock.uptimeMs();
    const failures = this.#failuresOf(address ?? "", nowMs);
    if (failures && failures.count >= TOKEN_FAILURE_LIMIT) throw tooMany(failures, nowMs);
    if (presented === undefined) throw new Fault("unauthorized", "A bearer token is missing");
    if (isEqual(presented, this.#options.token.value)) return;
    if (failures) failures.count++;
    else this.#remember({ address: address ?? "", sinceMs: nowMs, count: 1 });
    throw new Fault("unauthorized", "The bearer token is wrong");
  }

  /**
   * The same, without counting guesses: a wrong token is refused and not counted.
   * @throws {Fault} `unauthorized`
   */
  require(presented: string | undefined): void {
    if (this.#options.isRequired && !this.isHeldBy(presented))
      throw new Fault("unauthorized", "A bearer token is missing, or wrong");
  }

  /** Whether the request brought the token that holds now, be it required or not. Counts no failure. */
  isHeldBy(presented: string | undefined): boolean {
    return presented !== undefined && isEqual(presented, this.#options.token.value);
  }

  #failuresOf(address: string, nowMs: number): Failures | undefined {
    this.#failures = this.#failures.filter(({ sinceMs }) => nowMs - sinceMs < TOKEN_FAILURE_WINDOW_MS);
    return this.#failures.find((failures) => failures.address === address);
  }

  #remember(failures: Failures): void {
    if (this.#failures.length >= TOKEN_ADDRESS_LIMIT) this.#failures.shift();
    this.#failures.push(failures);
  }
}

/** The token in an Authorization field (RFC 6750 §2.1), `undefined` for other schemes. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return authorization?.slice(0, SCHEME.length).toLowerCase() === SCHEME
    ? authorization.slice(SCHEME.length).trim()
    : undefined;
}

function tooMany({ sinceMs }: Failures, nowMs: number): Fault {
  const waitS = Math.ceil((sinceMs + TOKEN_FAILURE_WINDOW_MS - nowMs) / 1000);
  return new Fault("too_many_attempts", `Too many wrong tokens; try again in ${waitS} s`, {
    details: { retry_after_s: waitS },
  });
}

/**
 * Takes as long for a token that is wrong at its end as for one that is wrong at its beginning
 * (docs/spec/http.md#auth-compare).
 */
function isEqual(presented: string, token: string): boolean {
  let difference = presented.length ^ token.length;
  for (let at = 0; at < token.length; at++)
    difference |= (presented.charCodeAt(at) || 0) ^ token.charCodeAt(at);
  return difference === 0;
}
