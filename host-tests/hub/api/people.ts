/** Who asks a hub: consoles that have registered, and accounts. */
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import type { HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";

export interface TestDevice {
  readonly deviceId: string;
  readonly token: string;
  /** Until it is claimed. */
  readonly claimCode: string;
  /** What registered it, and does so again. */
  readonly registration: Readonly<Record<string, string>>;
}

export interface TestAccount {
  readonly accountId: string;
  readonly token: string;
}

/** Registration of a console with this MAC and token. */
export function registrationOf(mac: string, token: string = randomUUID()) {
  return {
    device_token: token,
    mac,
    binding: bindingOf(token, mac),
    name: "Console-1A2B",
    arch: "native",
    firmware_version: "1.0.0",
  };
}

export function bindingOf(token: string, mac: string): string {
  return createHmac("sha256", Buffer.from(mac.replaceAll(":", ""), "hex"))
    .update(token)
    .digest("hex");
}

export async function registeredDevice(hub: Pick<HubUnderTest, "origin">): Promise<TestDevice> {
  const octets = Buffer.from([2, 0, ...randomBytes(4)]);
  const token = randomUUID();
  const mac = [...octets].map((octet) => octet.toString(16).padStart(2, "0").toUpperCase()).join(":");
  const registration = registrationOf(mac, token);
  const { status, body } = await request(hub.origin, "POST", "/devices/register", { json: registration });
  if (status !== 201) throw new Error(`Cannot register: ${JSON.stringify(body)}`);
  return { deviceId: body.device_id, token, claimCode: body.claim_code, registration };
}

export async function madeAccount(hub: HubUnderTest): Promise<TestAccount> {
  const { status, body } = await request(hub.origin, "POST", "/accounts");
  if (status !== 201) throw new Error(`Cannot make an account: ${JSON.stringify(body)}`);
  return { accountId: body.account_id, token: body.account_token };
}

export function claim(hub: HubUnderTest, { token }: TestAccount, claimCode: string) {
  return request(hub.origin, "POST", "/account/devices", { token, json: { claim_code: claimCode } });
}

/** A console that the account has claimed. */
export async function heldDevice(hub: HubUnderTest, account: TestAccount): Promise<TestDevice> {
  const device = await registeredDevice(hub);
  const { status, body } = await claim(hub, account, device.claimCode);
  if (status !== 200) throw new Error(`Cannot claim: ${JSON.stringify(body)}`);
  return device;
}
