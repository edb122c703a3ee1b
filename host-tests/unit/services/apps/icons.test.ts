/** Icons of installed apps, and a file that is deleted while it is sent (docs/spec/management-api.md#app-icon). */
import { expect, test } from "vitest";
import { StoredFile } from "../../../../device/services/storage/stored-files.js";
import { moduleOf, packageOf } from "../../../hosts/app-files.js";
import { bitmap } from "../../../hosts/bitmap.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { type EmulatedInstaller, trustingInstaller } from "./emulated-installer.js";

const module = await moduleOf('(module (memory 1) (func (export "main")))');

/** All bytes of the icon of the app `tetris`. */
function iconOf({ apps }: EmulatedInstaller): Uint8Array {
  const stream = apps.icon("tetris");
  const pieces: Uint8Array[] = [];
  for (let piece = stream.next(); piece; piece = stream.next()) pieces.push(piece);
  stream.close();
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(1458);
  const bytes = new Uint8Array(Buffer.concat(pieces));
  expect(stream.byteLength).toBe(bytes.length);
  return bytes;
}

test("The icon of an app is read in pieces, and belongs to the installed version", async () => {
  const console = trustingInstaller();
  for (const icon of [bitmap({ bits: 32, shade: 1 }), bitmap({ bits: 1, shade: 2 })]) {
    expect(await console.install(packageOf(module, {}, icon))).toMatchObject({ icon: true });
    expect(iconOf(console)).toEqual(icon);
  }
  expect(await console.install(packageOf(module))).not.toHaveProperty("icon");
  expect(() => console.apps.icon("tetris")).toThrow(expect.objectContaining({ code: "icon_not_found" }));
  expect(() => console.apps.icon("chess")).toThrow(expect.objectContaining({ code: "app_not_found" }));
});

test("An icon that is read while its app is replaced ends early with busy, and is never mixed", async () => {
  const console = trustingInstaller();
  await console.install(packageOf(module, {}, bitmap({ bits: 32, shade: 1 })));
  const stream = console.apps.icon("tetris");
  expect(stream.next()?.length).toBe(1458);
  await console.install(packageOf(module, {}, bitmap({ bits: 32, shade: 2 })));
  expect(() => stream.next()).toThrow(expect.objectContaining({ code: "busy" }));
  stream.close();
});

test("An empty stored file is an empty stream", () => {
  const { files } = new EmulatedStorage();
  files.openFile({ path: "icon", mode: "w" }).close();
  const stream = new StoredFile(files, "icon");
  expect([stream.byteLength, stream.next()]).toEqual([0, undefined]);
});
