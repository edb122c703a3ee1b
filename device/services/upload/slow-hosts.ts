/**
 * The machines on the network that have lately held the console's one upload slowly: if one begins again, others need not
 * wait until that is slow, too (docs/spec/uploads.md#upload-slow).
 */

/** Time in which who was slow gets no new time to be fast enough. */
const SLOW_AGAIN_MS = 30_000;

/** Who is slow holds the upload for two seconds, so more cannot take turns within {@link SLOW_AGAIN_MS}. */
const HOSTS_LIMIT = 16;

export class SlowHosts {
  /** When each is forgiven, the earliest first. */
  readonly #forgivenMs = new Map<string, number>();

  add(host: string, nowMs: number): void {
    this.delete(host);
    this.#forgivenMs.set(host, nowMs + SLOW_AGAIN_MS);
    if (this.#forgivenMs.size > HOSTS_LIMIT) this.delete(this.#forgivenMs.keys().next().value as string);
  }

  has(host: string, nowMs: number): boolean {
    const forgivenMs = this.#forgivenMs.get(host);
    return forgivenMs !== undefined && nowMs < forgivenMs;
  }

  /** A file of its has arrived whole. */
  delete(host: string): void {
    this.#forgivenMs.delete(host);
  }
}
