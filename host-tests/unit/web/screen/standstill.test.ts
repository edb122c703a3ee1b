import { expect, test } from "vitest";
import { limitsOf, standstillOf } from "../../../../web/panels/screen/screen-view.js";

const USUAL = { kind: "http", isUploading: false, isVisible: true } as const;
const CASES = [
  { name: "moves while visible", change: {}, says: undefined },
  { name: "moves over USB", change: { kind: "usb" }, says: undefined },
  { name: "moves during an upload over HTTP", change: { isUploading: true }, says: undefined },
  {
    name: "pauses during an upload over USB",
    change: { kind: "usb", isUploading: true },
    says: /over USB/,
  },
  { name: "pauses in a hidden tab", change: { isVisible: false }, says: /tab is hidden/ },
  { name: "pauses while the console is disconnected", change: { kind: undefined }, says: /Waiting/ },
] as const;
for (const { name, change, says } of CASES)
  test(`The picture ${name}`, () => {
    const said = standstillOf({ ...USUAL, ...change });
    if (says === undefined) expect(said).toBeUndefined();
    else expect(said).toMatch(says);
  });

test("Who is no owner is told what the home screen keeps from others", () => {
  expect(limitsOf(false)).toMatch(/takes buttons only over USB or with the access token.*grey/);
  expect(limitsOf(true)).toBeUndefined();
  expect(limitsOf(undefined)).toBeUndefined();
});
