/** Long files of trusted keys, in a board's heap. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { getJson } from "../../hosts/http-client.js";
import { isMissing } from "../../hosts/peers.js";
import {
  type CertificateFields,
  newKeys,
  pem,
  writeCertificate,
} from "../../unit/protocol/keys/certificate-writer.js";

const certificate = (fields: CertificateFields) => pem("CERTIFICATE", writeCertificate(fields));
const root = { subject: "root", isAuthority: true } as const;

/** As many different certificates of one name as fit. */
const sameNameCertificates = () =>
  Array.from({ length: 140 }, () => certificate({ ...root, keys: newKeys() })).join("");
const foreignKeys = (count: number) =>
  Array.from({ length: count }, () => pem("PUBLIC KEY", newKeys().spki)).join("");

describe.skipIf(isMissing("multilib"))("A 32-bit console", () => {
  let console: AppConsole;
  let file: Uint8Array;
  beforeAll(async () => {
    console = await startAppConsole({ variant: "m32" });
    file = packageOf(await moduleOf('(module (memory 1) (func (export "main")))'));
  });
  afterAll(() => console.stop());

  async function install(trustedKeys: string): ReturnType<typeof installOverHttp> {
    writeFileSync(path.join(console.state, "lfs/hub/trusted_keys.pem"), trustedKeys);
    const answer = await installOverHttp(console, { file, signature: console.publisher.sign(file) });
    expect((await getJson(`${console.http}/api/system`)).reset_reason).toBe("power_on");
    return answer;
  }
  const refused = { status: 403, body: { error: "signature_invalid" } };

  const KEYS = [
    { name: "200 foreign keys", others: () => foreignKeys(200) },
    { name: "40 equal certificates", others: () => certificate({ ...root, keys: newKeys() }).repeat(40) },
    { name: "140 certificates of one name", others: sameNameCertificates },
  ];
  for (const { name, others } of KEYS) {
    test(`accepts a package whose key follows ${name}`, async () => {
      expect(await install(others() + console.publisher.pem)).toMatchObject({ status: 200 });
      await console.app("uninstall");
    });
    test(`rejects a package that ${name} did not sign, and keeps running`, async () => {
      expect(await install(others())).toMatchObject(refused);
    });
  }

  test("answers other requests while it tries the keys of a long file", async () => {
    const installed = install(foreignKeys(100) + console.publisher.pem);
    let isDone = false;
    const done = installed.finally(() => {
      isDone = true;
    });
    let answers = 0;
    while (!isDone) {
      await getJson(`${console.http}/api/system`);
      answers++;
    }
    expect(await done).toMatchObject({ status: 200 });
    expect(answers).toBeGreaterThan(5);
  });
});
