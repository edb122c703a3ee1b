import { generateKeyPairSync } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { checkTrustedKeys, provideTrustedKeys } from "../../../tools/trusted-keys.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { newKeys, pem, writeCertificate } from "../protocol/keys/certificate-writer.js";

const temporary = temporaryDirectory();
afterAll(() => temporary.remove());
const file = path.join(temporary.path, "keys.pem");

function check(content: string) {
  writeFileSync(file, content);
  return checkTrustedKeys(file);
}

const exported = (pair: ReturnType<typeof newPair>) =>
  pair.publicKey.export({ type: "spki", format: "pem" }).toString();
const newPair = () => generateKeyPairSync("ed25519");
const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" })
  .publicKey.export({ type: "spki", format: "pem" })
  .toString();
const selfSigned = pem("CERTIFICATE", writeCertificate({ subject: "root", keys: newKeys() }));

describe("A file of trusted keys is accepted", () => {
  const GOOD = [
    { name: "with a public key", content: exported(newPair()), problems: 0 },
    { name: "with a self-signed certificate", content: selfSigned, problems: 0 },
    {
      name: "with one usable key, reporting the others",
      content: p256 + selfSigned,
      problems: 1,
    },
  ];
  for (const { name, content, problems } of GOOD)
    test(name, async () => {
      const checked = await check(content);
      expect(checked.pem).toBe(content);
      expect(checked.problems).toHaveLength(problems);
    });
});

describe("A file of trusted keys is rejected, by name and with the reason,", () => {
  const BAD = [
    { name: "that is empty", content: "", reason: "no PUBLIC KEY and no CERTIFICATE" },
    { name: "of boundaries alone", content: "-----BEGIN PUBLIC KEY-----\n", reason: "does not end" },
    { name: "with a key of another type", content: p256, reason: "line 1: PUBLIC KEY cannot be used" },
    {
      name: "with a certificate without a chain to a root",
      content: pem("CERTIFICATE", writeCertificate({ subject: "leaf", keys: newKeys(), issuer: "root" })),
      reason: "does not lead to a self-signed certificate",
    },
    {
      name: "with a private key",
      content: newPair().privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      reason: "only PUBLIC KEY and CERTIFICATE are",
    },
  ];
  for (const { name, content, reason } of BAD)
    test(name, async () => {
      const message = await check(content).then(
        () => "",
        (error) => error.message,
      );
      expect(message).toContain(file);
      expect(message).toContain(reason);
    });
});

describe("A file of trusted keys", () => {
  const FIRST = exported(newPair());
  const SECOND = exported(newPair());
  const OF_FIRMWARE = exported(newPair());

  let state: string;
  const trusted = () => path.join(state, "lfs/hub/trusted_keys.pem");
  beforeEach(() => {
    state = mkdtempSync(path.join(temporary.path, "state-"));
  });

  /** The trusted keys after a start with that file, or without a file. */
  async function start(content?: string): Promise<string> {
    if (content !== undefined) writeFileSync(file, content);
    await provideTrustedKeys(state, content === undefined ? undefined : file);
    return readFileSync(trusted(), "utf8");
  }
  const confirmFirmware = () => writeFileSync(trusted(), OF_FIRMWARE);

  test("is installed at the first start, which then creates no keys", async () => {
    expect(await start(FIRST)).toBe(FIRST);
    expect(existsSync(path.join(state, "keys"))).toBe(false);
  });

  test("replaces keys of unknown origin", async () => {
    mkdirSync(path.dirname(trusted()), { recursive: true });
    confirmFirmware();
    expect(await start(FIRST)).toBe(FIRST);
  });

  test("does not replace the keys of confirmed firmware if it was installed last, whatever its name", async () => {
    await start(FIRST);
    confirmFirmware();
    expect(await start(FIRST)).toBe(OF_FIRMWARE);
    const copy = path.join(state, "copy.pem");
    writeFileSync(copy, FIRST);
    await provideTrustedKeys(state, copy);
    expect(await start()).toBe(OF_FIRMWARE);
  });

  test("is installed if it differs from the last installed one, also if it was installed before that", async () => {
    await start(FIRST);
    confirmFirmware();
    expect(await start(SECOND)).toBe(SECOND);
    expect(await start(FIRST)).toBe(FIRST);
  });

  test("is installed again if the keys are missing", async () => {
    await start(FIRST);
    rmSync(trusted());
    expect(await start(FIRST)).toBe(FIRST);
  });

  test("replaces a development key created since", async () => {
    await start(FIRST);
    rmSync(trusted());
    const developmentKey = await start();
    expect(developmentKey).not.toBe(FIRST);
    expect(await start(FIRST)).toBe(FIRST);
  });

  test("without keys is rejected, and changes nothing", async () => {
    await start(FIRST);
    await expect(start("")).rejects.toThrow("no PUBLIC KEY and no CERTIFICATE");
    expect(await start()).toBe(FIRST);
  });
});
