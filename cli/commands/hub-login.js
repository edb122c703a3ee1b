/** `svc hub login`: stores the address of the hub and the token for it. */
import { hubUrl, kindOf, loginFile, readLogin, readUrl, writeLogin } from "../hub/login.js";
import { requestHub } from "../hub/request.js";
import { SvcError } from "../svc-error.js";
import { askSecret } from "../terminal/ask-secret.js";

/** @type {import("../command.js").Command} */
export const hubLogin = Object.freeze({
  name: "hub login",
  summary: "Keeps a hub's address and a token for it: an account's, a publisher's, or one after the other.",
  parameters: [],
  options: [
    { name: "url", value: "URL", summary: "the hub's; by default SVC_HUB_URL, or that of the last login" },
    { name: "token", value: "TOKEN", summary: "read from standard input when left out" },
  ],
  run: login,
});

/** @param {import("../command.js").Call} call */
async function login({ values: { url: given, token: written }, signal }) {
  const url = given === undefined ? await hubUrl() : await readUrl(given);
  const token = (written ?? (await askSecret("Token: ", signal))).trim();
  const kind = kindOf(token);
  if (!kind)
    throw new SvcError(
      "token_invalid",
      "Cannot log in: an account's token begins with svca_, a publisher's with svcp_",
    );
  await requestHub({ url, token, method: "GET", path: "/catalog?per_page=1" }); // which any token may ask
  const before = await readLogin().catch(() => undefined); // one that cannot be read is replaced
  await writeLogin({ ...(before?.url === url && before), url, [`${kind}_token`]: token });
  const file = loginFile();
  return { text: `logged in at ${url} as ${kind}, kept in ${file}`, json: { url, kind, file } };
}
