/** `svc app new`: creates a first app from a template. */
import { writing } from "../files.js";

const LANGUAGES = Object.freeze(["assemblyscript", "c"]);

/** @type {import("../command.js").Command} */
export const appNew = Object.freeze({
  name: "app new",
  summary: "Makes a new app that draws, reads buttons and logs.",
  parameters: [{ name: "DIR", summary: "directory to make; its name is the app's", isFile: true }],
  options: [
    {
      name: "lang",
      value: "LANGUAGE",
      summary: "language to write it in",
      isRequired: true,
      choices: LANGUAGES,
    },
  ],
  async run({ values: { DIR: directory = "", lang = "" } }) {
    const { newApp } = await import("../../sdk/new-app.js");
    const language = /** @type {"assemblyscript" | "c"} */ (lang);
    const { name, files } = await writing(`"${directory}"`, () => newApp(directory, language));
    return {
      text: `${directory}: ${name}, a new app; \`svc app dev ${quoted(directory)}\` runs it`,
      json: { directory, name, lang, files },
    };
  },
});

/** As a shell takes it. @param {string} word */
function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
