/**
 * Cuts power at every storage operation of an update of the real firmware (in a sample, at some), and after some cuts
 * again during the next start. The console then runs one of the two versions, whole, and reports the result
 * (docs/spec/boot-and-slots.md#atomic).
 */
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FirmwareConsole, OVER_HTTP, startFirmwareConsole } from "../../hosts/firmware-console.js";
import { firmwareBundle, firmwareImage } from "../../hosts/firmware-files.js";
import { Publisher } from "../../hosts/publisher.js";
import { ConsoleDidNotStart } from "../../hosts/simulator.js";
import { POWER_CUT_STATUS } from "../../hosts/simulator-program.js";
import { tier } from "../../tier.js";

const publisher = new Publisher();
const keys = { old: publisher.pem, new: publisher.pem + new Publisher().pem };
const NEW = { version: "0.2.0", trustedKeys: keys.new };

/** Progress of the update at the power cut, as seen by a client. */
type Phase = "starting" | "uploading" | "staged" | "confirming" | "confirmed";

/** State of a console after a start. */
type Outcome = "old" | "trial" | "rolledBack" | "new";

const POSSIBLE: Readonly<Record<Phase, readonly Outcome[]>> = {
  starting: ["old"],
  uploading: ["old", "trial"],
  staged: ["trial", "rolledBack"],
  confirming: ["rolledBack", "new"],
  confirmed: ["new"],
};

const IDLE = { state: "idle", received_bytes: 0, total_bytes: 0, progress_percent: 0 };
const RUNNING_OLD = { running_version: "0.1.0", running_slot: "a" };
const RUNNING_NEW = { running_version: "0.2.0", running_slot: "b" };

/** The whole of `GET /api/ota/status`. */
const STATUS: Readonly<Record<Outcome, object>> = {
  old: { ...IDLE, ...RUNNING_OLD },
  trial: { ...IDLE, state: "pending_confirm", ...RUNNING_NEW, confirm_within_ms: expect.any(Number) },
  rolledBack: {
    ...IDLE,
    ...RUNNING_OLD,
    last_result: {
      result: "rolled_back",
      error: "power_loss",
      message: "Firmware 0.2.0 lost power before it was confirmed",
      version: "0.2.0",
    },
  },
  new: { ...IDLE, ...RUNNING_NEW, last_result: { result: "confirmed", version: "0.2.0" } },
};

const scratch = mkdtempSync(path.join(tmpdir(), "console-"));
let factory: string;
let images: { readonly old: Uint8Array; readonly new: Uint8Array };
let bundles: { readonly new: Uint8Array; readonly next: Uint8Array };

beforeAll(async () => {
  factory = mkdtempSync(path.join(scratch, "factory-"));
  await (await startFirmwareConsole({ state: factory, publisher })).stop();
  images = { old: readFileSync(path.join(factory, "slots/a")), new: await firmwareImage(NEW) };
  bundles = {
    new: await firmwareBundle(NEW, publisher),
    next: await firmwareBundle({ version: "0.3.0" }, publisher),
  };
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Boots from the slots, without flashing. */
const start = (state: string, environment: Record<string, string> = {}) =>
  startFirmwareConsole({ state, image: null, environment });

function copyOf(state: string): string {
  const copy = mkdtempSync(path.join(scratch, "state-"));
  cpSync(state, copy, { recursive: true });
  return copy;
}

/** Updates until the power cut; calls `onPhase` after each answered request. */
async function update(
  console: FirmwareConsole,
  bundle: Uint8Array,
  onPhase: (phase: Phase) => void,
): Promise<void> {
  const client = await OVER_HTTP.open(console);
  const from = console.stderr.length;
  onPhase("uploading");
  expect(await client.upload(bundle)).toMatchObject({ status: 200 });
  onPhase("staged");
  await client.ask("POST", "/api/reboot");
  await console.started("update", from);
  onPhase("confirming");
  expect(await client.ask("POST", "/api/ota/confirm")).toMatchObject({ status: 200 });
  onPhase("confirmed");
}

/** @returns the phase of the power cut, or `undefined` if there was none */
async function updateUntil(state: string, operation: number): Promise<Phase | undefined> {
  let phase: Phase = "starting";
  const wasCut = await runUntil(state, operation, (console) =>
    update(console, bundles.new, (reached) => {
      phase = reached;
    }),
  );
  return wasCut ? phase : undefined;
}

/** @returns whether power was cut at that operation of the run */
async function runUntil(
  state: string,
  operation: number,
  act: (console: FirmwareConsole) => Promise<unknown>,
): Promise<boolean> {
  try {
    const console = await start(state, { SVC_SIM_POWER_CUT: `${operation}` });
    try {
      await act(console);
    } catch {
      expect(await console.exited).toBe(POWER_CUT_STATUS);
    }
    return (await console.stop()) === POWER_CUT_STATUS;
  } catch (error) {
    if (error instanceof ConsoleDidNotStart && error.status === POWER_CUT_STATUS) return true;
    throw error;
  }
}

/** Starts the console and expects one of the possible outcomes and, if `takesNext`, that another update succeeds. */
async function recover(state: string, possible: readonly Outcome[], takesNext = true): Promise<void> {
  const console = await start(state);
  try {
    const status = await console.ota();
    const outcome = possible.find((candidate) => matches(status, candidate));
    if (!outcome) throw new Error(`${JSON.stringify(status)} is none of ${possible.join(", ")}`);
    await expectWhole(console, outcome);
    const client = await OVER_HTTP.open(console);
    if (outcome === "trial") {
      expect(await client.ask("POST", "/api/ota/confirm")).toMatchObject({ body: STATUS.new });
      await expectWhole(console, "new");
    }
    if (!takesNext) return;
    await update(console, bundles.next, () => {});
    expect(await console.ota()).toMatchObject({ state: "idle", running_version: "0.3.0" });
  } finally {
    await console.stop();
  }
}

function matches(status: object, outcome: Outcome): boolean {
  try {
    expect(status).toEqual(STATUS[outcome]);
    return true;
  } catch {
    return false;
  }
}

async function expectWhole(console: FirmwareConsole, outcome: Outcome): Promise<void> {
  const { reset_reason, firmware } = await console.system();
  const isNew = outcome === "trial" || outcome === "new";
  const slot = isNew ? "b" : "a";
  const state = outcome === "trial" ? "pending_confirm" : "confirmed";
  expect(firmware).toMatchObject({ version: isNew ? "0.2.0" : "0.1.0", slot, state });
  expect(["power_on", "update", "rollback"]).toContain(reset_reason);
  const content = (file: string) => readFileSync(path.join(console.state, file));
  expect(content("slots/a").equals(images.old)).toBe(true);
  if (isNew) expect(content("slots/b").equals(images.new)).toBe(true);
  expect(`${content("lfs/hub/trusted_keys.pem")}`).toBe(outcome === "new" ? keys.new : keys.old);
}

/** Cuts power at each operation of the start after a cut. @returns the number of operations */
async function cutAgain(state: string, possible: readonly Outcome[]): Promise<number> {
  const left: readonly Outcome[] = possible.includes("trial") ? [...possible, "rolledBack"] : possible;
  for (let operation = 1; ; operation++) {
    const copy = copyOf(state);
    const wasCut = await runUntil(copy, operation, (console) => console.ota());
    if (wasCut) await recover(copy, left, operation % 3 === 1);
    rmSync(copy, { recursive: true, force: true });
    if (!wasCut) return operation - 1;
  }
}

/** The operations before these all write pieces of the image. */
const LAST_OPERATIONS = 50;

interface Point {
  readonly operation: number;
  /** Cuts power at each operation of the next start too. */
  readonly isDeep: boolean;
}

function pointsOf(count: number): Point[] {
  const operations = Array.from({ length: count }, (_, index) => index + 1);
  const isLate = (operation: number) => operation > count - LAST_OPERATIONS;
  if (tier === "nightly")
    return operations.map((operation) => ({
      operation,
      isDeep: operation % (isLate(operation) ? 2 : 10) === 0,
    }));
  return operations
    .filter((operation) => operation % (isLate(operation) ? 6 : 25) === 0)
    .map((operation) => ({ operation, isDeep: operation % 9 === 0 }));
}

/**
 * @returns the number of power cuts: this one, and those of the next start; 0 if the update had ended before, since the
 *   image arrived in larger pieces this time
 */
async function tryPoint({ operation, isDeep }: Point): Promise<number> {
  const state = copyOf(factory);
  const phase = await updateUntil(state, operation);
  const possible = POSSIBLE[phase ?? "confirmed"];
  try {
    const deep = phase && isDeep ? await cutAgain(state, possible) : 0;
    await recover(state, possible);
    return phase ? 1 + deep : 0;
  } catch (cause) {
    throw new Error(`Left in a bad state by a power cut at operation ${operation}, ${phase}`, { cause });
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
}

async function countOperations(): Promise<number> {
  const state = copyOf(factory);
  const file = path.join(state, "count");
  const console = await start(state, { SVC_SIM_STORAGE_COUNT: file });
  await update(console, bundles.new, () => {});
  await console.stop();
  const count = Number(readFileSync(file, "utf8"));
  await recover(state, ["new"]);
  return count;
}

/** Consoles that run at a time. */
const PARALLEL = 3;

test("A power cut at any operation of an update leaves the old or the new version, and the next update works", async () => {
  const count = await countOperations();
  const points = pointsOf(count);
  const planned = points.length;
  const tried: number[] = [];
  const work = async () => {
    for (let point = points.shift(); point; point = points.shift()) tried.push(await tryPoint(point));
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  const cut = tried.filter((several) => several > 0);
  const total = cut.reduce((sum, several) => sum + several, 0);
  globalThis.console.log(
    `${count} operations of an update: power cut at ${cut.length}, at ${total} points in all`,
  );
  expect(count).toBeGreaterThan(100);
  expect(cut.length).toBeGreaterThan(0.9 * planned);
}, 600_000);
