/** What mcconfig is given to build firmware of. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { type BoardFirmwareOptions, writeProject } from "../../../../boards/moddable/project.js";
import { temporaryDirectory } from "../../../hosts/simulator-program.js";

const root = path.join(import.meta.dirname, "../../../..");
const temporary = temporaryDirectory();
afterAll(() => temporary.remove());

const read = (name: string) => readFileSync(path.join(temporary.path, name), "utf8");

async function manifestOf(options: Partial<BoardFirmwareOptions> = {}) {
  await writeProject(temporary.path, { version: "1.2.3", ...options });
  return JSON.parse(read("manifest.json"));
}

test("a project includes the console's manifest and replaces the modules of firmware facts, web page and home screen", async () => {
  const { include, modules } = await manifestOf({ codename: "Merlin", trustedKeys: "A\nB\n" });
  const { "~": leftOut, ...replaced } = modules;
  expect(include).toBe(path.join(root, "device/manifest.json"));
  expect(replaced).toEqual({
    "device/services/firmware/firmware-facts": "./firmware-facts",
    "device/services/page/web-page": "./web-page",
    "device/services/home/home-app": "./home-app",
  });
  expect(leftOut).toEqual(Object.keys(replaced).map((original) => path.join(root, original)));
  for (const original of leftOut) expect(existsSync(`${original}.ts`)).toBe(true);
  expect(read("firmware-facts.js")).toContain(
    '{"version":"1.2.3","codename":"Merlin","trustedKeys":["A\\nB\\n"]}',
  );
  const gzipWord = 0x00088b1f; // RFC 1952 §2.3: ID1, ID2, CM and FLG
  expect(read("web-page.js").split("\n")[2]).toContain(`"/": Object.freeze({`);
  expect(read("web-page.js").split("\n")[2]).toContain(`decodePage(["[${gzipWord},`);
  const wasmWord = 0x6d736100; // "\0asm"
  expect(read("home-app.js")).toContain(`module: decodePage(["[${wasmWord},`);
});

test("revocations and security version are in the firmware facts", async () => {
  await manifestOf({ revocations: "TElTVA==", securityVersion: 3 });
  const facts = JSON.parse(/freeze\((.*)\);$/.exec(read("firmware-facts.js"))?.[1] ?? "");
  expect(facts).toMatchObject({ version: "1.2.3", revocations: ["TElTVA=="], securityVersion: 3 });
});

test("a project with a fault replaces the main program as well", async () => {
  const { modules } = await manifestOf({ fault: "hang" });
  expect(modules).toMatchObject({ "device/main": "./faulty-main" });
  expect(modules["~"]).toContain(path.join(root, "device/main"));
  expect(read("faulty-main.js")).not.toBe("");
});

test("build options of the project go into its config.options, under names that the console's manifest has", async () => {
  const config = {
    CONFIG_SVC_ALLOW_UNSIGNED_APPS: true,
    CONFIG_SVC_HTTP_ALLOWED_ORIGINS: "https://a.example",
  };
  const usual = JSON.parse(readFileSync(path.join(root, "device/manifest.json"), "utf8")).config.options;
  expect((await manifestOf({ config })).config).toEqual({ options: config });
  expect(Object.keys(usual)).toEqual(expect.arrayContaining(Object.keys(config)));
  expect((await manifestOf()).config).toEqual({ options: {} });
});
