/** A board's configuration, in the version that firmware is built in. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readBoardConfiguration, writeBoardConfiguration } from "../../../boards/board-configuration.js";
import { BUILDS, titleOf } from "../../../boards/board-manifest.js";
import { configurationFiles } from "../../../boards/boards.js";
import { CertificateMaker, type CertificateOptions } from "../../hosts/certificates.js";
import { isMissing } from "../../hosts/peers.js";

const directory = mkdtempSync(path.join(tmpdir(), "configuration-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const maker = new CertificateMaker(directory);
const linesIn = (file: string) => readFileSync(file, "utf8").split("\n");
const written = () => linesIn(path.join(directory, "sdkconfig.defaults")).filter((line) => line !== "");

for (const { board, ethernet } of BUILDS) {
  const title = titleOf({ board, ...(ethernet && { ethernet }) });

  test(`the sdkconfig of ${title} differs from the project's in the version alone`, async () => {
    await writeBoardConfiguration(directory, "7.8.9", board, { ethernet });
    const original = [...(await readBoardConfiguration(board, ethernet))].map((pair) => pair.join("="));
    expect(written().filter((line, index) => line !== original[index])).toEqual([
      'CONFIG_APP_PROJECT_VER="7.8.9"',
    ]);
    expect(written().length).toBe(original.length);
  });

  test(`each line of the files for ${title} is a setting or a comment, and the last of a name holds`, async () => {
    const lines = configurationFiles(board, ethernet).flatMap(linesIn);
    const settings = lines.filter((line) => line !== "" && !line.startsWith("#"));
    const last = new Map(settings.map((line) => line.split("=") as [string, string]));
    expect(Object.fromEntries(await readBoardConfiguration(board, ethernet))).toEqual(
      Object.fromEntries(last),
    );
  });
}

describe.skipIf(isMissing("openssl"))("with --hub-ca, a board (skipped without openssl)", () => {
  const file = (certificate: CertificateOptions) => maker.save(maker.make(certificate));

  test("trusts the authorities of the file alone", async () => {
    const authorities = file({ commonName: "Authority", isAuthority: true });
    await writeBoardConfiguration(directory, "7.8.9", "esp32s3", { hubCa: authorities });
    expect(written()).toEqual(
      expect.arrayContaining([
        "CONFIG_MBEDTLS_CERTIFICATE_BUNDLE_DEFAULT_NONE=y",
        `CONFIG_MBEDTLS_CUSTOM_CERTIFICATE_BUNDLE_PATH="${authorities}"`,
      ]),
    );
  });

  test("is not built with a server's certificate, or with none", async () => {
    const problem = /is not a list of certificate authorities in PEM/;
    const build = (hubCa: string) => writeBoardConfiguration(directory, "7.8.9", "esp32s3", { hubCa });
    const server = file({ commonName: "Server", names: ["DNS:hub.example"] });
    await expect(build(server)).rejects.toThrow(problem);
    await expect(build(import.meta.filename)).rejects.toThrow(problem);
    await expect(build("absent.pem")).rejects.toThrow(/Cannot read/);
  });
});
