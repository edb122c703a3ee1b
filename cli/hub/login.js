/**
 * Which hub `svc` talks to and by which tokens: what `svc hub login` has kept, unless the environment says otherwise.
 * An account and a publisher may be logged in at once, since one person is often both.
 */
import { randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { loadTypeScript } from "../../simulator/builder/load-typescript.js";
import { makeDirectory } from "../../simulator/builder/make-directory.js";
import { writing } from "../files.js";
import { SvcError } from "../svc-error.js";
import { HubRefusal } from "./hub-refusal.js";

/** @typedef {"account" | "publisher"} TokenKind */

/**
 * @typedef {object} Login
 * @property {string} url without `/api/v1`
 * @property {string} [account_token]
 * @property {string} [publisher_token]
 */

/** How tokens begin, by whose they are. */
const PREFIXES = Object.freeze({ account: "svca_", publisher: "svcp_" });

/** XDG Base Directory Specification, "Basics". */
export function loginFile() {
  const directory = process.env["XDG_CONFIG_HOME"] || path.join(homedir(), ".config");
  return path.join(directory, "svc", "hub.json");
}

/**
 * @param {string} token
 * @returns {TokenKind | undefined}
 */
export function kindOf(token) {
  if (token.startsWith(PREFIXES.account)) return "account";
  return token.startsWith(PREFIXES.publisher) ? "publisher" : undefined;
}

/** @returns {Promise<Login | undefined>} what was kept */
export async function readLogin() {
  const file = loginFile();
  try {
    return /** @type {Login} */ (JSON.parse(await readFile(file, "utf8")));
  } catch (cause) {
    if (/** @type {NodeJS.ErrnoException} */ (cause).code === "ENOENT") return undefined;
    throw new SvcError("file_unreadable", `Cannot read the login in "${file}"`, {
      cause,
      advice: "Log in again with `svc hub login`.",
    });
  }
}

/** Nobody else can read it. @param {Login} login */
export async function writeLogin(login) {
  const file = loginFile();
  const temporary = `${file}.${randomUUID()}`;
  await writing(`"${file}"`, async () => {
    await makeDirectory(path.dirname(file), { mode: 0o700 });
    try {
      await writeFile(temporary, `${JSON.stringify(login)}\n`, { mode: 0o600, flag: "wx" });
      await rename(temporary, file);
    } finally {
      await rm(temporary, { force: true });
    }
  });
}

/**
 * @returns {Promise<string>} without `/api/v1`
 * @throws {HubRefusal} `hub_unset`
 */
export async function hubUrl() {
  const given = process.env["SVC_HUB_URL"];
  if (given) return readUrl(given);
  const login = await readLogin();
  if (login) return login.url;
  throw new HubRefusal(
    "hub_unset",
    'No hub is set: say which with "svc hub login --url URL", or in SVC_HUB_URL',
  );
}

/**
 * @param {readonly TokenKind[]} kinds whose token will do, the first one before the others
 * @returns {Promise<{ url: string, token: string }>}
 * @throws {HubRefusal} `hub_unset`, `unauthorized`
 */
export async function hubAccess(kinds) {
  const url = await hubUrl();
  const token = process.env["SVC_HUB_TOKEN"] || (await keptToken(url, kinds));
  if (token) return { url, token };
  const whose = kinds.join(" or ");
  throw new HubRefusal(
    "unauthorized",
    `Nobody is logged in at ${url} as ${whose}, and SVC_HUB_TOKEN is not set`,
  );
}

/** A token goes to the hub that it is of, and to no other. @param {string} url @param {readonly TokenKind[]} kinds */
async function keptToken(url, kinds) {
  const login = await readLogin();
  if (login?.url !== url) return undefined;
  return kinds.map((kind) => login[`${kind}_token`]).find((token) => token !== undefined);
}

/**
 * @param {string} text
 * @returns {Promise<string>} without `/api/v1`
 * @throws {Error} `bad_parameter`
 */
export async function readUrl(text) {
  /** @type {typeof import("../../protocol/hub/hub-address.ts")} */
  const { parseHubAddress } = await loadTypeScript(["protocol/hub/hub-address.ts"]);
  const { origin, basePath } = parseHubAddress(text);
  return origin + basePath;
}
