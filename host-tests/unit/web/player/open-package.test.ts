/** What the player refuses though a console may take it (docs/spec/web-player.md#package). */
import { expect, test } from "vitest";
import { loadSandbox } from "../../../../tools/sandbox.js";
import { openPackage } from "../../../../web/player/open-package.js";
import { moduleOf, packageOf } from "../../../hosts/app-files.js";
import { imageOf, imagePackage } from "../../services/apps/native-images.js";

const sandbox = await loadSandbox(["inflater", "validator"]);
const plain = await moduleOf('(module (memory 1) (func (export "main")))');

test("a package for all consoles is opened", () => {
  expect(openPackage(packageOf(plain), sandbox)).toMatchObject({ manifest: { name: "tetris" } });
});

test("a module for the consoles of one architecture is refused", () => {
  expect(() => openPackage(packageOf(plain, { target_arch: "native" }), sandbox)).toThrow(
    expect.objectContaining({ code: "module_unsupported", message: 'The app is for "native" alone' }),
  );
});

test("machine code alone is refused, with the reason", () => {
  expect(() => openPackage(imagePackage(imageOf(plain)), sandbox)).toThrow(
    expect.objectContaining({
      code: "module_unsupported",
      message: 'The app is machine code for "native" alone, and a browser runs only modules',
    }),
  );
});
