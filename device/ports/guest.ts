import type { NativeLayout } from "../../protocol/native-image.js";

/**
 * One run of an app: its module in the interpreter, or its native image, on a thread of its own. The engine (`device/wasm/`, C)
 * implements it on every host.
 *
 * The module is loaded in pieces, so that it is never in the heap of the management VM as a whole; then `start` creates
 * the thread. The app's calls of services arrive through `onRequest`; the app waits until `answer`. No callback runs
 * inside a method, and none after `close()`.
 */
export interface Guest {
  /** Appends bytes of the module, `moduleByteLength` in total. */
  load(bytes: Uint8Array): void;
  /**
   * Runs the module's start function and then its export `entry` on a new thread. Later errors are
   * reported through `onExit`.
   * @throws {Error} if no thread can be created
   */
  start(entry: string): void;
  /** Ends the app from any state. `onExit` follows, within a second, with reason `stopped`. */
  stop(): void;
  /**
   * Gives the app no more time from its next call or loop on, until `resume`. What it waits for goes on meanwhile, and
   * it can be stopped. No-op while suspended.
   */
  suspend(): void;
  /** Has a suspended app go on where it was. No-op for others. */
  resume(): void;
  /**
   * Has the app draw on the display and read the buttons, in place of the one that did (docs/spec/apps.md#front). Once it
   * is closed, none does.
   */
  bringToFront(): void;
  /** The pending request, or `undefined`. */
  readonly request: GuestRequest | undefined;
  /**
   * Copies bytes to the app's answer buffer, from `offset` on. Only while a request is pending.
   * @throws {RangeError} beyond the buffer
   */
  writeAnswer(bytes: Uint8Array, offset: number): void;
  /** Ends the app's wait. @param result what the ABI function returns */
  answer(result: number): void;
  /**
   * Removes and returns the oldest queued log line; `lost` counts dropped lines. Lines that arrive after `onLog` was
   * called stay queued until its next call, so that a loop over the queue ends.
   */
  takeLog(): GuestLog | undefined;
  /** Frees everything; stops a running app and waits for its end first. May be called twice. */
  close(): void;
}

export interface GuestOptions {
  /** Names the thread. */
  readonly name: string;
  /** Bytes that `load` gets: of the module, or of the native image's parts and then of the script. */
  readonly moduleByteLength: number;
  /** Bits of `CAPABILITIES`; each call is checked against them. */
  readonly capabilities: number;
  /** Limit of linear memory in bytes; `memory.grow` fails beyond it. */
  readonly memoryQuotaBytes: number;
  /** Native stack of the app's thread (`CONFIG_SVC_WASM_APP_STACK_SIZE`). */
  readonly stackBytes: number;
  /** Deepest nesting of blocks in a function of the module: the compiler recurses for each level. */
  readonly nestedBlocks: number;
  /** Position of the script in what is loaded. */
  readonly script?: { readonly offset: number; readonly byteLength: number };
  /** What is loaded is a native image with this layout, for {@link GuestConstructor.machine}. */
  readonly image?: NativeLayout;
  /** A request is pending in `request`. */
  onRequest(): void;
  /** Log lines are queued for `takeLog`. Called again in a later turn if lines remain after `takeLog` was called. */
  onLog(): void;
  /** The app has ended. Called once; afterwards only `close` is useful. */
  onExit(exit: GuestExit): void;
}

export interface GuestRequest {
  /** Name of the ABI function. */
  readonly function: string;
  /** All parameters, in the order of the ABI table. */
  readonly parameters: readonly number[];
  /** Length of each input buffer of the function, in the order of the ABI table. */
  readonly inputByteLengths: readonly number[];
  /**
   * Copies from input buffer `index`, from `offset` on; piece by piece, because a value can be half as large as the
   * heap of the management VM. The app waits meanwhile, so its memory does not change.
   * @returns the number of bytes copied
   */
  readInput(index: number, into: Uint8Array, offset: number): number;
  /** Size of the app's answer buffer in bytes, 0 without one. */
  readonly room: number;
}

export interface GuestLog {
  readonly level: number;
  readonly text: string;
  /** Lines dropped before this one. */
  readonly lost: number;
}

export interface GuestExit {
  readonly reason: "exit" | "trap" | "stopped" | "quota" | "host_error";
  /** Result of `main` or argument of `exit`. */
  readonly code?: number;
  /** Kind of trap or error. */
  readonly message?: string;
  /** Stack of a trap, innermost function first: function names or `#index`. */
  readonly stack?: readonly string[];
}

export interface GuestConstructor {
  new (options: GuestOptions): Guest;
  /** What native images have to be for, as compilers name it: `x86_64`; `undefined` if none runs here. */
  readonly machine?: string | undefined;
}
