/** The sandboxed splitter of lines gives the lines between LFs, and cuts only data that JSON reads the same. */
import { expect, test } from "vitest";
import { LineReader } from "../../../device/services/usb/line-reader.js";
import { loadSandbox } from "../../../tools/sandbox.js";
import { compareLines } from "./line-mutation.js";
import { SEED } from "./mutations.js";

const COUNT = 2000;

test(`${COUNT} changed lines give the same messages, seed ${SEED}`, () => {
  const { cut, read } = compareLines(COUNT);
  expect(cut).toBeGreaterThan(COUNT / 10);
  expect(read).toBeGreaterThan(COUNT / 2);
});

const sandbox = await loadSandbox(["usb-line"]);

for (const byteLength of [768, 769, 770, 2048, 3072])
  test(`${byteLength} bytes of data are decoded as Node decodes them, and the rest is left`, () => {
    const data = Uint8Array.from({ length: byteLength }, (_, at) => (at * 151) & 0xff);
    const text = `{"path":"/${"a".repeat(300)}","data":"${Buffer.from(data).toString("base64")}","x":1}`;
    const lines = new LineReader(sandbox);
    lines.feed(text.length + 1, (into) => void Buffer.from(`${text}\n`).copy(into));
    const line = lines.next();
    expect(line?.data && Buffer.from(line.data)).toEqual(Buffer.from(data));
    expect(Buffer.from(line?.bytes ?? []).toString()).toBe(text.replace(/"data":"[^"]*"/, '"data":""'));
    expect(lines.next()).toBeUndefined();
  });
