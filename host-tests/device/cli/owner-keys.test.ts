/** `svc keys add`, `list` and `remove`: a console with firmware of others runs the apps of who owns it (docs/spec/keys.md#owner-keys). */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { HomeUser } from "../../hosts/home-user.js";
import { Publisher } from "../../hosts/publisher.js";
import { Svc, svc, svcFailure, svcJson, temporaryFolder } from "./svc-process.js";

const folder = temporaryFolder();
const own = new Publisher();
const publicKey = path.join(folder.path, "own.pub.pem");
const app = path.join(folder.path, "tetris.svcpkg");
let console: AppConsole;
let overNetwork: string[];
const overCable = () => ["--device", `usb:${console.usb}`];

beforeAll(async () => {
  const bytes = packageOf(await moduleOf('(module (memory 1) (func (export "main")))'));
  writeFileSync(publicKey, own.pem);
  writeFileSync(app, bytes);
  writeFileSync(`${app}.sig`, own.sign(bytes));
  console = await startAppConsole();
  const { token } = await svcJson(["token", ...overCable()]);
  overNetwork = ["--device", console.http, "--token", token];
});
afterEach(async () => {
  for (const { key } of (await svcJson(["keys", "list", ...overCable()])).keys)
    await svcJson(["keys", "remove", key, ...overCable()]);
});
afterAll(async () => {
  await console?.stop();
  folder.remove();
});

test("over the cable a key is added and removed at once, and its apps install", async () => {
  expect(await svc(["keys", "list", ...overCable()])).toMatchObject({
    status: 0,
    stdout: "no keys of the owner\n",
  });
  const refused = await svcFailure(["install", app, ...overCable()]);
  expect(refused).toMatchObject({ error: "signature_invalid" });
  expect(refused.advice).toContain("svc keys add");
  expect(await svcJson(["keys", "add", publicKey, ...overCable()])).toEqual({ keys: [{ key: own.hex }] });
  expect(await svc(["keys", "list", ...overCable()])).toMatchObject({ status: 0, stdout: `${own.hex}\n` });
  expect(await svcJson(["install", app, ...overCable()])).toMatchObject({ name: "tetris" });
  const digits = own.hex.slice(0, 16).toUpperCase();
  expect(await svcJson(["keys", "remove", digits, ...overCable()])).toEqual({ keys: [] });
  expect(await svcFailure(["start", "tetris", ...overCable()])).toMatchObject({
    error: "signature_invalid",
  });
});

test.each([
  ["Allow", 0, true],
  ["Refuse", 1, false],
] as const)("over the network it waits for the display: %s", async (choice, status, isAdded) => {
  const user = await HomeUser.of(console);
  const adding = new Svc(["keys", "add", publicKey, ...overNetwork]);
  try {
    await user.reads("Let this key sign apps?");
    await adding.until(({ stderr }) => stderr.includes(own.hex.replace(/.{4}(?=.)/g, "$& ")));
    await user.moveTo(choice);
    await user.tap("a");
  } finally {
    await user.close();
  }
  const end = await adding.ended;
  expect(end.status).toBe(status);
  expect(end.stdout).toBe(isAdded ? `${own.hex}\n` : "");
  if (!isAdded) expect(end.stderr).toContain("declined");
});

test.each([
  ["a private key for a public one", () => ["keys", "add", privateKey()], /private/],
  ["no key at all", () => ["keys", "add", app], /key/],
])("%s is refused before the console is asked", async (_name, args, text) => {
  expect((await svc([...args(), ...overCable()])).stderr).toMatch(text);
  expect((await svcJson(["keys", "list", ...overCable()])).keys).toEqual([]);
});

test("a key that is not there, or too few of its digits, is told", async () => {
  await svcJson(["keys", "add", publicKey, ...overCable()]);
  for (const digits of ["0123456789abcdef", own.hex.slice(0, 15)])
    expect(await svcFailure(["keys", "remove", digits, ...overCable()])).toMatchObject({
      error: "key_not_found",
    });
});

test("without the token the network is told how to become the owner", async () => {
  const refused = await svcFailure(["keys", "add", publicKey, "--device", console.http]);
  expect(refused).toMatchObject({ error: "unauthorized" });
});

function privateKey(): string {
  const file = path.join(folder.path, "own.pem");
  writeFileSync(file, own.privatePem);
  return file;
}
