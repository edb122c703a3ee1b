/**
 * `svc hub login`, `svc hub account create` and `end`, `svc hub claim`, `svc hub devices` and `svc hub token rotate`:
 * commands for users of a hub.
 */
import { tokenText } from "../../device-client/token-text.js";
import { DEVICE_LIST, DEVICE_RECORD, ROTATING } from "../../protocol/hub/answers/devices.js";
import { ACCOUNT, NEW_ACCOUNT } from "../../protocol/hub/answers/team.js";
import { integer, listOf, mapOf, object, text } from "../../protocol/schema.js";
import type { Call, Command } from "../command.js";
import { hubAccess, hubUrl, kindOf, readLogin, readUrl, type TokenKind, writeLogin } from "../hub/login.js";
import { NOTHING, requestAll, requestHub } from "../hub/request.js";
import { SvcError } from "../svc-error.js";
import { askSecret } from "../terminal/ask-secret.js";
import { textTable } from "../terminal/format.js";

export const hubLogin: Command = Object.freeze<Command>({
  name: "hub login",
  summary: "Store the address of a hub and a token of an account or publisher.",
  parameters: [],
  options: [
    {
      name: "url",
      value: "URL",
      summary: "URL of the hub; default: SVC_HUB_URL, or the URL of the last login",
    },
    {
      name: "token",
      value: "TOKEN",
      summary: "token of the account or publisher; default: read from standard input",
    },
  ],
  notes: [
    "Requests to a hub go through the proxy that HTTPS_PROXY or HTTP_PROXY names, unless NO_PROXY has the hub.",
  ],
  run: login,
});

/** What every token is allowed to read, and nothing but a hub answers. */
const ANY_CATALOG = object({ apps: listOf(mapOf(undefined)), total: integer() });

async function login({ values: { url: given, token: written }, signal }: Call) {
  const url = given === undefined ? await hubUrl() : await readUrl(given);
  const token = tokenText(written ?? (await askSecret({ what: "token", option: "--token TOKEN", signal })));
  const kind = kindOf(token);
  if (!kind)
    throw new SvcError(
      "token_invalid",
      "Cannot log in: the token of an account begins with svca_, svct_ or svcs_, that of a publisher with svcp_",
    );
  await requestHub(ANY_CATALOG, { url, token, method: "GET", path: "/catalog?per_page=1" });
  const before = await readLogin().catch(() => undefined); // an unreadable login is replaced
  const file = await writeLogin({ ...(before?.url === url && before), url, [`${kind}_token`]: token });
  return { text: `logged in to ${url} as ${kind}; stored in ${file}`, json: { url, kind, file } };
}

export const hubAccountCreate: Command = Object.freeze<Command>({
  name: "hub account create",
  summary: "Create an account and print its token, which is not shown again.",
  parameters: [],
  options: [],
  async run() {
    const account = await requestHub(NEW_ACCOUNT, {
      url: await hubUrl(),
      method: "POST",
      path: "/accounts",
    });
    return { text: `account ${account.account_id}\ntoken ${account.account_token}`, json: account };
  },
});

export const hubAccountEnd: Command = Object.freeze<Command>({
  name: "hub account end",
  summary: "End your account: its consoles are released, and what the hub keeps of it is deleted for ever.",
  parameters: [{ name: "ACCOUNT_ID", summary: "id of the account, to confirm that it is this one" }],
  options: [],
  notes: [
    "`svc hub account export` writes first what the hub keeps. Apps and firmware belong to publishers, and stay.",
  ],
  async run({ values: { ACCOUNT_ID: accountId = "" } }) {
    const access = await hubAccess(["account"]);
    const { account_id: own } = await requestHub(ACCOUNT, {
      ...access,
      method: "GET",
      path: "/account",
    });
    if (own !== accountId)
      throw new SvcError(
        "wrong_usage",
        `Cannot end it: the token is of the account ${own}, not ${accountId}`,
      );
    await requestHub(NOTHING, { ...access, method: "DELETE", path: "/account" });
    const login = await loginWith(access, "account");
    if (login) await writeLogin({ ...login, account_token: undefined });
    return { text: `ended the account ${own}`, json: { account_id: own } };
  },
});

export const hubClaim: Command = Object.freeze<Command>({
  name: "hub claim",
  summary: "Add a console to your account.",
  parameters: [
    { name: "CODE", summary: "claim code of the console; show it with `svc shell hub status` over USB" },
  ],
  options: [],
  async run({ values: { CODE: claim_code = "" } }) {
    const access = await hubAccess(["account"]);
    const device = await requestHub(DEVICE_RECORD, {
      ...access,
      method: "POST",
      path: "/account/devices",
      json: { claim_code },
    });
    return { text: `claimed ${textTable([[device.device_id, device.name]])}`, json: device };
  },
});

export const hubDevices: Command = Object.freeze<Command>({
  name: "hub devices",
  summary: "List the consoles of your account.",
  parameters: [],
  options: [],
  async run() {
    const access = await hubAccess(["account"]);
    const devices = await requestAll(DEVICE_LIST, { ...access, path: "/account/devices" }, "devices");
    const rows = devices.map(({ device_id, name, arch, firmware_version, online }) => {
      return [device_id, online ? "online" : "offline", arch, firmware_version, name];
    });
    return { text: textTable(rows), json: { devices } };
  },
});

export const hubTokenRotate: Command = Object.freeze<Command>({
  name: "hub token rotate",
  summary: "Replace your own token, or that of a console; the old one stops working.",
  parameters: [
    {
      name: "DEVICE_ID",
      summary: "id of a console of your account, as `svc hub devices` lists it; default: your own token",
      isOptional: true,
    },
  ],
  options: [],
  async run({ values: { DEVICE_ID: deviceId } }) {
    if (deviceId !== undefined) return rotateDevice(deviceId);
    const access = await hubAccess(["account", "publisher"]);
    const kind = kindOf(access.token) ?? "account";
    const request = { ...access, method: "POST", path: `/${kind}/token` };
    const renewed =
      kind === "account" ? await requestHub(NEW_ACCOUNT, request) : await requestHub(NEW_PUBLISHER, request);
    const token = "account_token" in renewed ? renewed.account_token : renewed.publisher_token;
    const isStored = await storeToken(access, kind, token);
    const reported = isStored ? `stored the new ${kind} token` : `token ${token}`;
    return { text: reported, json: renewed };
  },
});

const NEW_PUBLISHER = object({ publisher_id: text(), publisher_token: text() });

async function rotateDevice(deviceId: string) {
  const access = await hubAccess(["account"]);
  const path = `/devices/${encodeURIComponent(deviceId)}/token`;
  const asked = await requestHub(ROTATING, { ...access, method: "POST", path, json: {} });
  const when = asked.state === "sent" ? "now" : "when it connects";
  return { text: `the console replaces its token ${when}`, json: asked };
}

/** Stores the new token if the old one came from the stored login. @returns whether it was stored */
async function storeToken(
  access: { readonly url: string; readonly token: string },
  kind: TokenKind,
  token: string,
): Promise<boolean> {
  const login = await loginWith(access, kind);
  if (login) await writeLogin({ ...login, [`${kind}_token`]: token });
  return login !== undefined;
}

/** The stored login, if the token comes from it. */
async function loginWith({ url, token }: { readonly url: string; readonly token: string }, kind: TokenKind) {
  const login = await readLogin();
  return login?.url === url && login[`${kind}_token`] === token ? login : undefined;
}
