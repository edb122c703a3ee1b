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

// docs/spec/app-packages.md#app-name
test("Each spelling of an app's name starts, shows and stops the same app", async () => {
  const { apps } = await installed();
  expect(apps.start("TETRIS")).toMatchObject({ name: "tetris", state: "running", foreground: true });
  expect(() => apps.start("Tetris")).toThrow(refusal("app_running"));
  expect([apps.isRunning("TeTriS"), apps.entry("Tetris").name, apps.front]).toEqual([
    true,
    "tetris",
    "tetris",
  ]);
  expect(apps.bringToFront("Tetris").name).toBe("tetris");
  expect(await apps.stop("Tetris")).toMatchObject({ name: "tetris", state: "stopped" });
  apps.start("tetris");
  await apps.uninstall("TETRIS");
  expect([apps.names, apps.isRunning("tetris")]).toEqual([[], false]);
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

test("A value larger than the copied pieces is read back whole", async () => {
  const { apps, guest } = await installed();
  apps.start("tetris");
  const value = Uint8Array.from({ length: 5000 }, (_, at) => at & 0xff);
  await guest().call("storage_write", [0, 1, 8, value.length], ["k", value]);
  const { result, bytes } = await guest().call("storage_read", [0, 1, 0, 64, 6000], ["k"], 6000);
  expect(result).toBe(5000);
  expect(bytes.subarray(0, 5000)).toEqual(value);
});

const OPENED = { isInFront: true, isByUser: true };
const entriesOf = ({ apps }: EmulatedApps) =>
  listOf(apps).map(({ name, state, suspended }) => [name, suspended ? "suspended" : state]);

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
