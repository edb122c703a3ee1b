/** `svc hub login`: stores the address of the hub and the token for it. */
import type { Call, Command } from "../command.js";
import { hubUrl, kindOf, loginFile, readLogin, readUrl, writeLogin } from "../hub/login.js";
import { requestHub } from "../hub/request.js";
import { SvcError } from "../svc-error.js";
import { askSecret } from "../terminal/ask-secret.js";

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
  run: login,
});

async function login({ values: { url: given, token: written }, signal }: Call) {
  const url = given === undefined ? await hubUrl() : await readUrl(given);
  const token = (written ?? (await askSecret("Token: ", signal))).trim();
  const kind = kindOf(token);
  if (!kind)
    throw new SvcError(
      "token_invalid",
      "Cannot log in: the token of an account begins with svca_, that of a publisher with svcp_",
    );
  await requestHub({ url, token, method: "GET", path: "/catalog?per_page=1" }); // which any token may ask
  const before = await readLogin().catch(() => undefined); // one that cannot be read is replaced
  await writeLogin({ ...(before?.url === url && before), url, [`${kind}_token`]: token });
  const file = loginFile();
  return { text: `logged in to ${url} as ${kind}; stored in ${file}`, json: { url, kind, file } };
}
