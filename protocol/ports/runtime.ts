/**
 * Ports of the runtime: timers and clock, memory outside the heap, and base64.
 */

/** Conversions that every engine has natively, and a source of randomness. */
export interface Base64 {
  encode(bytes: Uint8Array): string;
  /** Takes RFC 4648 §4 with padding and nothing else; throws on any other character or length. */
  decode(text: string): ArrayBuffer;
}

export interface Random {
  /** Fills `into` from a cryptographic source (the part of Web Crypto that services need). */
  getRandomValues(into: Uint8Array): unknown;
}

/**
 * Memory outside of the management VM's heap (PSRAM on a board), for the few buffers that are too large for
 * a heap of 128 KiB.
 */
export interface Memory {
  /**
   * @returns a block of zeros
   * @throws {Error} where there is none left
   */
  allocate(byteLength: number): MemoryBlock;
}

export interface MemoryBlock {
  /** Has no length once the block is closed. */
  readonly bytes: Uint8Array;
  /** Gives the block back. May be called twice. */
  close(): void;
}

/** Timers and the clock, in milliseconds: the part of the Moddable SDK's `timer` that services need. */
export interface Timer {
  /** Calls back once. */
  set(callback: () => void, milliseconds: number): TimerHandle;
  /** Calls back again and again. */
  repeat(callback: () => void, milliseconds: number): TimerHandle;
  /** Clearing `undefined`, or a timer that has fired, does nothing. */
  clear(timer: TimerHandle | undefined): void;
}

declare const brand: unique symbol;
/** The host's handle of a timer. */
export type TimerHandle = { readonly [brand]?: never } & object;

export interface Clock {
  /** Milliseconds since boot; never goes back. */
  uptimeMs(): number;
}
