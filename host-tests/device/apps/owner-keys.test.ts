/**
 * The owner of a console adds a key of their own, and its apps run (docs/spec/keys.md#owner-keys): over the cable at once,
 * over the network after a yes on the display, which nobody can give from there.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { writeRevocationList } from "../../../protocol/keys/revocation-list.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { HomeUser } from "../../hosts/home-user.js";
import { askHttp, closedConnectionsNoticed } from "../../hosts/http-client.js";
import { Publisher } from "../../hosts/publisher.js";
import { overUsb } from "../../hosts/usb-client.js";

const LOOP = '(module (memory 1) (func (export "main") (loop $again (br $again))))';
const OWN = "/api/keys/owner";
/** Decodes as a point of small order. */
const SMALL = `01${"0".repeat(62)}`;

const trusted = new Publisher();
let state: string;
let console: AppConsole;
let token: string;
let file: Uint8Array;

const overCable = (method: string, at: string, params: Record<string, string | number> = {}) =>
  overUsb(console, (usb) => usb.request(method, at, params));
const add = (key: string) => overCable("POST", OWN, { key });
const remove = (key: string) => overCable("POST", OWN, { key, remove: "true" });
const listed = async () => (await askHttp(`${console.http}${OWN}`)).body;
const keysOf = async () => (await listed()).keys.map(({ key }: { key: string }) => key);
const asOwner = () => ({ authorization: `Bearer ${token}` });
const askOver = (query: string, headers: Record<string, string> = asOwner()) =>
  askHttp(`${console.http}${OWN}?${query}`, { method: "POST", headers });
const install = (publisher: Publisher, bytes = file) =>
  installOverHttp(console, { file: bytes, signature: publisher.sign(bytes) });
const ownFile = () => path.join(state, "lfs/hub/owner_keys.pem");

async function start(): Promise<void> {
  console = await startAppConsole({ state, publisher: trusted });
  token = (await overCable("GET", "/api/auth/token")).body.token;
}

async function restart(): Promise<void> {
  await console.stop();
  await start();
}

beforeAll(async () => {
  file = packageOf(await moduleOf(LOOP));
});

describe("A key of the owner", () => {
  beforeEach(async () => {
    state = mkdtempSync(path.join(tmpdir(), "console-"));
    await start();
  });
  afterEach(async () => {
    await console.stop();
    rmSync(state, { recursive: true, force: true });
  });

  test("signs apps once it was added over the cable, also after a restart; once it was removed they stop, stay, and start no more", async () => {
    const own = new Publisher();
    expect(await install(own)).toMatchObject({ status: 403, body: { error: "signature_invalid" } });
    expect(await add(own.hex)).toMatchObject({ status: 200, body: { keys: [{ key: own.hex }] } });
    expect(await add(own.hex)).toMatchObject({ status: 200, body: { keys: [{ key: own.hex }] } });
    expect((await install(own)).status).toBe(200);
    await restart();
    expect((await console.app("start")).status).toBe(200);
    expect(await keysOf()).toEqual([own.hex]);

    expect(await remove(own.hex.slice(0, 16))).toMatchObject({ status: 200, body: { keys: [] } });
    await console.until(({ state }) => state === "stopped");
    expect(await console.app("start")).toMatchObject({ status: 403, body: { error: "signature_invalid" } });
    expect((await install(own)).status).toBe(403);
    expect(existsSync(ownFile())).toBe(false);
    await restart();
    expect((await console.app("start")).status).toBe(403);

    await add(own.hex);
    expect((await console.app("start")).status).toBe(200);
  });

  test("that the firmware trusts, too, counts as the firmware's: its apps go on without it", async () => {
    expect((await add(trusted.hex)).status).toBe(200);
    await install(trusted);
    await remove(trusted.hex);
    expect((await console.app("start")).status).toBe(200);
  });

  test("has the role app alone, whatever its file says, and the trusted keys are as they were", async () => {
    const own = new Publisher();
    const before = readFileSync(path.join(state, "lfs/hub/trusted_keys.pem"), "utf8");
    await add(own.hex);
    expect(readFileSync(path.join(state, "lfs/hub/trusted_keys.pem"), "utf8")).toBe(before);
    await console.stop();
    writeFileSync(ownFile(), `# roles: firmware, hub, native\n${own.pem}`);
    await start();
    expect((await install(own)).status).toBe(200);
    const list = writeRevocationList({
      number: 1,
      keys: [trusted.publicKey],
      signer: own.publicKey,
      sign: (message) => own.signBytes(message),
    });
    const body = Uint8Array.from(list);
    expect(await askHttp(`${console.http}/api/keys/revocations`, { method: "POST", body })).toMatchObject({
      status: 403,
      body: { error: "signature_invalid" },
    });
    // As a hub it vouches for nobody.
    const stranger = new Publisher();
    const publisher = own.vouchFor(stranger, file);
    const vouched = await installOverHttp(console, { file, signature: stranger.sign(file), publisher });
    expect(vouched).toMatchObject({ status: 403, body: { error: "signature_invalid" } });
  });

  test("is revoked by a list of the firmware's key, also when it is added again", async () => {
    const own = new Publisher();
    await add(own.hex);
    await install(own);
    await console.app("start");
    const list = writeRevocationList({
      number: 1,
      keys: [own.publicKey],
      signer: trusted.publicKey,
      sign: (message) => trusted.signBytes(message),
    });
    await askHttp(`${console.http}/api/keys/revocations`, { method: "POST", body: Uint8Array.from(list) });
    await console.until(({ state }) => state === "stopped");
    expect((await install(own)).status).toBe(403);
    expect((await remove(own.hex)).body).toEqual({ keys: [] });
    expect((await add(own.hex)).status).toBe(200);
    expect([(await install(own)).status, (await console.app("start")).status]).toEqual([403, 403]);
  });

  test("is removed while the list of revoked keys is damaged, which leaves no key trusted", async () => {
    const own = new Publisher();
    await add(own.hex);
    writeFileSync(path.join(state, "lfs/hub/revocations.bin"), "x");
    expect((await install(own)).status).toBe(403);
    expect((await remove(own.hex)).body).toEqual({ keys: [] });
  });

  test("goes with a factory reset, as its apps do", async () => {
    const own = new Publisher();
    await add(own.hex);
    await install(own);
    const from = console.stderr.length;
    await overCable("POST", "/api/factory-reset");
    await console.waitForLine(/is ready/, from);
    await closedConnectionsNoticed();
    expect([await keysOf(), await console.apps()]).toEqual([[], []]);
    expect((await install(own)).status).toBe(403);
    expect((await install(trusted)).status).toBe(200);
  });

  const DAMAGED: readonly (readonly [string, string | Uint8Array, number])[] = [
    ["nothing", "", 0],
    ["zeros", new Uint8Array(300), 0],
    ["no text", Uint8Array.of(0xff, 0xfe, 0x0a, 0xf0), 0],
    ["more than a kilobyte", new Publisher().pem.repeat(20), 0],
    ["a block that is cut off", new Publisher().pem.slice(0, 60), 0],
    ["six keys", Array.from({ length: 6 }, () => new Publisher().pem).join(""), 4],
    [
      "a key, and a block of another kind",
      `${new Publisher().pem}-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n`,
      1,
    ],
  ];
  test("in a damaged file counts as far as it can be read; the console starts, says so, and takes another", async () => {
    for (const [what, content, count] of DAMAGED) {
      await console.stop();
      mkdirSync(path.dirname(ownFile()), { recursive: true });
      writeFileSync(ownFile(), content);
      await start();
      expect([what, (await keysOf()).length]).toEqual([what, count]);
      expect([what, console.stderr.join("\n").includes("owner's keys: of a damaged file")]).toEqual([
        what,
        true,
      ]);
      expect(readFileSync(ownFile())).toEqual(Buffer.from(content));
      expect((await install(trusted)).status).toBe(200);
    }
    const own = new Publisher();
    expect((await add(own.hex)).status).toBe(200);
    expect(await keysOf()).toContain(own.hex);
  });
});

describe("A console refuses", () => {
  beforeAll(async () => {
    state = mkdtempSync(path.join(tmpdir(), "console-"));
    await start();
  });
  afterAll(async () => {
    await console.stop();
    rmSync(state, { recursive: true, force: true });
  });

  const REFUSED: readonly (readonly [string, Record<string, string>, number, string])[] = [
    ["no key", {}, 400, "missing_parameter"],
    ["what are no digits", { key: "x".repeat(64) }, 422, "keys_invalid"],
    ["upper case", { key: trusted.hex.toUpperCase().replace(/[0-9]/g, "A") }, 422, "keys_invalid"],
    ["62 digits", { key: "ab".repeat(31) }, 422, "keys_invalid"],
    ["66 digits", { key: "ab".repeat(33) }, 422, "keys_invalid"],
    ["a key of small order", { key: SMALL }, 422, "keys_invalid"],
    ["what is no point of the curve", { key: `02${"0".repeat(62)}` }, 422, "keys_invalid"],
    ["to remove an unknown key", { key: "ab".repeat(32), remove: "true" }, 404, "key_not_found"],
    ["to remove by 15 digits", { key: "a".repeat(15), remove: "true" }, 404, "key_not_found"],
    ["to remove by nothing", { key: "", remove: "true" }, 404, "key_not_found"],
    ["a flag that is none", { key: trusted.hex, remove: "yes" }, 400, "bad_parameter"],
  ];
  test.each(REFUSED)("%s", async (_, params, status, error) => {
    expect(await overCable("POST", OWN, params)).toMatchObject({ status, body: { error } });
    expect(await askOver(String(new URLSearchParams(params)))).toMatchObject({ status, body: { error } });
    expect(await listed()).toEqual({ keys: [] });
  });

  test("a fifth key, until one is removed", async () => {
    const own = Array.from({ length: 5 }, () => new Publisher().hex);
    for (const key of own.slice(0, 4)) expect((await add(key)).status).toBe(200);
    const fifth = own[4] as string;
    expect(await add(fifth)).toMatchObject({ status: 409, body: { error: "too_many_keys" } });
    expect(await askOver(`key=${fifth}`)).toMatchObject({ status: 409, body: { error: "too_many_keys" } });
    await remove(own[0] as string);
    expect((await add(fifth)).body.keys.map(({ key }: { key: string }) => key)).toEqual(own.slice(1));
    for (const key of own.slice(1)) await remove(key);
  });

  test("two that are added at the same time where one fits", async () => {
    for (let count = 0; count < 3; count++) await add(new Publisher().hex);
    await overUsb(console, async (usb) => {
      const both = [new Publisher(), new Publisher()].map(({ hex }) =>
        usb.request("POST", OWN, { key: hex }),
      );
      expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([200, 409]);
    });
    for (const key of await keysOf()) await remove(key);
  });

  test("a stranger of the network, with or without a wrong token", async () => {
    const key = new Publisher().hex;
    for (const headers of [{}, { authorization: "Bearer x" }])
      for (const query of [`key=${key}`, `key=${key}&remove=true`])
        expect(await askOver(query, headers)).toMatchObject({ status: 401, body: { error: "unauthorized" } });
    expect(await listed()).toEqual({ keys: [] });
  });

  test("a page of another origin, though it has the token", async () => {
    const key = new Publisher().hex;
    for (const origin of ["http://evil.example", "null"])
      expect(await askOver(`key=${key}`, { ...asOwner(), origin })).toMatchObject({
        status: 403,
        body: { error: "foreign_origin" },
      });
    expect(await listed()).toEqual({ keys: [] });
  });

  test("a GET, with the token or not", async () => {
    const key = new Publisher().hex;
    for (const headers of [{}, asOwner()])
      expect((await askHttp(`${console.http}${OWN}?key=${key}`, { headers })).body).toEqual({ keys: [] });
  });
});

describe("Over the network the console asks on its display", () => {
  let user: HomeUser;
  beforeEach(async () => {
    state = mkdtempSync(path.join(tmpdir(), "console-"));
    await start();
    user = await HomeUser.of(console);
  });
  afterEach(async () => {
    await user.close();
    await console.stop();
    rmSync(state, { recursive: true, force: true });
  });

  const press = (pressed: number) =>
    askHttp(`${console.http}/api/buttons?pressed=${pressed}`, { method: "POST", headers: asOwner() });
  const answer = (id: string, accept: boolean) =>
    askHttp(`${console.http}/api/hub/questions?id=${id}&accept=${accept}`, {
      method: "POST",
      headers: asOwner(),
    });
  const [DOWN, A, SELECT] = [2, 16, 512];
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  test("a yes there adds the key, and a yes removes it", async () => {
    const own = new Publisher();
    expect((await askOver(`key=${own.hex}`)).body).toEqual({ keys: [], question: "add_key-1" });
    expect((await askOver(`key=${own.hex}`)).body).toEqual({ keys: [], question: "add_key-1" });
    expect((await askHttp(`${console.http}/api/hub/questions`)).body).toEqual({
      questions: [{ id: "add_key-1", kind: "add_key", name: own.hex }],
    });
    expect((await install(own)).status).toBe(403);
    await user.reads("Let this key sign apps?");
    await user.reads(own.hex.replace(/.{4}(?=.)/g, "$& ").slice(0, 24));
    await user.moveTo("Allow");
    await user.tap("a");
    await expect.poll(listed).toEqual({ keys: [{ key: own.hex }] });
    expect((await install(own)).status).toBe(200);

    expect((await askOver(`key=${own.hex}&remove=true`)).body.question).toBe("remove_key-2");
    await user.reads("Forget this key?");
    await user.moveTo("Forget");
    await user.tap("a");
    await expect.poll(listed).toEqual({ keys: [] });
  });

  test("a no there adds nothing, and no other question comes in its two minutes", async () => {
    const key = new Publisher().hex;
    await askOver(`key=${key}`);
    expect(await askOver(`key=${new Publisher().hex}`)).toMatchObject({
      status: 503,
      body: { error: "busy" },
    });
    await user.reads("Let this key sign apps?");
    await user.moveTo("Refuse");
    await user.tap("a");
    await expect.poll(listed).toEqual({ keys: [] });
    expect(await askOver(`key=${key}`)).toMatchObject({ status: 503, body: { error: "busy" } });
    expect((await user.ask("POST", OWN, { key })).status).toBe(200);
  });

  test("the token cannot say yes, neither by an answer nor by buttons, held before or pressed then", async () => {
    const key = new Publisher().hex;
    await press(DOWN);
    const { question } = (await askOver(`key=${key}`)).body;
    expect(await answer(question, true)).toMatchObject({ status: 404, body: { error: "usb_only" } });
    await user.reads("Let this key sign apps?");
    for (let round = 0; round < 6; round++)
      for (const pressed of [DOWN, 0, A, 0]) {
        await press(pressed);
        await pause(120);
      }
    expect(await listed()).toEqual({ keys: [], question });
    await user.reads("Let this key sign apps?");
    // It takes its question back, and then its buttons count again.
    expect((await answer(question, false)).body).toEqual({ questions: [] });
    expect(await answer(question, true)).toMatchObject({ status: 404, body: { error: "command_not_found" } });
    await user.sees("the grid", ({ isHome }) => isHome);
    await pause(1000); // so soon after a card no button counts
    await press(SELECT);
    await user.reads("Settings");
    expect(await listed()).toEqual({ keys: [] });
  });

  test("the cable answers for who holds the console", async () => {
    const own = new Publisher();
    const { question } = (await askOver(`key=${own.hex}`)).body;
    expect((await user.ask("POST", "/api/hub/questions", { id: question, accept: "true" })).body).toEqual({
      questions: [],
    });
    expect(await listed()).toEqual({ keys: [{ key: own.hex }] });
  });

  test("a change over the cable does not name the question of somebody else", async () => {
    const [own, other] = [new Publisher(), new Publisher()];
    expect((await askOver(`key=${other.hex}`)).body.question).toMatch(/^add_key-/);
    await user.reads("Let this key sign apps?");
    expect((await user.ask("POST", OWN, { key: own.hex })).body).toEqual({ keys: [{ key: own.hex }] });
    await user.moveTo("Refuse");
    await user.tap("a");
    await user.ask("POST", OWN, { key: own.hex, remove: "true" });
  });

  test("the list of the settings forgets a key", async () => {
    const own = new Publisher();
    await user.ask("POST", OWN, { key: own.hex });
    await user.openSetting("Keys for apps");
    await user.reads(own.hex.slice(0, 16));
    await user.choose(own.hex.slice(0, 16), "Forget this key?");
    expect((await askHttp(`${console.http}/api/hub/questions`)).body.questions).toMatchObject([
      { name: own.hex },
    ]);
    await user.moveTo("Forget");
    await user.tap("a");
    await user.reads("none");
    expect(await listed()).toEqual({ keys: [] });
  });
});

test("A console without a home screen cannot ask: keys are changed over USB alone", async () => {
  state = mkdtempSync(path.join(tmpdir(), "console-"));
  console = await startAppConsole({
    state,
    publisher: trusted,
    flags: ["--config", "CONFIG_SVC_HOME_SCREEN=off"],
  });
  token = (await overCable("GET", "/api/auth/token")).body.token;
  const key = new Publisher().hex;
  expect(await askOver(`key=${key}`)).toMatchObject({ status: 404, body: { error: "usb_only" } });
  expect((await add(key)).status).toBe(200);
  await console.stop();
  rmSync(state, { recursive: true, force: true });
});
