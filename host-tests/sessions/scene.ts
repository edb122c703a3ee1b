/**
 * What a recorded session is made of: scenes, each of them one connection over one transport, on which steps are
 * taken in turn. A step sends bytes and waits for what the console has to say to them.
 *
 * `«name»` in what is sent stands for bytes that a recording does not show: see {@link Attachments}.
 */

/** Bytes by the name under which a step sends them: what is different each time, or nothing to read. */
export type Attachments = Readonly<Record<string, Uint8Array>>;

export interface HttpStep {
  readonly send: string;
  /** Of the requests in it, in their order, since the answer to a HEAD has no body; left out: its first word. */
  readonly methods?: readonly string[];
  /** Sent again until the answer matches, for what happens on another thread; the last answer is recorded. */
  readonly until?: RegExp;
}

export const OPCODES = Object.freeze({ text: 1, binary: 2, close: 8, ping: 9, pong: 10 });
export type Opcode = keyof typeof OPCODES;

export interface ClientFrame {
  readonly opcode: Opcode;
  /** A character for each byte; left out: none. */
  readonly payload?: string;
  /** Left out: it is, as it has to be. */
  readonly isMasked?: boolean;
}

/** A request, or a frame, that gets one answer; or frames that are taken until a text matches. */
export type WebSocketStep =
  | { readonly send: string }
  | { readonly frame: ClientFrame }
  | { readonly until: RegExp };

export interface UsbStep {
  readonly send: string;
  /** How many lines that are no events come; left out: one. */
  readonly answers?: number;
  /** Events that come with the answers, before or after them: a line for each matches. */
  readonly events?: readonly RegExp[];
}

export type Scene =
  | { readonly title: string; readonly over: "HTTP"; readonly steps: readonly HttpStep[] }
  | { readonly title: string; readonly over: "WebSocket"; readonly steps: readonly WebSocketStep[] }
  | { readonly title: string; readonly over: "USB"; readonly steps: readonly UsbStep[] };
