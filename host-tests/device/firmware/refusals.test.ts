/** Firmware that is not taken: every code, and which of two comes first (docs/spec/firmware-bundles.md#check-order). */
import { afterAll, beforeAll, expect, test } from "vitest";
import { FAULT_STATUS, type FaultCode } from "../../../protocol/fault.js";
import { writeImage } from "../../../tools/image.js";
import {
  type FirmwareClient,
  type FirmwareConsole,
  IN_HTTP_CHUNKS,
  OVER_HTTP,
  OVER_USB,
  startFirmwareConsole,
  UPLOAD,
} from "../../hosts/firmware-console.js";
import { bundleOf, firmwareBundle } from "../../hosts/firmware-files.js";
import { askHttp, type HttpAnswer } from "../../hosts/http-client.js";
import { BOARD } from "../../hosts/moddable.js";
import { Publisher } from "../../hosts/publisher.js";

const publisher = new Publisher();
const ROUTES = [OVER_HTTP, IN_HTTP_CHUNKS, OVER_USB];

let console: FirmwareConsole;
let clients: FirmwareClient[];
beforeAll(async () => {
  console = await startFirmwareConsole({ publisher });
  clients = await Promise.all(ROUTES.map((route) => route.open(console)));
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await console.stop();
});

const HEADER_BYTES = 78;
const SIGNED_AT = 70;

function imageOf(fields: Partial<Parameters<typeof writeImage>[0]> = {}, programBytes = 7000): Uint8Array {
  return writeImage({
    program: new Uint8Array(programBytes).fill(0x20),
    version: "0.2.0",
    board: BOARD,
    ...fields,
  });
}
const image = imageOf();
const bundle = bundleOf(image, publisher);
const small = bundleOf(imageOf({}, 0), publisher);

/** As it is after `change`, and signed as that. */
function resigned(change: (view: DataView) => void): Uint8Array {
  const changed = Uint8Array.from(bundle);
  change(new DataView(changed.buffer));
  changed.set(publisher.signBytes(changed.subarray(SIGNED_AT)), 6);
  return changed;
}

function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
  return copy;
}

const longer = (bytes: Uint8Array) => Uint8Array.from([...bytes, 0]);

interface Refusal {
  readonly what: string;
  readonly file: Uint8Array;
  readonly code: FaultCode;
  /** Version of the image, if its header was accepted. */
  readonly version?: string | undefined;
}

const REFUSALS: readonly Refusal[] = [
  { what: "A package", file: Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0), code: "bundle_magic" },
  {
    what: "A bundle with an unknown format",
    file: resigned((view) => view.setUint16(4, 2, true)),
    code: "bundle_version",
  },
  {
    what: "A bundle that declares a longer image",
    file: resigned((view) => view.setUint32(70, image.length + 1, true)),
    code: "bundle_length",
  },
  {
    what: "A bundle that declares a shorter image",
    file: resigned((view) => view.setUint32(70, image.length - 1, true)),
    code: "bundle_length",
  },
  { what: "A bundle with an extra byte", file: longer(bundle), code: "bundle_length" },
  { what: "A bundle without its last byte", file: bundle.subarray(0, -1), code: "bundle_length" },
  {
    what: "A bundle signed by an untrusted key",
    file: bundleOf(image, new Publisher()),
    code: "signature_invalid",
  },
  {
    what: "A bundle with a changed image",
    file: flipped(bundle, 8 * bundle.length - 1),
    code: "signature_invalid",
  },
  {
    what: "A bundle with a wrong CRC",
    file: resigned((view) => view.setUint32(74, view.getUint32(74, true) ^ 1, true)),
    code: "bundle_crc",
  },
  {
    what: "A bundle without an image",
    file: bundleOf(new Uint8Array(5000), publisher),
    code: "image_invalid",
  },
  {
    what: "A bundle of older firmware",
    file: bundleOf(imageOf({ version: "0.0.9" }), publisher),
    code: "version_downgrade",
    version: "0.0.9",
  },
  {
    what: "A bundle whose image has another SHA-256 than its content",
    file: bundleOf(flipped(image, 8 * (image.length - 1)), publisher),
    code: "image_invalid",
    version: "0.2.0",
  },
  {
    what: "A bundle whose image says that it is longer than it is",
    file: bundleOf(imageOf().subarray(0, -100), publisher),
    code: "image_invalid",
  },
  {
    what: "A bundle for another board",
    file: bundleOf(imageOf({ board: "toaster" }), publisher),
    code: "wrong_board",
    version: "0.2.0",
  },
];

async function expectRefused(
  answer: Pick<HttpAnswer, "status" | "body">,
  { code, version }: Pick<Refusal, "code" | "version">,
): Promise<void> {
  expect(answer).toMatchObject({ status: FAULT_STATUS[code], body: { error: code } });
  const { message } = answer.body;
  expect(await console.ota()).toEqual({
    state: "idle",
    received_bytes: 0,
    total_bytes: 0,
    progress_percent: 0,
    running_version: "0.1.0",
    running_slot: "a",
    last_result: { result: "rejected", error: code, message, ...(version && { version }) },
  });
}

/** With two faults, of which the first one in the order of checks is reported. */
const ORDER: readonly (readonly [string, Uint8Array, FaultCode, string | undefined])[] = [
  [
    "another magic and format",
    resigned((view) => view.setUint32(0, 0x2e2e4b50, true)),
    "bundle_magic",
    undefined,
  ],
  [
    "another format and length",
    resigned((view) => {
      view.setUint16(4, 2, true);
      view.setUint32(70, 1, true);
    }),
    "bundle_version",
    undefined,
  ],
  ["an end within the header", bundle.subarray(0, 77), "bundle_length", undefined],
  ["an end within the magic", bundle.subarray(0, 2), "bundle_length", undefined],
  ["another length, by another key", longer(bundleOf(image, new Publisher())), "bundle_length", undefined],
  [
    "another key's signature and another CRC",
    flipped(bundleOf(image, new Publisher()), 8 * 74),
    "signature_invalid",
    undefined,
  ],
  [
    "another CRC, and no image",
    resigned((view) => {
      for (let at = 78; at < bundle.length; at++) view.setUint8(at, 0);
    }),
    "bundle_crc",
    undefined,
  ],
  ["an empty image", bundleOf(new Uint8Array(0), publisher), "image_invalid", undefined],
  ["a truncated image", bundleOf(image.subarray(0, 129), publisher), "image_invalid", undefined],
  [
    "an older version for another board",
    bundleOf(imageOf({ version: "0.0.9", board: "toaster" }), publisher),
    "version_downgrade",
    "0.0.9",
  ],
  ["another architecture", bundleOf(imageOf({ architecture: "xtensa" }), publisher), "wrong_board", "0.2.0"],
];
test.each(ORDER)("A bundle with %s is rejected with the first reason", async (_, file, code, version) => {
  const before = console.flash();
  const from = console.stderr.length;
  await expectRefused(await (clients[0] as FirmwareClient).upload(file), { code, version });
  await console.waitForLine(code === "signature_invalid" ? / E ota: rejected / : / W ota: rejected /, from);
  expect(console.flash()).toEqual(before);
});

for (const { what, file, code, version } of REFUSALS)
  for (const [index, { over }] of ROUTES.entries())
    test(`${what} is ${code} over ${over}, and nothing changes in flash`, async () => {
      const before = console.flash();
      await expectRefused(await (clients[index] as FirmwareClient).upload(file), { code, version });
      expect(console.flash()).toEqual(before);
    });

test("A bundle truncated at any multiple of 512 bytes is rejected over HTTP and USB", async () => {
  const before = console.flash();
  const file = bundleOf(imageOf({}, 20_000), publisher);
  for (let end = 512; end < file.length; end += 512) {
    const part = file.subarray(0, end);
    for (const client of clients) await expectRefused(await client.upload(part), { code: "bundle_length" });
    await expectRefused(await streamed(part), { code: "bundle_length" });
  }
  expect(console.flash()).toEqual(before);
}, 60_000);

/** One request without a length. */
function streamed(file: Uint8Array): Promise<HttpAnswer> {
  const body = new Blob([new Uint8Array(file)]).stream();
  return askHttp(console.http + UPLOAD, { method: "POST", body, duplex: "half" } as RequestInit);
}

test("A bundle with any header bit flipped is rejected", async () => {
  const before = console.flash();
  const [client] = clients as [FirmwareClient];
  for (let bit = 0; bit < 8 * HEADER_BYTES; bit++) {
    const answer = await client.upload(flipped(small, bit));
    await expectRefused(answer, { code: codeOfFlip(bit >> 3) });
  }
  expect(console.flash()).toEqual(before);
}, 120_000);

/** The length and the CRC are signed; the length is checked first. */
function codeOfFlip(byte: number): FaultCode {
  if (byte < 4) return "bundle_magic";
  if (byte < 6) return "bundle_version";
  return byte >= 70 && byte < 74 ? "bundle_length" : "signature_invalid";
}

test("A rejected signature is logged as an error", async () => {
  const from = console.stderr.length;
  await (clients[0] as FirmwareClient).upload(bundleOf(image, new Publisher()));
  expect(await console.waitForLine(/ E ota: rejected firmware/, from)).toContain("signature");
});

test("Staged firmware survives an upload with a bad header, and is dropped by one with a bad image", async () => {
  const [client] = clients as [FirmwareClient];
  expect((await client.upload(bundle)).status).toBe(200);
  const staged = { state: "staged", staged_version: "0.2.0" };
  const refusal = { last_result: { result: "rejected" } };
  await client.upload(flipped(bundle, 0));
  expect(await console.ota()).toMatchObject({ ...staged, ...refusal });
  const before = console.flash();
  await client.upload(flipped(bundle, 8 * bundle.length - 1));
  expect(await console.ota()).toMatchObject({ state: "idle", ...refusal });
  expect(Object.keys(before.slots)).toContain("slots/b");
  expect(Object.keys(console.flash().slots)).not.toContain("slots/b");
});

test("On trial, an upload is rejected with 409 confirm_pending, and both slots stay unchanged", async () => {
  const next = await firmwareBundle({ version: "0.2.0" }, publisher);
  const from = console.stderr.length;
  expect((await (clients[0] as FirmwareClient).upload(next, { reboot: "true" })).status).toBe(200);
  await console.started("update", from);
  const before = console.flash();
  for (const client of clients)
    expect(await client.upload(next)).toMatchObject({ status: 409, body: { error: "confirm_pending" } });
  expect(await console.ota()).toMatchObject({ state: "pending_confirm", running_slot: "b" });
  expect(console.flash()).toEqual(before);
});
