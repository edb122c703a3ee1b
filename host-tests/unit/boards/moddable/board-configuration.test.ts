/** The board's configuration, in the version that firmware is built in. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { writeBoardConfiguration } from "../../../../boards/moddable/board-configuration.js";
import { CertificateMaker, type CertificateOptions } from "../../../hosts/certificates.js";
import { isMissing } from "../../../hosts/peers.js";
import { boardDirectory, boardManifest } from "../../esp32/board-manifest.js";

const directory = mkdtempSync(path.join(tmpdir(), "configuration-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const maker = new CertificateMaker(directory);
const linesOf = (folder: string) => readFileSync(path.join(folder, "sdkconfig.defaults"), "utf8").split("\n");

test("the board's sdkconfig differs from the project's in the version alone", async () => {
  await writeBoardConfiguration(directory, "7.8.9");
  const original = linesOf(path.join(boardDirectory, "sdkconfig"));
  const changed = linesOf(directory).filter((line, index) => line !== original[index]);
  expect(changed).toEqual(['CONFIG_APP_PROJECT_VER="7.8.9"']);
  expect(linesOf(directory).length).toBe(original.length);
});

describe.skipIf(isMissing("openssl"))("with --hub-ca, a board (skipped without openssl)", () => {
  const file = (certificate: CertificateOptions) => maker.save(maker.make(certificate));

  test("trusts the authorities of the file alone", async () => {
    const authorities = file({ commonName: "Authority", isAuthority: true });
    await writeBoardConfiguration(directory, "7.8.9", authorities);
    expect(linesOf(directory)).toEqual(
      expect.arrayContaining([
        "CONFIG_MBEDTLS_CERTIFICATE_BUNDLE_DEFAULT_NONE=y",
        `CONFIG_MBEDTLS_CUSTOM_CERTIFICATE_BUNDLE_PATH="${authorities}"`,
      ]),
    );
  });

  test("is not built with a server's certificate, or with none", async () => {
    const problem = /is not a list of certificate authorities in PEM/;
    const server = file({ commonName: "Server", names: ["DNS:hub.example"] });
    await expect(writeBoardConfiguration(directory, "7.8.9", server)).rejects.toThrow(problem);
    await expect(writeBoardConfiguration(directory, "7.8.9", import.meta.filename)).rejects.toThrow(problem);
    await expect(writeBoardConfiguration(directory, "7.8.9", "absent.pem")).rejects.toThrow(/Cannot read/);
  });
});

test("the manifest takes SDKCONFIGPATH from the environment if set", () => {
  expect(boardManifest.build["SDKCONFIGPATH ?="]).toBe("./sdkconfig");
});
