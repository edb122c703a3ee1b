/** The one table of commands, in the order of the help. */
import type { Command } from "./command.js";
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

export const COMMANDS: readonly Command[] = Object.freeze([
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

/** What commands that share their first word are about. */
export const GROUPS: Readonly<Record<string, string>> = Object.freeze({
  app: "Create, build and test apps",
  ota: "Update the firmware of a console",
  wifi: "Manage the Wi-Fi of a console, over USB",
  firmware: "Package and withdraw firmware",
  hub: "Use and operate a hub: accounts, consoles, publishers",
  account: "Manage accounts",
  publisher: "Manage the publishers of the hub configured by SVC_HUB_…",
  keys: "Manage revoked keys",
  token: "Manage the tokens of consoles, accounts and publishers",
  key: "Manage the keys of publishers",
});
