/** The display and the pins, in C (docs/spec/display-and-input.md#drawing). */
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { compileDrawingProgram } from "../../hosts/drawing-program.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";

const run = promisify(execFile);
const directory = temporaryDirectory();
afterAll(() => directory.remove());

async function runProgram(name: string): Promise<string> {
  const program = path.join(directory.path, name);
  compileDrawingProgram(name, program);
  const { stdout, stderr } = await run(program).catch(
    (failure: { stdout: string; stderr: string }) => failure,
  );
  return stdout + stderr;
}

test.each([
  ["drawing", "rectangles, pixels and text have the pixels that they should, and the font its letters"],
  ["shapes", "lines, circles, triangles, sprites, glyphs and moved pictures do, within any clip"],
  ["pictures", "a picture is shown whole, of the app in front, and kept, concealed or cleared behind it"],
  ["pins", "pins and buttons behave as their headers document, beside a stranger's, too"],
])(
  "%s: %s",
  async (name) => {
    expect(await runProgram(name)).toBe("");
  },
  60_000,
);
