/** `svc board check` on a simulated console, with a user who answers. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BoardReport, readReport } from "../../../cli/board-check/board-report.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { bundleOf, firmwareImage } from "../../hosts/firmware-files.js";
import { getJson } from "../../hosts/http-client.js";
import { type SvcEnd, svc, svcFailure, temporaryFolder } from "./svc-process.js";

const folder = temporaryFolder();
afterAll(() => folder.remove());
const fileOf = (name: string) => path.join(folder.path, name);

let console: AppConsole;
beforeAll(async () => {
  const drive = fileOf("drive");
  mkdirSync(drive);
  console = await startAppConsole({ flags: ["--sd", drive] });
});
afterAll(() => console.stop());

/** Answers in the order of the questions. */
function check(out: string, answers: readonly string[], ...more: string[]): Promise<SvcEnd> {
  const args = ["board", "check", "--device", `usb:${console.usb}`, "--http", console.http, "--out", out];
  return svc([...args, ...more], { input: answers.map((answer) => `${answer}\n`).join("") });
}

const reportIn = (file: string): BoardReport => readReport(readFileSync(file, "utf8"));
const resultsIn = (file: string) =>
  Object.fromEntries(reportIn(file).steps.map(({ name, result }) => [name, result]));

describe("a whole check", () => {
  const out = fileOf("whole.json");

  test("asks in words, measures the rest, and writes what it found", async () => {
    const { status, stdout, stderr } = await check(out, [
      "My board",
      "y",
      "Y",
      "maybe",
      "no",
      "A is dead",
      "y",
      "s",
    ]);
    expect([status, stdout]).toEqual([0, expect.stringContaining(`${out} is the report`)]);
    expect(stderr).toContain("neither mirrored nor upside down");
    expect(resultsIn(out)).toEqual({
      usb: "passed",
      psram: "absent",
      panel: "passed",
      colours: "passed",
      buttons: "failed",
      card: "passed",
      sound: "skipped",
      wifi: "passed",
      network: "passed",
      dtr: "passed",
      restart: "passed",
      update: "skipped",
      rollback: "skipped",
    });
    const { hardware, board, steps, memory } = reportIn(out);
    expect([hardware, board]).toEqual(["My board", "simulator"]);
    expect(steps.find(({ name }) => name === "buttons")?.note).toBe("A is dead");
    expect(memory.map(({ state }) => state)).toEqual(["start", "scan", "http", "restart"]);
    expect(readFileSync(fileOf("whole.png")).subarray(1, 4).toString()).toBe("PNG");
  });

  test("tells nothing of the console's owner", async () => {
    const { name, mac } = await getJson(`${console.http}/api/system`);
    const { wifi_ip } = await getJson(`${console.http}/api/status`);
    const { port } = new URL(console.http);
    const text = readFileSync(out, "utf8");
    for (const secret of [name, mac, wifi_ip, port]) expect(text).not.toContain(secret);
  });

  test("is not overwritten by another one", async () => {
    const before = readFileSync(out);
    const { status, stderr } = await check(out, []);
    expect([status, stderr]).toEqual([2, expect.stringContaining("--continue")]);
    expect(readFileSync(out)).toEqual(before);
  });

  test("goes on with what has not passed", async () => {
    const { status } = await check(out, ["yes", "no", ""], "--continue");
    expect(status).toBe(0);
    expect(resultsIn(out)).toMatchObject({ panel: "passed", buttons: "passed", sound: "failed" });
  });
});

test("a check that is cut off keeps what it has found", async () => {
  const out = fileOf("cut.json");
  const { status, stderr } = await check(out, ["My board", "yes"]);
  expect([status, stderr]).toEqual([1, expect.stringContaining("--continue")]);
  expect(resultsIn(out)).toEqual({ usb: "passed", psram: "absent", panel: "passed" });
});

test("firmware that is named is tried and given up: the console runs what it ran", async () => {
  const bundle = fileOf("next.svcfw");
  writeFileSync(bundle, bundleOf(await firmwareImage({ version: "0.9.0" }), console.publisher));
  const before = await getJson(`${console.http}/api/ota/status`);
  const out = fileOf("update.json");
  await check(out, ["My board", "s", "s", "s", "s", "s"], "--firmware", bundle);
  expect(resultsIn(out)).toMatchObject({ update: "passed", rollback: "passed" });
  expect(await getJson(`${console.http}/api/ota/status`)).toMatchObject({
    state: "idle",
    running_version: before.running_version,
    last_result: { result: "rolled_back", version: "0.9.0" },
  });
});

test("a file that is no report is not continued", async () => {
  const out = fileOf("other.json");
  writeFileSync(out, "{}");
  const { status, stderr } = await check(out, [], "--continue");
  expect([status, stderr]).toEqual([1, expect.stringContaining('it has no "board_report"')]);
});

test("a board is checked over USB only", async () => {
  const out = fileOf("http.json");
  const failure = await svcFailure(["board", "check", "--device", console.http, "--out", out]);
  expect(failure).toMatchObject({ error: "usb_only" });
  expect(existsSync(out)).toBe(false);
});
