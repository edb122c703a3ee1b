/** Runs the console in the Moddable SDK's simulator, in the foreground, as `npm start` runs it in ours. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { provideTrustedKeys } from "../simulator/trusted-keys.js";
import { openDisplay } from "./display.js";

/** Of the image, before the library that the simulator loads (simulator/builder/image.js). */
const HEADER_BYTES = 128;

/** Not that of `npm start`: what is in its slots is not for this console. */
const STATE = ".console-moddable";

/**
 * @param {import("./sdk.js").Sdk} sdk
 * @param {string} image to flash
 * @param {readonly string[]} flags of the console's
 * @returns {Promise<number>} its exit status
 */
export async function runInSimulator(sdk, image, flags) {
  const state = path.resolve(flagValue(flags, "--state") ?? STATE);
  const display = await openDisplay();
  try {
    return await run(sdk, await prepare(state, image, flags), {
      ...process.env,
      DISPLAY: display.name,
      // One simulator shows everything that a session of a desktop opens; it is to be this one.
      DBUS_SESSION_BUS_ADDRESS: "disabled:",
      XDG_CONFIG_HOME: path.join(state, "mcsim"), // where it copies what it loads to
      SVC_MODDABLE_FLAGS: ["--image", path.resolve(image), "--state", state, ...flags].map(quoted).join(" "),
    });
  } finally {
    display.close();
  }
}

/** @param {string} state @param {string} image @param {readonly string[]} flags @returns {Promise<string>} what to load */
async function prepare(state, image, flags) {
  const directory = path.join(state, "mcsim");
  mkdirSync(directory, { recursive: true });
  const news = await provideTrustedKeys(state, flagValue(flags, "--trusted-keys"));
  if (news) process.stderr.write(`console: ${news}\n`);
  const library = path.join(directory, "mc.so");
  await writeFile(library, readFileSync(image).subarray(HEADER_BYTES));
  return library;
}

/** @param {import("./sdk.js").Sdk} sdk @param {string} library @param {NodeJS.ProcessEnv} environment */
async function run(sdk, library, environment) {
  const child = spawn(path.join(sdk.tools, "mcsim"), [library], { stdio: "inherit", env: environment });
  for (const signal of /** @type {const} */ (["SIGTERM", "SIGINT", "SIGHUP"]))
    process.on(signal, () => child.kill(signal));
  const [status] = await once(child, "exit");
  return status ?? 1;
}

/** `--flag value` or `--flag=value`, the last one counts. @param {readonly string[]} flags @param {string} name */
function flagValue(flags, name) {
  const index = flags.map((flag) => flag.split("=", 1)[0]).lastIndexOf(name);
  const flag = flags[index];
  return flag === name ? flags[index + 1] : flag?.slice(name.length + 1);
}

/** As a word of a shell. @param {string} word */
function quoted(word) {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
