/** `svc screen`, `svc buttons`: remote access to a console's display and buttons. */
import type { Command } from "../command.js";
import { requireDirectory, writeOutput } from "../files.js";
import { bytesText } from "../terminal/format.js";

/** Bits of `buttons()` of the ABI (docs/spec/app-abi-and-quotas.md#buttons), from bit 0. */
const BUTTONS = Object.freeze(["up", "down", "left", "right", "a", "b", "x", "y", "start", "select"]);

export const screen: Command = Object.freeze<Command>({
  name: "screen",
  summary: "Save a picture of a console's display.",
  parameters: [],
  options: [{ name: "out", value: "PNG", summary: "file to write", isRequired: true, isFile: true }],
  isForConsole: true,
  async run({ values: { out = "" }, device, signal }) {
    requireDirectory(out);
    const png = await (await device()).screen(signal);
    await writeOutput(out, png);
    return { text: `${out}: ${bytesText(png.length)}`, json: { file: out, bytes: png.length } };
  },
});

export const buttons: Command = Object.freeze<Command>({
  name: "buttons",
  summary: "Hold down buttons of a console, and release all others.",
  parameters: [
    {
      name: "BUTTON",
      summary: "button to hold down; default: none, which releases all",
      isOptional: true,
      isRepeatable: true,
      choices: BUTTONS,
    },
  ],
  options: [],
  isForConsole: true,
  async run({ lists: { BUTTON: names = [] }, device }) {
    const answer = await (await device()).press(bitsOf(names));
    return {
      text: names.length === 0 ? "no button is pressed" : `pressed: ${names.join(", ")}`,
      json: answer,
    };
  },
});

/** @param names of the table: commander rejects others */
function bitsOf(names: readonly string[]): number {
  return names.reduce((bits, name) => bits | (1 << BUTTONS.indexOf(name)), 0);
}
