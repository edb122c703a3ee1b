/** Apps that are started, stopped and replaced (docs/spec/management-api.md#app-start). */
import { expect, test, vi } from "vitest";
import { EmulatedGuest } from "../../../hosts/emulated-guest.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { type EmulatedApps, emulatedApps, linesOf, listOf } from "./emulated-apps.js";
import { stage } from "./staged-apps.js";

const refusal = (code: string) => expect.objectContaining({ code });

/** An installed "tetris", and as many others as are named. */
async function installed(...others: string[]): Promise<EmulatedApps & { storage: EmulatedStorage }> {
  const storage = new EmulatedStorage();
  const emulated = emulatedApps({ storage });
  for (const name of ["tetris", ...others]) {
    const app = stage(storage);
    const capabilities = ["app.control", "storage.write", "storage.read"] as const;
    await emulated.apps.install({ ...app, manifest: { ...app.manifest, name, capabilities } });
  }
  return { ...emulated, storage };
}

test("A started app runs its entry with its capabilities, quota and module", async () => {
  const { apps, guest } = await installed();
  expect(apps.start("tetris")).toMatchObject({ name: "tetris", state: "running", engine: "wasm3" });
  expect(guest().entry).toBe("main");
  expect(guest().options).toMatchObject({
    capabilities: 0b10011000,
    memoryQuotaBytes: 65536,
    stackBytes: 8192,
  });
  expect(guest().module.length).toBe(6000);
});

test("Starting a running app and stopping a stopped one are rejected", async () => {
  const { apps } = await installed();
  await expect(apps.stop("tetris")).rejects.toThrow(refusal("app_stopped"));
  apps.start("tetris");
  expect(() => apps.start("tetris")).toThrow(refusal("app_running"));
});

test("An unknown app can be neither started, stopped nor uninstalled", async () => {
  const { apps } = await installed();
  expect(() => apps.start("snake")).toThrow(refusal("app_not_found"));
  await expect(apps.stop("snake")).rejects.toThrow(refusal("app_not_found"));
  await expect(apps.uninstall("snake")).rejects.toThrow(refusal("app_not_found"));
});

test("One app more than may run is rejected as too_many_apps, until one has ended", async () => {
  const { apps } = await installed("snake", "clock");
  apps.start("tetris");
  apps.start("snake");
  expect(() => apps.start("clock")).toThrow(refusal("too_many_apps"));
  await apps.stop("tetris");
  expect(apps.start("clock").state).toBe("running");
});

test("The app that was started last is in front, until it ends", async () => {
  const { apps, guest } = await installed("snake");
  expect(apps.front).toBeUndefined();
  expect(apps.start("tetris")).toMatchObject({ foreground: true });
  const tetris = guest();
  expect(apps.start("snake")).toMatchObject({ foreground: true });
  expect([tetris.fronts, guest().fronts, apps.front]).toEqual([1, 1, "snake"]);
  expect(apps.entry("tetris")).not.toHaveProperty("foreground");
  await apps.stop("snake");
  expect(apps.front).toBeUndefined();
  expect(listOf(apps).some((entry) => entry.foreground)).toBe(false);
});

test("A running app is brought to the front, which is a change that is told", async () => {
  const { apps, guest, onChange } = await installed("snake");
  apps.start("tetris");
  const tetris = guest();
  apps.start("snake");
  onChange.mockClear();
  expect(apps.bringToFront("tetris")).toMatchObject({ name: "tetris", foreground: true });
  expect([tetris.fronts, apps.front, onChange.mock.calls.length]).toEqual([2, "tetris", 1]);
  await apps.stop("snake");
  expect(apps.front).toBe("tetris");
});

test("An app that does not run cannot be brought to the front", async () => {
  const { apps } = await installed();
  expect(() => apps.bringToFront("tetris")).toThrow(refusal("app_stopped"));
  expect(() => apps.bringToFront("snake")).toThrow(refusal("app_not_found"));
});

test("An app that does not start leaves the one in front there", async () => {
  const { apps, guest, storage } = await installed("snake");
  apps.start("tetris");
  const tetris = guest();
  storage.files.openFile({ path: "apps/snake/1.wasm", mode: "r+" }).write(Uint8Array.of(0xff), 100);
  expect(() => apps.start("snake")).toThrow(refusal("module_damaged"));
  expect([apps.front, tetris.fronts]).toEqual(["tetris", 1]);
});

test("An app for which there is no thread leaves the home screen in front, from where it was opened", async () => {
  const { apps, onFrontFree } = await installed();
  vi.spyOn(EmulatedGuest.prototype, "start").mockImplementationOnce(() => {
    throw new Error("no thread");
  });
  expect(() => apps.start("tetris")).toThrow(refusal("out_of_memory"));
  expect(apps.front).toBeUndefined();
  expect(onFrontFree).toHaveBeenCalledTimes(1);
});

test("An app that is started by another is in front if its starter was", async () => {
  const { apps, guest } = await installed("snake", "clock");
  apps.start("tetris");
  const tetris = guest();
  const start = (name: string) => tetris.call("app_start", [0, name.length], [name]);
  expect(await start("snake")).toMatchObject({ result: 0 });
  expect(apps.front).toBe("snake");
  await apps.stop("snake");
  expect(await start("snake")).toMatchObject({ result: 0 });
  expect(apps.front).toBeUndefined();
});

test("A stop is shown in the app's entry and in the log", async () => {
  const { apps, log } = await installed();
  apps.start("tetris");
  const entry = await apps.stop("tetris");
  expect(entry).toMatchObject({ state: "stopped", last_exit: { reason: "stopped", at_ms: 1000 } });
  expect(entry).not.toHaveProperty("engine");
  expect(linesOf(log)).toContain('I apps: "tetris" ended: stopped');
});

test("A trap is logged with the app's name and stack, and kept over a restart", async () => {
  const { apps, guest, log, onChange, storage } = await installed();
  apps.start("tetris");
  guest().end({ reason: "trap", message: "integer divide by zero", stack: ["drop", "main"] });
  await Promise.resolve();
  const line = '"tetris" ended: trap: integer divide by zero in drop < main';
  expect(onChange).toHaveBeenLastCalledWith({ name: "tetris", line });
  expect(linesOf(log)).toContain('E apps: "tetris" ended: trap: integer divide by zero in drop < main');
  const lastExit = { reason: "trap", message: "integer divide by zero", at_ms: 1000 };
  expect(emulatedApps({ storage }).apps.entry("tetris")).toMatchObject({
    state: "stopped",
    last_exit: lastExit,
  });
});

test("An app's lines are logged under its name, with the number of lines dropped for their rate", async () => {
  const { apps, guest, log } = await installed();
  apps.start("tetris");
  guest().log({ level: 2, text: "low on blocks", lost: 0 }, { level: 9, text: "odd", lost: 7 });
  await Promise.resolve();
  expect(linesOf(log).slice(-3)).toEqual([
    "W app/tetris: low on blocks",
    "W app/tetris: 7 lines were lost: logged too fast",
    "I app/tetris: odd",
  ]);
});

test("An app is stopped for its replacement, and stays stopped", async () => {
  const { apps, guest, storage } = await installed();
  apps.start("tetris");
  const running = guest();
  const entry = await apps.install(stage(storage, { version: "2.0.0" }));
  expect(running.isClosed).toBe(true);
  expect(entry).toMatchObject({ version: "2.0.0", state: "stopped", last_exit: { reason: "stopped" } });
});

test("An app cannot start during its replacement", async () => {
  const { apps, storage } = await installed();
  apps.start("tetris");
  const replaced = apps.install(stage(storage, { version: "2.0.0" }));
  await Promise.resolve();
  await Promise.resolve();
  expect(() => apps.start("tetris")).toThrow(refusal("busy"));
  await replaced;
  expect(apps.start("tetris").version).toBe("2.0.0");
});

test("Uninstalling a running app stops it first", async () => {
  const { apps, guest } = await installed();
  apps.start("tetris");
  await apps.uninstall("tetris");
  expect(guest().isClosed).toBe(true);
  expect(listOf(apps)).toEqual([]);
});

test("Every change of an app's state and of the list of apps is reported", async () => {
  const { apps, guest, onChange, storage } = await installed();
  onChange.mockClear();
  apps.start("tetris");
  expect(onChange).toHaveBeenCalledTimes(1);
  guest().end({ reason: "exit", code: 0 });
  await Promise.resolve();
  expect(onChange).toHaveBeenCalledTimes(2);
  await apps.install(stage(storage));
  await apps.uninstall("tetris");
  expect(onChange).toHaveBeenCalledTimes(4);
});

test("A module that differs from the installed one does not run", async () => {
  const { apps, storage } = await installed();
  const file = storage.files.openFile({ path: "apps/tetris/1.wasm", mode: "r+" });
  file.write(new Uint8Array([0xff]), 100);
  expect(() => apps.start("tetris")).toThrow(refusal("module_damaged"));
  expect(apps.entry("tetris").state).toBe("stopped");
});

test("An app stores a value and reads it back, also in the next run", async () => {
  const { apps, guest } = await installed();
  apps.start("tetris");
  expect(await guest().call("storage_write", [0, 5, 8, 3], ["score", "123"])).toMatchObject({ result: 0 });
  await apps.stop("tetris");
  apps.start("tetris");
  expect(await guest().call("storage_size", [0, 5], ["score"])).toMatchObject({ result: 3 });
  const { result, bytes } = await guest().call("storage_read", [0, 5, 1, 64, 10], ["score"], 10);
  expect([result, new TextDecoder().decode(bytes.subarray(0, 2))]).toEqual([2, "23"]);
  expect(await guest().call("storage_delete", [0, 5], ["score"])).toMatchObject({ result: 0 });
  expect(await guest().call("storage_size", [0, 5], ["score"])).toMatchObject({ result: -2 });
});

test("A value larger than the copied pieces is read back whole", async () => {
  const { apps, guest } = await installed();
  apps.start("tetris");
  const value = Uint8Array.from({ length: 5000 }, (_, at) => at & 0xff);
  await guest().call("storage_write", [0, 1, 8, value.length], ["k", value]);
  const { result, bytes } = await guest().call("storage_read", [0, 1, 0, 64, 6000], ["k"], 6000);
  expect(result).toBe(5000);
  expect(bytes.subarray(0, 5000)).toEqual(value);
});

test("An app appends to a value, overwrites a part of it, and lists its keys", async () => {
  const { apps, guest } = await installed();
  apps.start("tetris");
  const app = guest();
  expect(await app.call("storage_write_at", [0, 3, -1, 8, 3], ["log", "abc"])).toMatchObject({ result: 0 });
  expect(await app.call("storage_write_at", [0, 3, 1, 8, 3], ["log", "BCD"])).toMatchObject({ result: 0 });
  expect(await app.call("storage_write_at", [0, 3, 5, 8, 1], ["log", "x"])).toMatchObject({ result: -22 });
  await app.call("storage_write", [0, 1, 8, 1], ["k", "1"]);
  const read = await app.call("storage_read", [0, 3, 0, 64, 9], ["log"], 9);
  expect(new TextDecoder().decode(read.bytes.subarray(0, read.result))).toBe("aBCD");
  const keys = await app.call("storage_list", [0, 9], [], 9);
  expect([keys.result, new TextDecoder().decode(keys.bytes.subarray(0, 6))]).toEqual([6, "k\nlog\n"]);
  const few = await app.call("storage_list", [0, 3], [], 3);
  expect([few.result, new TextDecoder().decode(few.bytes)]).toEqual([6, "k\nl"]);
  expect(await app.call("storage_list", [0, 0])).toMatchObject({ result: 6 });
});

test("A key that is not UTF-8, or longer than any key, is an invalid argument", async () => {
  const { apps, guest } = await installed();
  apps.start("tetris");
  const invalid = Uint8Array.of(0xff);
  expect(await guest().call("storage_size", [0, 1], [invalid])).toMatchObject({ result: -22 });
  expect(await guest().call("storage_size", [0, 300], ["a".repeat(300)])).toMatchObject({ result: -22 });
});

test("An app with app.control starts, lists and stops another", async () => {
  const { apps, guest } = await installed("snake");
  apps.start("tetris");
  const tetris = guest();
  expect(await tetris.call("app_start", [0, 5], ["snake"])).toMatchObject({ result: 0 });
  expect(await tetris.call("app_start", [0, 5], ["snake"])).toMatchObject({ result: -16 });
  expect(await tetris.call("app_start", [0, 5], ["clock"])).toMatchObject({ result: -2 });
  const { result, bytes } = await tetris.call("app_list", [0, 200], [], 200);
  expect(JSON.parse(new TextDecoder().decode(bytes.subarray(0, result)))).toEqual([
    { name: "snake", version: "1.0.0", state: "running" },
    { name: "tetris", version: "1.0.0", state: "running" },
  ]);
  expect((await tetris.call("app_list", [0, 10], [], 10)).result).toBe(result);
  expect(await tetris.call("app_stop", [0, 5], ["snake"])).toMatchObject({ result: 0 });
  expect(await tetris.call("app_stop", [0, 5], ["snake"])).toMatchObject({ result: -2 });
  expect(apps.entry("snake").state).toBe("stopped");
});

test("Bluetooth is missing, and an unknown host is not found", async () => {
  const { apps, guest } = await installed();
  apps.start("tetris");
  expect(await guest().call("ble_advertise", [0, 1], ["a"])).toMatchObject({ result: -19 });
  expect(await guest().call("net_connect", [0, 1, 80], ["a"])).toMatchObject({ result: -2 });
  expect(await guest().call("net_connect", [0, 1, 0], ["a"])).toMatchObject({ result: -22 });
  for (const name of ["net_send", "net_close"])
    expect(await guest().call(name, [1, 0, 1], ["x"])).toMatchObject({ result: -2 });
});

test("Apps that run when the console ends are stopped, which is stored", async () => {
  const { apps, runner, guest, storage } = await installed("snake");
  apps.start("tetris");
  apps.start("snake");
  runner.close();
  expect(guest().isClosed).toBe(true);
  expect(emulatedApps({ storage }).apps.entry("tetris")).toMatchObject({
    state: "stopped",
    last_exit: { reason: "stopped" },
  });
});

test("An uninstall is logged", async () => {
  const { apps, log } = await installed();
  await apps.uninstall("tetris");
  expect(linesOf(log).at(-1)).toBe('I apps: uninstalled "tetris"');
});

const OPENED = { isInFront: true, isByUser: true };
const entriesOf = ({ apps }: EmulatedApps) =>
  listOf(apps).map(({ name, state, suspended }) => [name, suspended ? "suspended" : state]);

test("An app that the user has left for the home screen is suspended until it is in front again", async () => {
  const emulated = await installed();
  const { apps, runner, guest } = emulated;
  apps.start("tetris", OPENED);
  expect(guest().isSuspended).toBe(false);
  runner.goHome();
  expect(guest().isSuspended).toBe(true);
  expect(apps.entry("tetris")).toMatchObject({ state: "running", suspended: true });
  expect(apps.bringToFront("tetris", true)).not.toHaveProperty("suspended");
  expect([guest().isSuspended, guest().fronts]).toEqual([false, 2]);
});

test("An app of the user's is suspended when any other comes to the front", async () => {
  const emulated = await installed("snake");
  const { apps, runner } = emulated;
  apps.start("tetris", OPENED);
  apps.start("snake");
  expect(entriesOf(emulated)).toEqual([
    ["snake", "running"],
    ["tetris", "suspended"],
  ]);
  apps.bringToFront("tetris");
  expect(entriesOf(emulated)).toEqual([
    ["snake", "running"],
    ["tetris", "running"],
  ]);
  apps.bringToFront("snake", true);
  runner.goHome();
  expect(entriesOf(emulated)).toEqual([
    ["snake", "suspended"],
    ["tetris", "suspended"],
  ]);
});

test("Apps that were only started over HTTP or USB go on behind others", async () => {
  const emulated = await installed("snake");
  emulated.apps.start("tetris");
  emulated.apps.start("snake");
  emulated.apps.bringToFront("tetris");
  expect(entriesOf(emulated)).toEqual([
    ["snake", "running"],
    ["tetris", "running"],
  ]);
});

test("An app goes on behind others if the user lets it, from when he does until he no longer does", async () => {
  const { apps, runner, guest, onChange } = await installed();
  apps.start("tetris", OPENED);
  runner.goHome();
  onChange.mockClear();
  expect(apps.allowBehind("tetris", true)).toMatchObject({ name: "tetris", background: true });
  expect([guest().isSuspended, onChange.mock.calls.length]).toEqual([false, 1]);
  expect(apps.allowBehind("tetris", false)).toMatchObject({ suspended: true });
  expect(apps.entry("tetris")).not.toHaveProperty("background");
  expect(guest().isSuspended).toBe(true);
  await apps.stop("tetris");
  apps.allowBehind("tetris", true);
  apps.start("tetris", OPENED);
  runner.goHome();
  expect(guest().isSuspended).toBe(false);
  expect(() => apps.allowBehind("chess", true)).toThrow(refusal("app_not_found"));
});

test("An app of the user's that starts another stays behind it, and has no time there", async () => {
  const emulated = await installed("snake");
  const { apps, guest } = emulated;
  apps.start("tetris", OPENED);
  const tetris = guest();
  expect(await tetris.call("app_start", [0, 5], ["snake"])).toMatchObject({ result: 0 });
  expect([apps.front, tetris.isSuspended]).toEqual(["snake", true]);
  emulated.runner.goHome();
  expect(guest().isSuspended).toBe(true); // it is the user's as well
});

test("A suspended app is stopped, and counts as a running one", async () => {
  const { apps, runner, guest } = await installed("snake", "clock");
  for (const name of ["tetris", "snake"]) apps.start(name, OPENED);
  runner.goHome();
  expect(() => apps.start("clock", OPENED)).toThrow(refusal("too_many_apps"));
  expect(await apps.stop("snake")).toMatchObject({ state: "stopped", last_exit: { reason: "stopped" } });
  expect(guest().isClosed).toBe(true);
});

test("app_list is written in pieces, and as far as there is room", async () => {
  const { apps, guest } = await installed(...Array.from({ length: 40 }, (_, number) => `app-${number + 10}`));
  apps.start("tetris");
  const whole = JSON.stringify(apps.names.map((name) => apps.summary(name)));
  for (const room of [0, 1, 100, whole.length - 1, whole.length, whole.length + 10]) {
    const { result, bytes } = await guest().call("app_list", [0, room], [], room);
    expect(result).toBe(whole.length);
    const text = new TextDecoder().decode(bytes.subarray(0, Math.min(room, result)));
    expect(text).toBe(whole.slice(0, room));
  }
});
