/** What the project of ESP-IDF is given (boards/esp-idf/builder). */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { hostModules } from "../../../../boards/esp-idf/builder/host-modules.js";
import { settingsOf } from "../../../../boards/esp-idf/builder/idf.js";
import { definesOf, mergedDefines } from "../../../../boards/esp-idf/builder/project.js";
import { INCLUDES, projectSources } from "../../../../boards/esp-idf/builder/sources.js";
import { standInsFor } from "../../../../boards/rv32/builder/stand-ins.js";
import { CertificateMaker } from "../../../hosts/certificates.js";
import { isMissing } from "../../../hosts/peers.js";

const { engine, interpreter, host } = await projectSources();
const modules = await hostModules({ httpPort: 8080 });

test("every source and folder of headers is there, and no two objects have the same name", () => {
  const sources = [...interpreter, ...host];
  expect(sources.filter((file) => !existsSync(file))).toEqual([]);
  expect(INCLUDES.filter((folder) => !existsSync(folder))).toEqual([]);
  const names = [...engine, ...sources].map((file) => path.basename(file));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test("every host function that a module names is in a source of the project", async () => {
  const texts = await Promise.all(host.map((file) => readFile(file, "utf8")));
  expect(standInsFor(modules, texts)).toBe('#include "machine.h"\n');
});

test("the board's modules replace the desktop's, and the project's the board's", () => {
  const textOf = (specifier: string) =>
    modules.find((module) => module.specifier === specifier)?.bytes.toString() ?? "";
  expect(textOf("svc/system")).toContain('architecture: "xtensa"');
  expect(textOf("svc/wifi")).toContain("This board has no radio");
  expect(textOf("mc/config")).toBe('export default Object.freeze({"httpPort":8080});');
});

test("host functions that a module names and no source defines are stand-ins", () => {
  const text =
    'class Radio extends Native("xs_radio_destructor") { on() { native("xs_radio_on"); native("xs_known"); } }';
  const stands = standInsFor(
    [{ specifier: "svc/radio", bytes: Buffer.from(text) }],
    ["void xs_known(xsMachine *the)\n{\n}\n"],
  );
  expect(stands).toContain("void xs_radio_destructor(void *data)");
  expect(stands).toContain("void xs_radio_on(xsMachine *the)");
  expect(stands).not.toContain("xs_known");
});

test("defines of a later manifest replace single values of an earlier one", () => {
  const board = { chip: "#ESP32", display: { select: 15, dc: 2 }, pins: { free: [18, 19] } };
  const merged = mergedDefines(board, { display: { select: -1 }, radio: { absent: 1 } });
  expect(definesOf(merged)).toBe(
    [
      '#define MODDEF_CHIP "ESP32"',
      "#define MODDEF_DISPLAY_SELECT -1",
      "#define MODDEF_DISPLAY_DC 2",
      "#define MODDEF_PINS_FREE { 18, 19 }",
      "#define MODDEF_RADIO_ABSENT 1",
      "",
    ].join("\n"),
  );
});

test("an image says its version, and trusts ESP-IDF's authorities unless others are named", async () => {
  expect(await settingsOf({ version: "7.8.9" })).toBe('CONFIG_APP_PROJECT_VER="7.8.9"\n');
});

test.skipIf(isMissing("openssl"))(
  "an image with --hub-ca trusts the authorities of the file alone, and no server's certificate (skipped without openssl)",
  async () => {
    const directory = mkdtempSync(path.join(tmpdir(), "idf-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const maker = new CertificateMaker(directory);
    const hubCa = maker.save(maker.make({ commonName: "Authority", isAuthority: true }));
    expect((await settingsOf({ version: "7.8.9", hubCa })).split("\n")).toEqual([
      'CONFIG_APP_PROJECT_VER="7.8.9"',
      "CONFIG_MBEDTLS_CERTIFICATE_BUNDLE_DEFAULT_FULL=n",
      "CONFIG_MBEDTLS_CERTIFICATE_BUNDLE_DEFAULT_NONE=y",
      "CONFIG_MBEDTLS_CUSTOM_CERTIFICATE_BUNDLE=y",
      `CONFIG_MBEDTLS_CUSTOM_CERTIFICATE_BUNDLE_PATH="${hubCa}"`,
      "",
    ]);
    const server = maker.save(maker.make({ commonName: "Server", names: ["DNS:hub.example"] }));
    await expect(settingsOf({ version: "7.8.9", hubCa: server })).rejects.toThrow(/certificate authorities/);
  },
);
