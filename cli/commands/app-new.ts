/** `svc app new`: creates a first app from a template. */
import type { Command } from "../command.js";
import { writing } from "../files.js";

const LANGUAGES = Object.freeze(["assemblyscript", "c"]);

export const appNew: Command = Object.freeze<Command>({
  name: "app new",
  summary: "Create a new app that draws, reads buttons and logs.",
  parameters: [{ name: "DIR", summary: "directory to create; the app gets its name", isFile: true }],
  options: [
    {
      name: "lang",
      value: "LANGUAGE",
      summary: "programming language",
      isRequired: true,
      choices: LANGUAGES,
    },
  ],
  async run({ values: { DIR: directory = "", lang = "" } }) {
    const { newApp } = await import("../../sdk/new-app.js");
    const language = lang as "assemblyscript" | "c";
    const { name, files } = await writing(`"${directory}"`, () => newApp(directory, language));
    return {
      text: `${directory}: ${name}, a new app; run it with \`svc app dev ${quoted(directory)}\``,
      json: { directory, name, lang, files },
    };
  },
});

/** As a shell takes it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
