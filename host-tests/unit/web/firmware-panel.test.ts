/** Firmware bundles as the page reads them, and updates as it shows them. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { LastExit, LastResult } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import { writeBundle } from "../../../protocol/firmware/bundle-writer.js";
import { describeExit, isOfEarlierRun } from "../../../web/panels/apps/app-entries.js";
import { bundleFit, readBundleFile } from "../../../web/panels/firmware/bundle-file.js";
import { describeResult, stepStates } from "../../../web/panels/firmware/update-steps.js";
import { cardAfter } from "../../../web/parts/kept-focus.js";
import { NodeCrc32 } from "../../hosts/node-bytes.js";

const BUNDLE = writeBundle({ image: imageOf("0.3.0"), Crc32: NodeCrc32, sign: () => new Uint8Array(64) });
const SYSTEM = {
  board: "simulator",
  arch: "native",
  firmware: { version: "0.2.0", codename: "", slot: "a", state: "confirmed" },
} as const;

test("a bundle shows version, board and architecture", () => {
  const { version, board, architecture } = readBundleFile(BUNDLE);
  assert.deepEqual([version, board, architecture], ["0.3.0", "simulator", "native"]);
});

const REFUSED = [
  {
    name: "a file of another format",
    file: new TextEncoder().encode("PK\x03\x04 and more"),
    code: "bundle_magic",
  },
  { name: "a bundle of a later format", file: patched(4, 2), code: "bundle_version" },
  { name: "a bundle that ends within its header", file: BUNDLE.subarray(0, 20), code: "bundle_length" },
  { name: "a truncated bundle", file: BUNDLE.subarray(0, -1), code: "bundle_length" },
  { name: "an image of no known kind", file: patched(78, 0), code: "image_invalid" },
];
for (const { name, file, code } of REFUSED)
  test(`${name} is rejected before it is sent`, () => {
    assert.throws(
      () => readBundleFile(file),
      (error: unknown) => error instanceof Fault && error.code === code,
    );
  });

const FITS = [
  { name: "newer", version: "0.3.0", relation: "newer", warnings: 0 },
  { name: "the same", version: "0.2.0", relation: "same", warnings: 0 },
  { name: "older", version: "0.1.9", relation: "older", warnings: 1 },
];
for (const { name, version, relation, warnings } of FITS)
  test(`firmware that is ${name} is shown as such`, () => {
    const fit = bundleFit(
      { version, board: "simulator", architecture: "native", securityVersion: 0, leastBytes: 0 },
      SYSTEM,
    );
    assert.equal(fit.relation, relation);
    assert.equal(fit.warnings.length, warnings);
    assert.equal(fit.isRefused, false);
  });

test("firmware for another board cannot be sent", () => {
  const image = {
    version: "0.3.0",
    board: "console-s3",
    architecture: "xtensa",
    securityVersion: 0,
    leastBytes: 0,
  };
  const { isRefused, warnings } = bundleFit(image, SYSTEM);
  assert.equal(isRefused, true);
  assert.match(String(warnings), /"console-s3" \(xtensa\).+"simulator" \(native\)/);
});

const STEPS = [
  { name: "a bundle arrives", phase: "receiving", states: "current ahead ahead ahead" },
  { name: "it is staged", phase: "staged", states: "done current ahead ahead" },
  { name: "it is on trial", phase: "pending_confirm", states: "done done current ahead" },
] as const;
for (const { name, phase, states } of STEPS)
  test(`the steps of an update when ${name}`, () => assert.equal(stepStates(phase).join(" "), states));

const RESULTS: readonly { last: LastResult; text: string }[] = [
  { last: { result: "confirmed", version: "0.3.0" }, text: "Firmware 0.3.0 was tried and confirmed." },
  {
    last: { result: "rolled_back", error: "timeout", message: "Firmware 0.3.0 was not confirmed in time" },
    text: "Firmware 0.3.0 was not confirmed in time. The console went back to 0.2.0.",
  },
  {
    last: { result: "rejected", error: "bundle_crc", message: "The checksum does not match" },
    text: "The firmware was refused: The checksum does not match.",
  },
];
for (const { last, text } of RESULTS)
  test(`a last result of ${last.result} is shown as text`, () => {
    assert.equal(describeResult(last, "0.2.0").text, text);
    assert.equal(describeResult(last, "0.2.0").code, last.error);
  });

const PLACES = [
  {
    name: "in a card that stays",
    at: 1,
    after: ["running", "upload"],
    before: ["running", "upload"],
    next: "upload",
  },
  {
    name: "in a card that another one replaces",
    at: 1,
    before: ["running", "staged", "upload"],
    after: ["running", "trial", "upload"],
    next: "trial",
  },
  {
    name: "in a card that disappears",
    at: 1,
    before: ["running", "trial", "upload"],
    after: ["running", "upload"],
    next: "running",
  },
  {
    name: "in a card that others are inserted before",
    at: 1,
    before: ["running", "upload"],
    after: ["running", "staged", "upload"],
    next: "upload",
  },
];
for (const { name, at, before, after, next } of PLACES)
  test(`the focus ${name} goes to "${next}"`, () => assert.equal(cardAfter(before, after, at), next));

const EXITS: readonly { exit: LastExit; text: string; isFault: boolean }[] = [
  { exit: { reason: "exit", code: 0, at_ms: 1 }, text: "Ended by itself", isFault: false },
  { exit: { reason: "exit", code: 3, at_ms: 1 }, text: "Ended with code 3", isFault: true },
  { exit: { reason: "stopped", at_ms: 1 }, text: "Was stopped", isFault: false },
  {
    exit: { reason: "trap", message: "unreachable in step", at_ms: 1 },
    text: "Crashed: unreachable in step",
    isFault: true,
  },
  { exit: { reason: "quota", at_ms: 1 }, text: "Exceeded its quota", isFault: true },
];
for (const { exit, text, isFault } of EXITS)
  test(`an app's end is shown as text: ${text}`, () =>
    assert.deepEqual(describeExit(exit), { text, isFault }));

test("an end later than the console's uptime belongs to an earlier run", () => {
  assert.equal(isOfEarlierRun({ reason: "exit", at_ms: 5000 }, 4000), true);
  assert.equal(isOfEarlierRun({ reason: "exit", at_ms: 3000 }, 4000), false);
});

/** An image of the simulated console without a program (protocol/firmware/image-header.ts). */
function imageOf(version: string): Uint8Array {
  const bytes = new Uint8Array(128);
  const encoder = new TextEncoder();
  bytes.set(encoder.encode("SVCIMAGE"));
  bytes.set([1, 0, 128, 0], 8);
  bytes.set(encoder.encode(version), 16);
  bytes.set(encoder.encode("simulator"), 48);
  bytes.set(encoder.encode("native"), 80);
  return bytes;
}

function patched(at: number, byte: number): Uint8Array {
  const bytes = BUNDLE.slice();
  bytes[at] = byte;
  return bytes;
}
