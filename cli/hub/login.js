/**
 * The hub and the tokens that `svc` uses: those that `svc hub login` has stored, unless the environment overrides them.
 * An account and a publisher may be logged in at once, since one person is often both.
 */
import { loadTypeScript } from "../../tools/load-typescript.js";
import { keptFile, readKept, writeKept } from "../kept-json.js";
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

export const loginFile = () => keptFile("hub.json");

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
  const kept = await readKept(loginFile(), "Log in again with `svc hub login`.");
  return /** @type {Login | undefined} */ (kept);
}

/** Writes it readable by its owner only. @param {Login} login */
export async function writeLogin(login) {
  await writeKept(loginFile(), login);
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
