/** Shared by the tests of the client: connections that are closed after each test, and waiting. */
import { Device } from "../../../device-client/device.js";
import { openTransport } from "../../../device-client/node/open-device.js";
import type { Transport } from "../../../device-client/transport.js";
import type { Console } from "../../hosts/simulator.js";

export const TRANSPORTS = ["http", "usb"] as const;
export type TransportKind = (typeof TRANSPORTS)[number];
type Addresses = Pick<Console, "http" | "usb">;

/** The code with which a promise rejects, or "fulfilled". */
export const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "fulfilled",
    ({ code }) => code,
  );

/** Opened objects, closed from first to last. */
export const opened: { close(): Promise<unknown> }[] = [];

/** For `afterEach`. */
export async function closeAll(): Promise<void> {
  for (const one of opened.splice(0)) await one.close();
}

export async function open(kind: TransportKind, { http, usb }: Addresses): Promise<Transport> {
  const transport = await openTransport(kind === "http" ? http : `usb:${usb}`);
  opened.push(transport);
  return transport;
}

export async function connect(kind: TransportKind, to: Addresses): Promise<Device> {
  return Device.identify(await open(kind, to));
}

/** Waits for conditions, which each call of `check` evaluates. */
export function waiter() {
  const waiting = new Set<() => void>();
  return {
    check: () => {
      for (const wake of [...waiting]) wake();
    },
    until: (holds: () => boolean) =>
      new Promise<void>((resolve) => {
        const wake = () => {
          if (!holds()) return;
          waiting.delete(wake);
          resolve();
        };
        waiting.add(wake);
        wake();
      }),
  };
}
