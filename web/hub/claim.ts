/** Claims the connected console for an account, with the claim code that the console reports over the cable. */
import type { HubStatus } from "../../protocol/device/answers.js";
import type { DeviceRecord } from "../../protocol/hub/answers/devices.js";
import { parseHubAddress } from "../../protocol/hub/hub-address.js";
import { isThisComputer } from "./hub-address.js";
import type { HubClient } from "./hub-client.js";
import { HubError } from "./hub-error.js";

/** The methods of `Device` that a claim needs. */
interface ClaimedConsole {
  hub(): Promise<HubStatus>;
  setHub(url: string): Promise<HubStatus>;
}

export interface ClaimOptions {
  readonly device: ClaimedConsole;
  readonly client: Pick<HubClient, "address" | "claim">;
  /** Reports the current step, for progress display. */
  readonly onStep: (step: string) => void;
  /** Waits for about {@link PAUSE_MS}. */
  readonly pause: () => Promise<void>;
}

export const PAUSE_MS = 500;
/** 30 s in all: a console registers within seconds, and retries one second after a failure. */
const PAUSES = 60;

/**
 * Sets the console's hub if it has none, waits until the console has registered there, and claims it.
 * @throws {HubError} `hub_differs`, `console_not_registered`, `console_claimed`, and the errors of `HubClient.claim`
 */
export async function claimConsole({ device, client, onStep, pause }: ClaimOptions): Promise<DeviceRecord> {
  onStep("Asking the console for its hub …");
  const { url } = await device.hub();
  if (url === "") {
    onStep("Sending this hub’s address to the console …");
    await device.setHub(client.address);
  } else if (!isSameHub(url, client.address)) throw differs(url);
  onStep("Waiting until the console has registered with the hub …");
  const code = await claimCode(device, client.address, pause);
  onStep("Adding the console to your account …");
  return client.claim(code);
}

/** Whether two addresses name the same hub, for example with and without a trailing slash. */
export function isSameHub(one: string, other: string): boolean {
  const [a, b] = [parseHubAddress(one), parseHubAddress(other)];
  return a.origin === b.origin && a.apiPath === b.apiPath;
}

async function claimCode(
  device: ClaimedConsole,
  address: string,
  pause: () => Promise<void>,
): Promise<string> {
  for (let count = 0; count < PAUSES; count++) {
    const { claim_code, connected } = await device.hub();
    if (claim_code !== undefined) return claim_code;
    if (connected) throw claimed();
    await pause();
  }
  throw new HubError("console_not_registered", notRegistered(address));
}

function notRegistered(address: string): string {
  const where = isThisComputer(address)
    ? `For the console, ${address} is the console itself: use an address of the hub that it can reach`
    : "Connect it to a network that reaches the hub";
  return `The console did not reach the hub within half a minute. ${where}`;
}

function differs(url: string): HubError {
  return new HubError("hub_differs", `The console uses the hub at ${url}`);
}

function claimed(): HubError {
  return new HubError("console_claimed", "The console is in an account already");
}
