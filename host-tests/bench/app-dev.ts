/**
 * Benchmark of `svc app dev`: how long an edit takes until the new app runs, for the template of each language, from the save of the
 * file to the event that the app has started.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { LANGUAGES, type Language } from "../../sdk/languages.js";
import { newApp } from "../../sdk/new-app.js";
import { startAppConsole } from "../hosts/app-console.js";
import { compilerOf, isThere } from "../hosts/peers.js";
import { temporaryDirectory } from "../hosts/simulator-program.js";
import { SvcProcess } from "../hosts/svc-process.js";
import { inRound } from "./round.js";
import { type AddRow, best, timed } from "./row.js";

const EDITS = inRound({ full: 5, short: 2 });

/** Where each template says which colour the square has at first, and its budget. */
const EDITED: Readonly<Record<Language, { file: string; colour: RegExp; budget: string }>> = {
  assemblyscript: { file: "main.ts", colour: /0xfd2\w/, budget: "≤ 1 s" },
  c: { file: "main.c", colour: /0xfd2\w/, budget: "≤ 2 s" },
  cpp: { file: "main.cpp", colour: /0xfd2\w/, budget: "≤ 2 s" },
  python: { file: "main.py", colour: /0xFD2\w/, budget: "" },
  rust: { file: "main.rs", colour: /0xfd2\w/, budget: "≤ 2 s" },
  zig: { file: "main.zig", colour: /0xfd2\w/, budget: "≤ 2 s" },
};

export default async function measure(row: AddRow): Promise<void> {
  const directory = temporaryDirectory();
  const console = await startAppConsole();
  const key = path.join(directory.path, "key.pem");
  writeFileSync(key, console.publisher.privatePem);
  try {
    for (const lang of LANGUAGES) {
      const { file, colour, budget } = EDITED[lang];
      const what = `edit to running, ${lang}`;
      const peer = compilerOf(lang);
      if (peer && !isThere(peer)) {
        row(what, `not measured: ${peer} is missing`, budget);
        continue;
      }
      const app = path.join(directory.path, lang);
      await newApp(app, lang);
      const svc = new SvcProcess("app", "dev", app, "--device", console.http, "--key", key, "--json");
      await svc.event("started");
      const source = path.join(app, file);
      let edits = 0;
      const ms = await best(EDITS, () =>
        timed(async () => {
          const text = readFileSync(source, "utf8");
          writeFileSync(
            source,
            text.replace(colour, (found) => `${found.slice(0, -1)}${++edits}`),
          );
          await svc.event("started");
        }),
      );
      row(what, `${(ms / 1000).toFixed(2)} s`, budget);
      await svc.interrupt();
      await console.app("stop", lang);
    }
  } finally {
    await console.stop();
    directory.remove();
  }
}
