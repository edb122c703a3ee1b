/** The icons of installed apps (docs/spec/management-api.md#app-icon), and packages whose icon is refused. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installInHttpChunks, installOverHttp, installOverUsb } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { type BitmapFields, bitmap } from "../../hosts/bitmap.js";
import { askHttp } from "../../hosts/http-client.js";
import { UsbClient } from "../../hosts/usb-client.js";

let console: AppConsole;
let usb: UsbClient;
let module: Uint8Array;

beforeAll(async () => {
  console = await startAppConsole();
  usb = await UsbClient.open(console.usb);
  module = await moduleOf('(module (memory 1) (func (export "main")))');
});
afterAll(async () => {
  await usb.close();
  await console.stop();
});

function packed(icon?: Uint8Array, name = "tetris") {
  const file = packageOf(module, { name }, icon);
  return { file, signature: console.publisher.sign(file) };
}

const addressOf = (name: string) => `${console.http}/api/apps/icon?name=${name}`;

async function overHttp(name = "tetris") {
  const answer = await fetch(addressOf(name));
  const { status, headers } = answer;
  expect([status, headers.get("content-type")]).toEqual([200, "image/bmp"]);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  expect(headers.get("content-length")).toBe(String(bytes.length));
  return bytes;
}

async function overUsb(name = "tetris") {
  const { status, body } = await usb.request("GET", "/api/apps/icon", { name });
  expect([status, Object.keys(body)]).toEqual([200, ["bmp"]]);
  return new Uint8Array(Buffer.from(body.bmp, "base64"));
}

const ICONS: readonly { readonly name: string; readonly fields: BitmapFields }[] = [
  { name: "two colours", fields: { bits: 1, shade: 0x5a } },
  { name: "a palette", fields: { bits: 8, infoBytes: 108, shade: 7 } },
  { name: "RGB565", fields: { compression: 3, shade: 0x11 } },
  { name: "24 bits", fields: { bits: 24, height: -32, shade: 0x22 } },
  { name: "ARGB8888", fields: { bits: 32, compression: 3, infoBytes: 124, shade: 0x33 } },
  { name: "8192 bytes", fields: { byteLength: 8192, shade: 0x44 } },
];

for (const { name, fields } of ICONS)
  test(`An icon of ${name} is sent as it was packed, over both transports`, async () => {
    const icon = bitmap(fields);
    expect(await installOverHttp(console, packed(icon))).toMatchObject({ status: 200, body: { icon: true } });
    expect(await overHttp()).toEqual(icon);
    expect(await overUsb()).toEqual(icon);
  });

test("The list says which apps have an icon; a newer version may have none", async () => {
  await installOverHttp(console, packed(bitmap()));
  await installOverHttp(console, packed(undefined, "plain"));
  const icons = async () => (await console.apps()).map(({ name, icon }) => [name, icon]);
  expect(await icons()).toEqual([
    ["plain", undefined],
    ["tetris", true],
  ]);
  const { body } = await installOverHttp(console, packed());
  expect(body).not.toHaveProperty("icon");
  expect(await icons()).toEqual([
    ["plain", undefined],
    ["tetris", undefined],
  ]);
  expect(await askHttp(addressOf("tetris"))).toEqual({
    status: 404,
    body: { error: "icon_not_found", message: '"tetris" has no icon' },
  });
});

describe("An answer without an icon:", () => {
  for (const { what, name, error } of [
    { what: "an app without one", name: "plain", error: "icon_not_found" },
    { what: "an unknown app", name: "nothing", error: "app_not_found" },
    { what: "a path in place of a name", name: "../hub/trusted_keys.pem", error: "app_not_found" },
    { what: "an empty name", name: "", error: "app_not_found" },
  ])
    test(`${what} is 404 ${error} over both transports`, async () => {
      await installOverHttp(console, packed(undefined, "plain"));
      const http = await askHttp(addressOf(encodeURIComponent(name)));
      const { status, body } = await usb.request("GET", "/api/apps/icon", { name });
      expect({ status, body }).toEqual(http);
      expect(http).toMatchObject({ status: 404, body: { error } });
    });

  test("a request without a name is 400 missing_parameter", async () => {
    expect(await askHttp(`${console.http}/api/apps/icon`)).toMatchObject({
      status: 400,
      body: { error: "missing_parameter" },
    });
  });

  test("a HEAD request has the length alone", async () => {
    await installOverHttp(console, packed(bitmap()));
    const answer = await fetch(addressOf("tetris"), { method: "HEAD" });
    expect([answer.status, answer.headers.get("content-length")]).toEqual([200, String(bitmap().length)]);
    expect(await answer.text()).toBe("");
  });
});

test("Replacing an app and reading its icon at the same time gives one icon or the other, whole", async () => {
  const icons = [bitmap({ bits: 32, shade: 1 }), bitmap({ bits: 32, shade: 2 })];
  const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
  const digests = icons.map(digest);
  await installOverHttp(console, packed(icons[0]));
  for (let round = 1; round <= 10; round++) {
    const reads = Array.from({ length: 3 }, () => fetch(addressOf("tetris")));
    const installed = installOverHttp(console, packed(icons[round % 2]));
    for (const answer of await Promise.all(reads)) {
      // A file that is deleted while it is sent cuts the answer short, which fetch reports.
      const bytes = await answer.arrayBuffer().then(
        (buffer) => new Uint8Array(buffer),
        () => undefined,
      );
      if (bytes) expect(digests).toContain(digest(bytes));
    }
    expect((await installed).status).toBe(200);
  }
});

const INT_MIN = -(2 ** 31);
const UINT_MAX = 2 ** 32 - 1;
const HOSTILE: readonly { readonly what: string; readonly icon: Uint8Array; readonly says: RegExp }[] = [
  { what: "is empty", icon: new Uint8Array(0), says: /not a BMP/ },
  { what: "ends within its header", icon: bitmap().subarray(0, 40), says: /header is cut off/ },
  {
    what: "has a size that overflows",
    icon: bitmap({ width: 65536, height: 65536 }),
    says: /65536 by 65536/,
  },
  {
    what: "has the most negative height",
    icon: bitmap({ height: INT_MIN }),
    says: /32 by 2147483648 pixels/,
  },
  { what: "has the most negative width", icon: bitmap({ width: INT_MIN }), says: /-2147483648 by 32 pixels/ },
  { what: "has its pixels beyond its end", icon: bitmap({ pixelsAt: UINT_MAX }), says: /pixels are cut off/ },
  {
    what: "has its pixels in its header",
    icon: bitmap({ pixelsAt: 0 }),
    says: /inside its header or palette/,
  },
  {
    what: "has too large a palette",
    icon: bitmap({ bits: 8, colours: UINT_MAX }),
    says: /4294967295 colours/,
  },
  { what: "is compressed", icon: bitmap({ bits: 8, compression: 1 }), says: /compression 1/ },
];

for (const { what, icon, says } of HOSTILE)
  test(`A package whose icon ${what} is 422 icon_invalid with the reason, and nothing changes`, async () => {
    await installOverHttp(console, packed(bitmap()));
    const before = await console.trace();
    const upload = packed(icon);
    const answers = [
      await installOverHttp(console, upload),
      await installInHttpChunks(console, upload, 300),
      await installOverUsb(usb, upload, 2048),
    ];
    for (const answer of answers)
      expect(answer).toMatchObject({
        status: 422,
        body: { error: "icon_invalid", message: expect.stringMatching(says) },
      });
    expect(await console.trace()).toEqual(before);
    expect(await overHttp()).toEqual(bitmap());
  });

test("An icon over 8192 bytes is 422 package_invalid, which names it", async () => {
  const answer = await installOverHttp(console, packed(bitmap({ byteLength: 8193 })));
  expect(answer).toMatchObject({ status: 422, body: { error: "package_invalid", member: "icon_32.bmp" } });
});
