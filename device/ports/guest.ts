/**
 * One run of an app: its module in the interpreter, on a thread of its own. The engine (`device/wasm/`, C)
 * is behind it on every host.
 *
 * The module is handed over in pieces, so that it never stands in the heap of the management VM, then
 * `start` gives it a thread. What the app asks of services arrives through `onRequest`; the app waits
 * until `answer`. No callback runs inside a method, and none after `close()`.
 */
export interface Guest {
  /** Takes the next bytes of the module. Together they are `moduleByteLength`. */
  load(bytes: Uint8Array): void;
  /**
   * Runs the module's start function and then its export `entry` on a new thread. What goes wrong from here
   * on is told through `onExit`.
   * @throws {Error} where no thread can be had
   */
  start(entry: string): void;
  /** Ends the app from any state. `onExit` follows, within a second, with reason `stopped`. */
  stop(): void;
  /** The request that waits, `undefined` where there is none. */
  readonly request: GuestRequest | undefined;
  /**
   * Puts bytes where the app has room for them, from `offset` of that room on. Only while a request waits.
   * @throws {RangeError} past the room
   */
  writeAnswer(bytes: Uint8Array, offset: number): void;
  /** Ends the app's wait. @param result what the ABI function returns */
  answer(result: number): void;
  /**
   * Takes a log line that has waited, the oldest first; `lost` counts what the app wrote too fast. Lines
   * that come after `onLog` has been called wait for its next call, so that taking comes to an end.
   */
  takeLog(): GuestLog | undefined;
  /** Frees everything; a running app is stopped first and waited for. May be called twice. */
  close(): void;
}

export interface GuestOptions {
  /** Names the thread. */
  readonly name: string;
  readonly moduleByteLength: number;
  /** Bits of `CAPABILITIES` that each call is checked against. */
  readonly capabilities: number;
  /** Linear memory in bytes, beyond which `memory.grow` fails. */
  readonly memoryQuotaBytes: number;
  /** Native stack that the app may use (`CONFIG_SVC_WASM_APP_STACK_SIZE`). */
  readonly stackBytes: number;
  /** Most blocks within blocks in a function of the module: its compiler recurses for each. */
  readonly nestedBlocks: number;
  /** Where the script lies in the module. */
  readonly script?: { readonly offset: number; readonly byteLength: number };
  /** A request waits in `request`. */
  onRequest(): void;
  /** Log lines wait for `takeLog`. Where it was called and lines are left, this comes again in a turn to come. */
  onLog(): void;
  /** The app has ended; comes once, after which only `close` is of use. */
  onExit(exit: GuestExit): void;
}

export interface GuestRequest {
  /** Name of the ABI function. */
  readonly function: string;
  /** All parameters as they came, in the order of the ABI table. */
  readonly parameters: readonly number[];
  /** Bytes of each stretch of memory that the function reads, in the order of the ABI table. */
  readonly inputByteLengths: readonly number[];
  /**
   * Copies from the stretch `index`, from `offset` on; pieces, because a value may be half as large as the
   * heap of the management VM. The app waits meanwhile, so its memory does not change.
   * @returns the bytes copied
   */
  readInput(index: number, into: Uint8Array, offset: number): number;
  /** Room in bytes that the app has for an answer, 0 where it takes none. */
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
  /** What `main` returned or `exit` was given. */
  readonly code?: number;
  /** What kind of trap or error. */
  readonly message?: string;
  /** Function names or `#index` of a trap's stack, innermost first. */
  readonly stack?: readonly string[];
}

export type GuestConstructor = new (options: GuestOptions) => Guest;
