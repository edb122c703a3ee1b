/**
 * The state of the connected console for panels, as signals: a panel is rendered again when a signal that it reads
 * changes. One session per page; `useSession` passes it to components.
 */
import { effect, type ReadonlySignal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Device } from "../../device-client/device.js";
import type { DeviceError } from "../../device-client/device-error.js";
import type { LinkState } from "../../device-client/link-state.js";
import type { AppEntry, DeviceStatus, OtaStatus } from "../../protocol/device/answers.js";
import type { RememberedConsole } from "./stored.js";

/** Idle before the first connection, after a disconnect, or after a failed attempt; else the state of the link. */
export type SessionState = { readonly phase: "idle"; readonly error?: DeviceError } | LinkState;

/** All functions are fields, so that components can destructure them. */
export interface Session {
  readonly state: ReadonlySignal<SessionState>;
  /** The device while the link is ready. */
  readonly device: ReadonlySignal<Device | undefined>;
  /** MAC of the present or last console; `undefined` before the first one. */
  readonly mac: ReadonlySignal<string | undefined>;
  /** Newest status, at most a few seconds old while ready; kept while the link is waiting. */
  readonly status: ReadonlySignal<DeviceStatus | undefined>;
  /** Refreshed after each change that the console reports, and after `run`. */
  readonly apps: ReadonlySignal<readonly AppEntry[] | undefined>;
  readonly ota: ReadonlySignal<OtaStatus | undefined>;
  /** The newest lines of the log, oldest first, at most a few thousand; including earlier runs. */
  readonly log: ReadonlySignal<readonly string[]>;
  /**
   * Number of the first line of `log`. Numbers go on for as long as the page is open, so that line i keeps the number
   * `logStart + i` when older ones make room. Set in one `batch` with `log`.
   */
  readonly logStart: ReadonlySignal<number>;
  /** During an upload: over USB, every other request delays it. */
  readonly isUploading: ReadonlySignal<boolean>;
  /**
   * False while a ready console has not answered for 3 s, for example because it hangs: it would execute further
   * requests later or never. `run` then fails with a notice instead of sending.
   */
  readonly isAnswering: ReadonlySignal<boolean>;

  /** Serial ports that this page may open without asking, such as `USB 303a:1001`; in the order of `reconnectUsb`. */
  readonly ports: ReadonlySignal<readonly string[]>;
  /** Address of the last attempt over the network, successful or not. */
  readonly lastAddress: ReadonlySignal<string | undefined>;
  /** Network consoles that were connected before. */
  readonly remembered: ReadonlySignal<readonly RememberedConsole[]>;
  readonly forget: (address: string) => void;

  /**
   * Asks the browser for a port, which is possible only after a click. The connect functions do not reject: errors are
   * in `state` (idle, with the error).
   */
  readonly connectUsb: () => Promise<void>;
  /** @param index of `ports` */
  readonly reconnectUsb: (index: number) => Promise<void>;
  /**
   * @param address `http://…`, or a host with or without a port
   * @param token default: the stored token, if any
   */
  readonly connectHttp: (address: string, token?: string) => Promise<void>;
  readonly disconnect: () => Promise<void>;
  /** While the link waits: retries now. */
  readonly retryNow: () => void;

  /**
   * Runs `work` on the console, then refreshes apps and firmware state. Shows an error as a notice with advice, and
   * returns `undefined`.
   * @param what the action, for the notice; for example "start bricks"
   */
  readonly run: <Result>(
    what: string,
    work: (device: Device) => Promise<Result>,
  ) => Promise<Result | undefined>;

  /**
   * Like `run`, for callers that report errors themselves.
   * @throws {DeviceError} errors of `work`; without a console, or if it does not answer
   */
  readonly attempt: <Result>(work: (device: Device) => Promise<Result>) => Promise<Result>;

  /** Notices of errors and successes, newest last; screen readers announce each. */
  readonly notices: ReadonlySignal<readonly Notice[]>;
  readonly notify: (notice: Omit<Notice, "id">) => void;
  readonly dismiss: (id: number) => void;
}

export interface Notice {
  readonly id: number;
  /** `told` is neutral, such as an action that the user cancelled. */
  readonly kind: "done" | "told" | "failed";
  readonly text: string;
  /** Suggested action. */
  readonly advice?: string;
}

export const SessionContext = createContext<Session | undefined>(undefined);

/** The one session of the page, for components. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error("Cannot use a session outside of SessionContext");
  return session;
}

/**
 * View states outlive their panels and the link: use this to reset the state of one console before another is shown.
 * @param onOther called when the session's console changes
 */
export function watchForOther(session: Pick<Session, "mac">, onOther: () => void): void {
  let last = session.mac.peek();
  effect(() => {
    const mac = session.mac.value;
    if (mac === last) return;
    const isFirst = last === undefined;
    last = mac;
    if (!isFirst) onOther();
  });
}
