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
