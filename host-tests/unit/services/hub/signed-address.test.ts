/**
 * Downloads at other origins than the hub's: where a trusted key of the role hub has signed the address
 * (docs/spec/device-hub.md#download-origin).
 */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { expect, test } from "vitest";
import type { SignedAddressPorts } from "../../../../device/services/hub/file-source.js";
import { Fault } from "../../../../protocol/fault.js";
import type { TrustedKey } from "../../../../protocol/keys/trusted-keys.js";
import { flashedStorage } from "../firmware/emulated-update.js";
import { HubRun, sampleHub } from "./emulated-hub.js";

const URL = "https://files.example/tetris.svcpkg";

const keyPair = () => generateKeyPairSync("ed25519");
const HUB_KEY = keyPair();
const signed = (text: string, { privateKey }: { readonly privateKey: KeyObject } = HUB_KEY) =>
  sign(null, Buffer.from(text), privateKey).toString("hex");

const publicKey = new Uint8Array(HUB_KEY.publicKey.export({ format: "der", type: "spki" }).subarray(-32));

/** Trusts one key, with the role hub alone. */
const trustedKeys: SignedAddressPorts["trustedKeys"] = {
  find: async (role, test) => {
    const key = { publicKey, label: "hub", roles: ["hub"], publisher: publicKey } as unknown as TrustedKey;
    return role === "hub" && (await test(key)) ? key : undefined;
  },
};
const NO_FILE: SignedAddressPorts["trustedKeys"] = {
  find: () => Promise.reject(new Fault("signature_invalid", "The console trusts no key")),
};

/** The error of an app that is ordered from there; it is never at the sample hub, so one that is asked for fails too. */
async function errorOf(download_url: string, download_url_signature?: string, keys = trustedKeys) {
  const hub = sampleHub();
  hub.files.set(download_url, new Fault("app_not_found", "It was asked for"));
  const installer = { appLimitBytes: 0, begin: () => ({ abort: () => {} }) as never };
  const run = new HubRun(flashedStorage(), { hub, trustedKeys: keys, installer }).connect();
  const [result] = await run.say({
    type: "app.install",
    command_id: "one",
    app_id: "tetris",
    version: "1.0.0",
    download_url,
    ...(download_url_signature !== undefined && { download_url_signature }),
  });
  return { error: (result as { error?: string }).error, asked: hub.asked };
}

test("An address signed by a trusted hub key is requested", async () => {
  expect(await errorOf(URL, signed(URL))).toEqual({ error: "app_not_found", asked: [URL] });
});

const REFUSED = [
  { name: "of another address", signature: signed(`${URL}?x`) },
  { name: "of another key", signature: signed(URL, keyPair()) },
  { name: "that is invalid", signature: "ab" },
  { name: "of another length", signature: `${signed(URL)}00` },
];
for (const { name, signature } of REFUSED)
  test(`A signature ${name} is rejected before any request`, async () => {
    expect(await errorOf(URL, signature)).toEqual({ error: "download_refused", asked: [] });
  });

test("A console without trusted keys rejects it too", async () => {
  expect(await errorOf(URL, signed(URL), NO_FILE)).toEqual({ error: "download_refused", asked: [] });
});

test("An address at the hub is requested whatever its signature", async () => {
  for (const url of ["http://192.0.2.1:8080/file", "https://any.example/api/v1/file"])
    expect(await errorOf(url, "ab")).toEqual({ error: "app_not_found", asked: [url] });
});
