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

/** Nothing has been connected yet, or it was disconnected, or could not be connected; else the state of the link. */
export type SessionState = { readonly phase: "idle"; readonly error?: DeviceError } | LinkState;

/** All functions are fields: they may be taken off the session. */
export interface Session {
  readonly state: ReadonlySignal<SessionState>;
  /** The device while the link is ready. */
  readonly device: ReadonlySignal<Device | undefined>;
  /** Of the console that is connected, or was last; `undefined` before the first. */
  readonly mac: ReadonlySignal<string | undefined>;
  /** The newest, a few seconds old at the most while ready; kept while the link is waiting. */
  readonly status: ReadonlySignal<DeviceStatus | undefined>;
  /** Read anew after each change that the console tells of, or that `run` has brought about. */
  readonly apps: ReadonlySignal<readonly AppEntry[] | undefined>;
  readonly ota: ReadonlySignal<OtaStatus | undefined>;
  /** The newest lines of the log, oldest first, a few thousand at the most; of restarts before too. */
  readonly log: ReadonlySignal<readonly string[]>;
  /**
   * Number of the first line of `log`. Numbers go on for as long as the page is open, so that line i keeps the number
   * `logStart + i` when older ones make room. Set in one `batch` with `log`.
   */
  readonly logStart: ReadonlySignal<number>;
  /** While a file is on its way to the console: over USB, every other request delays it. */
  readonly isUploading: ReadonlySignal<boolean>;
  /**
   * False while a console that is ready has owed an answer for 3 s, as one that hangs does: what is sent then is done later,
   * or never. `run` sends nothing then, and says so.
   */
  readonly isAnswering: ReadonlySignal<boolean>;

  /** Serial ports that this page may open without asking, such as `USB 303a:1001`; in the order of `reconnectUsb`. */
  readonly ports: ReadonlySignal<readonly string[]>;
  /** Of the console in the network that was asked for last, whether it answered or not. */
  readonly lastAddress: ReadonlySignal<string | undefined>;
  /** Consoles in the network that were connected before. */
  readonly remembered: ReadonlySignal<readonly RememberedConsole[]>;
  readonly forget: (address: string) => void;

  /**
   * Asks the browser for a port, which it only shows after a click. None of the three rejects: what goes wrong is in
   * `state` (idle, with the error).
   */
  readonly connectUsb: () => Promise<void>;
  /** @param index of `ports` */
  readonly reconnectUsb: (index: number) => Promise<void>;
  /**
   * @param address `http://…`, or a host with or without a port
   * @param token left out: the one that was given before, if any
   */
  readonly connectHttp: (address: string, token?: string) => Promise<void>;
  readonly disconnect: () => Promise<void>;
  /** While the link waits: tries at once. */
  readonly retryNow: () => void;

  /**
   * Does something with the console and reads apps and firmware state anew. What goes wrong is shown as a notice with
   * what to do about it, and `undefined` is returned.
   * @param what for the notice: "start bricks"
   */
  readonly run: <Result>(
    what: string,
    work: (device: Device) => Promise<Result>,
  ) => Promise<Result | undefined>;

  /**
   * As `run`, for callers that report errors themselves.
   * @throws {DeviceError} besides what `work` throws: no console is there, or it does not answer
   */
  readonly attempt: <Result>(work: (device: Device) => Promise<Result>) => Promise<Result>;

  /** What has gone wrong or well, newest last; each is announced to screen readers. */
  readonly notices: ReadonlySignal<readonly Notice[]>;
  readonly notify: (notice: Omit<Notice, "id">) => void;
  readonly dismiss: (id: number) => void;
}

export interface Notice {
  readonly id: number;
  /** `told` is neutral, such as an action that the user has ended. */
  readonly kind: "done" | "told" | "failed";
  readonly text: string;
  /** What to do about it. */
  readonly advice?: string;
}

export const SessionContext = createContext<Session | undefined>(undefined);

/** The one session of the page, for components. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error("Cannot use a session outside of SessionContext");
  return session;
}

/** @param onOther called each time that the session's console is another one than before */
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
