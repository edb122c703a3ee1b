/** `svc hub account add`, `list` and `token`: manage the accounts of the hub in this environment (hub/operator.ts). */
import type { OperatorAccounts } from "../../hub/accounts/operator-accounts.js";
import type { Command } from "../command.js";
import { textTable } from "../terminal/format.js";
import { withOperator } from "./hub-publisher.js";

function withAccounts<Result>(use: (accounts: OperatorAccounts) => Promise<Result>): Promise<Result> {
  return withOperator(({ accounts }) => use(accounts));
}

export const hubAccountAdd: Command = Object.freeze<Command>({
  name: "hub account add",
  summary:
    "Create an account as the operator, also where users cannot; print its token, which is not shown again.",
  parameters: [],
  options: [],
  async run() {
    const added = await withAccounts((accounts) => accounts.add());
    return { text: `account ${added.account_id}\ntoken ${added.account_token}`, json: added };
  },
});

export const hubAccountList: Command = Object.freeze<Command>({
  name: "hub account list",
  summary: "List the accounts of the hub, with the number of their consoles.",
  parameters: [],
  options: [],
  async run() {
    const accounts = await withAccounts((all) => all.list());
    const rows = accounts.map(({ account_id, created_at, consoles }) => [
      account_id,
      created_at,
      `${consoles} ${consoles === 1 ? "console" : "consoles"}`,
    ]);
    return { text: textTable(rows), json: { accounts } };
  },
});

export const hubAccountToken: Command = Object.freeze<Command>({
  name: "hub account token",
  summary: "Replace the token of an account, for instance if it is lost; the old one stops working.",
  parameters: [{ name: "ID", summary: "id of the account, or id or MAC of a console that it holds" }],
  options: [],
  async run({ values: { ID: which = "" } }) {
    const renewed = await withAccounts((accounts) => accounts.renewToken(which));
    return { text: `account ${renewed.account_id}\ntoken ${renewed.account_token}`, json: renewed };
  },
});
