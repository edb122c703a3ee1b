/** The one table of commands, in the order of the help. */
import { appBuild } from "./commands/app-build.js";
import { appDev } from "./commands/app-dev.js";
import { appNew } from "./commands/app-new.js";
import { appPack } from "./commands/app-pack.js";
import { apps, start, stop, uninstall } from "./commands/apps.js";
import { catalog } from "./commands/catalog.js";
import { completion } from "./commands/completion.js";
import { discover } from "./commands/discover.js";
import { firmwarePack } from "./commands/firmware-pack.js";
import { hubAccountCreate, hubClaim, hubDevices } from "./commands/hub-account.js";
import { hubFirmwareWithdraw } from "./commands/hub-firmware.js";
import { hubKeyAdd, hubKeyList, hubKeyRevoke } from "./commands/hub-key.js";
import { hubKeysRevoke } from "./commands/hub-keys.js";
import { hubLogin } from "./commands/hub-login.js";
import {
  hubPublisherAdd,
  hubPublisherFirmware,
  hubPublisherList,
  hubPublisherRevoke,
  hubPublisherToken,
} from "./commands/hub-publisher.js";
import { hubTokenRotate } from "./commands/hub-token.js";
import { install } from "./commands/install.js";
import { keySucceed } from "./commands/key-succeed.js";
import { keygen } from "./commands/keygen.js";
import { keysRevoke, keysSend, keysShow } from "./commands/keys.js";
import { logs } from "./commands/logs.js";
import { otaConfirm, otaStatus, otaUpload } from "./commands/ota.js";
import { pair } from "./commands/pair.js";
import { publish } from "./commands/publish.js";
import { push } from "./commands/push.js";
import { reboot } from "./commands/reboot.js";
import { buttons, screen } from "./commands/screen.js";
import { shell } from "./commands/shell.js";
import { status, system } from "./commands/status.js";
import { token } from "./commands/token.js";
import { verify } from "./commands/verify.js";
import { wifiForget, wifiJoin, wifiScan, wifiStatus } from "./commands/wifi.js";

/** @type {readonly import("./command.js").Command[]} */
export const COMMANDS = Object.freeze([
  discover,
  status,
  system,
  apps,
  install,
  start,
  stop,
  uninstall,
  logs,
  shell,
  screen,
  buttons,
  otaUpload,
  otaStatus,
  otaConfirm,
  reboot,
  wifiStatus,
  wifiScan,
  wifiJoin,
  wifiForget,
  pair,
  token,
  keygen,
  keysRevoke,
  keysSend,
  keysShow,
  keySucceed,
  appNew,
  appBuild,
  appPack,
  appDev,
  verify,
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
  hubPublisherFirmware,
  hubPublisherToken,
  hubFirmwareWithdraw,
  hubKeyAdd,
  hubKeyList,
  hubKeyRevoke,
  hubKeysRevoke,
  hubTokenRotate,
  completion,
]);

/** What commands that share their first word are about. @type {Readonly<Record<string, string>>} */
export const GROUPS = Object.freeze({
  app: "Apps: what their developers do",
  ota: "Firmware of a console: send it, try it out, keep it",
  wifi: "The network of a console, over USB",
  firmware: "Firmware of consoles",
  hub: "Hubs: accounts, consoles, and what their operators do",
  account: "Accounts",
  publisher: "Publishers of the hub of this environment (SVC_HUB_…)",
  keys: "Keys that no console is to trust any more",
  token: "Tokens of consoles, accounts and publishers",
  key: "Keys of publishers",
});
