/**
 * The hub and the tokens that `svc` uses: those that `svc hub login` has stored, unless the environment overrides them.
 * An account and a publisher may be logged in at once, since one person is often both.
 */
import { tokenText } from "../../device-client/token-text.js";
import { parseHubAddress } from "../../protocol/hub/hub-address.js";
import { readKept, writeKept } from "../kept-json.js";
import { HubRefusal } from "./request.js";

export type TokenKind = "account" | "publisher";

interface Login {
  /** Without `/api/v1`. */
  readonly url: string;
  readonly account_token?: string | undefined;
  readonly publisher_token?: string | undefined;
}

/** Prefixes of tokens by kind. */
const PREFIXES = Object.freeze({ account: "svca_", team: "svct_", session: "svcs_", publisher: "svcp_" });

const FILE = "hub.json";

export function kindOf(token: string): TokenKind | undefined {
  const { publisher, ...ofAccounts } = PREFIXES;
  if (Object.values(ofAccounts).some((prefix) => token.startsWith(prefix))) return "account";
  return token.startsWith(publisher) ? "publisher" : undefined;
}

/** @returns the stored login */
export async function readLogin(): Promise<Login | undefined> {
  const kept = await readKept(FILE, "Log in again with `svc hub login`.");
  return kept as Login | undefined;
}

/** Writes it readable by its owner only. @returns the path of the file */
export function writeLogin(login: Login): Promise<string> {
  return writeKept(FILE, login);
}

/**
 * @returns without `/api/v1`
 * @throws {HubRefusal} `hub_unset`
 */
export async function hubUrl(): Promise<string> {
  const given = process.env["SVC_HUB_URL"];
  if (given) return readUrl(given);
  const login = await readLogin();
  if (login) return login.url;
  throw new HubRefusal("hub_unset", 'No hub is configured: use "svc hub login --url URL" or set SVC_HUB_URL');
}

/**
 * @param kinds accepted kinds of token, in order of preference
 * @throws {HubRefusal} `hub_unset`, `unauthorized`
 */
export async function hubAccess(kinds: readonly TokenKind[]): Promise<{ url: string; token: string }> {
  const url = await hubUrl();
  const token = tokenText(process.env["SVC_HUB_TOKEN"] ?? "") || (await keptToken(url, kinds));
  if (token) return { url, token };
  const whose = kinds.join(" or ");
  throw new HubRefusal("unauthorized", `Not logged in to ${url} as ${whose}, and SVC_HUB_TOKEN is not set`);
}

/** Returns a token only for its own hub. */
async function keptToken(url: string, kinds: readonly TokenKind[]): Promise<string | undefined> {
  const login = await readLogin();
  if (login?.url !== url) return undefined;
  return kinds.map((kind) => login[`${kind}_token`]).find((token) => token !== undefined);
}

/**
 * @returns without `/api/v1`
 * @throws {Error} `bad_parameter`
 */
export async function readUrl(text: string): Promise<string> {
  const { origin, basePath } = parseHubAddress(text);
  return origin + basePath;
}
