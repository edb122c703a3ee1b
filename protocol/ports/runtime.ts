/**
 * Ports of the runtime: base64, randomness, memory outside the heap, timers and the clock.
 */

/** Base64 by the engine's native code. */
export interface Base64 {
  encode(bytes: Uint8Array): string;
  /** Decode RFC 4648 §4 with padding; throws on any other character or length. */
  decode(text: string): ArrayBuffer;
}

export interface Random {
  /** Fill `into` from a cryptographically secure source (the part of Web Crypto that services need). */
  getRandomValues(into: Uint8Array): unknown;
}

/**
 * Memory outside the management VM's heap (PSRAM on a board), for buffers that are too large for a heap of 128 KiB.
 */
export interface Memory {
  /**
   * @returns a block filled with zeros; the caller closes it
   * @throws {Error} when no memory is left
   */
  allocate(byteLength: number): MemoryBlock;
}

export interface MemoryBlock {
  /** Length 0 once the block is closed. */
  readonly bytes: Uint8Array;
  /** Free the block. Can be called twice. */
  close(): void;
}

/** Timers and the clock, in milliseconds: the part of the Moddable SDK's `timer` that services need. */
export interface Timer {
  /** Call back once. */
  set(callback: () => void, milliseconds: number): TimerHandle;
  /** Call back repeatedly. */
  repeat(callback: () => void, milliseconds: number): TimerHandle;
  /** Cancel a timer; no-op for `undefined` and for a timer that has fired. */
  clear(timer: TimerHandle | undefined): void;
}

declare const brand: unique symbol;
/** The host's handle of a timer. */
export type TimerHandle = { readonly [brand]?: never } & object;

export interface Clock {
  /** Milliseconds since boot; never goes back. */
  uptimeMs(): number;
}
