/** The one table of commands, in the order of the help. */
import { catalog } from "./commands/catalog.js";
import { firmwarePack } from "./commands/firmware-pack.js";
import { hubAccountCreate, hubClaim, hubDevices } from "./commands/hub-account.js";
import { hubKeyAdd, hubKeyList, hubKeyRevoke } from "./commands/hub-key.js";
import { hubLogin } from "./commands/hub-login.js";
import { hubPublisherAdd, hubPublisherList, hubPublisherRevoke } from "./commands/hub-publisher.js";
import { publish } from "./commands/publish.js";
import { push } from "./commands/push.js";

/** @type {readonly import("./command.js").Command[]} */
export const COMMANDS = Object.freeze([
  firmwarePack,
  publish,
  catalog,
  push,
  hubLogin,
  hubAccountCreate,
  hubClaim,
  hubDevices,
  hubPublisherAdd,
  hubPublisherList,
  hubPublisherRevoke,
  hubKeyAdd,
  hubKeyList,
  hubKeyRevoke,
]);

/** What commands that share their first word are about. @type {Readonly<Record<string, string>>} */
export const GROUPS = Object.freeze({
  firmware: "Firmware of consoles",
  hub: "Hubs: accounts, consoles, and what their operators do",
  account: "Accounts",
  publisher: "Publishers of the hub of this environment (SVC_HUB_…)",
  key: "Keys of the publishers of the hub of this environment (SVC_HUB_…)",
});
