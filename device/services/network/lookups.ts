/**
 * Lookups of names on behalf of owners that may end before them (docs/spec/capabilities.md#network-names): a resolver
 * cannot be told to stop, and a name server may never answer. So only so many lookups are under way, each counts until
 * the resolver is done with it, whoever has asked, and who has ended is kept by none of them. Who asks for a name that is
 * being looked up already gets the same answer.
 */
import type { OnResolved, Resolver } from "../../../protocol/ports/network.js";
import { parseIpv4, parseIpv6 } from "../identity/identity.js";

/** Somebody who waits for a name. */
interface Waiter {
  readonly name: string;
  onResolved: OnResolved | undefined;
}

const NOBODY: readonly Waiter[] = Object.freeze([]);
const NOTHING: readonly string[] = Object.freeze([]);

export class Lookups {
  readonly #resolver: Resolver;
  readonly #limit: number;
  /** In the order of their requests. Those who have ended are not among them. */
  #waiting: readonly Waiter[] = NOBODY;
  /** The names that the resolver looks up. */
  #names: readonly string[] = NOTHING;

  /** @param limit of the lookups under way */
  constructor(resolver: Resolver, limit: number) {
    this.#resolver = resolver;
    this.#limit = limit;
  }

  /**
   * Calls back once, never during this call. A numeric address resolves to itself, and waits for no other lookup.
   * @returns ends the wait: no callback follows
   * @throws {RangeError} as the resolver does
   */
  resolve(name: string, onResolved: OnResolved): () => void {
    const waiter: Waiter = { name, onResolved };
    const end = () => {
      waiter.onResolved = undefined;
      this.#keep((other) => other !== waiter);
    };
    if (parseIpv4(name) ?? parseIpv6(name))
      this.#resolver.resolve(name, (error, address) => waiter.onResolved?.(error, address));
    else {
      this.#begin(name);
      this.#waiting = [...this.#waiting, waiter];
    }
    return end;
  }

  #keep(isKept: (waiter: Waiter) => boolean): void {
    const kept = this.#waiting.filter(isKept);
    this.#waiting = kept.length === 0 ? NOBODY : kept;
  }

  /** Has a name looked up, unless it is already, or as many are as may be. */
  #begin(name: string): void {
    if (this.#names.includes(name) || this.#names.length >= this.#limit) return;
    this.#resolver.resolve(name, (error, address) => this.#settle(name, error, address));
    this.#names = [...this.#names, name];
  }

  #settle(name: string, error: Error | undefined, address: string | undefined): void {
    const names = this.#names.filter((other) => other !== name);
    this.#names = names.length === 0 ? NOTHING : names;
    const answered = this.#waiting.filter((waiter) => waiter.name === name);
    this.#keep((waiter) => waiter.name !== name);
    this.#beginNext();
    for (const { onResolved } of answered) onResolved?.(error, address);
  }

  #beginNext(): void {
    for (const { name, onResolved } of [...this.#waiting]) {
      try {
        this.#begin(name);
      } catch (error) {
        this.#keep((waiter) => waiter.name !== name);
        onResolved?.(error as Error, undefined);
      }
    }
  }
}
