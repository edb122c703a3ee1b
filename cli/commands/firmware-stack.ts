/** `svc firmware stack`: translates the short names in a stack to those of the firmware's sources. */
import { text as textOf } from "node:stream/consumers";
import { longNames, readNameMap } from "../../engine/program/name-map.js";
import type { Command } from "../command.js";
import { readContent, TEXT_FILE_LIMIT_BYTES } from "../files.js";
import { SvcError } from "../svc-error.js";

export const firmwareStack: Command = Object.freeze<Command>({
  name: "firmware stack",
  summary: "Translate the short names in a console's stack to those of its sources.",
  parameters: [{ name: "NAMES", summary: "file that was written beside the image", isFile: true }],
  options: [],
  notes: ["Reads the stack from standard input."],
  async run({ values: { NAMES: file = "" } }) {
    const names = readNameMap((await readContent(file, TEXT_FILE_LIMIT_BYTES)).toString());
    if (!names)
      throw new SvcError("names_invalid", `Cannot use "${file}": it does not contain the names of a build`);
    const text = longNames((await textOf(process.stdin)).trimEnd(), names);
    return { text, json: { stack: text.split("\n") } };
  },
});
