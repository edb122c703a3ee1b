/** Functions in the place of a board's, where its root is made (engine/root/stand-ins.ts). */
import { expect, test } from "vitest";
import { standInsFor } from "../../../../engine/root/stand-ins.js";

test("every host function and destructor that a module names has one stand-in, and so has the debug console", () => {
  const text = 'class Radio extends Native("xs_radio_destructor") { on() { native("xs_radio_on"); } }';
  const modules = ["svc/radio", "svc/other"].map((specifier) => ({ specifier, bytes: Buffer.from(text) }));
  expect(standInsFor(modules).match(/^void .*$/gm)).toEqual([
    "void xs_radio_destructor(void *data)",
    "void xs_radio_on(xsMachine *the)",
    "void xs_trace(xsMachine *the)",
  ]);
});
