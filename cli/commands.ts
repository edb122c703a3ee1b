/** The one table of commands, in the order of the help. */
import type { Command } from "./command.js";
import { appBuild, appNew, appPack } from "./commands/app.js";
import { appDev } from "./commands/app-dev.js";
import { apps, background, front, start, stop, uninstall } from "./commands/apps.js";
import { boardCheck } from "./commands/board-check.js";
import { catalog, push } from "./commands/catalog.js";
import { completion } from "./commands/completion.js";
import { discover } from "./commands/discover.js";
import { firmwarePack } from "./commands/firmware-pack.js";
import { firmwareStack } from "./commands/firmware-stack.js";
import {
  hubAccountCreate,
  hubAccountEnd,
  hubClaim,
  hubDevices,
  hubLogin,
  hubTokenRotate,
} from "./commands/hub-account.js";
import { hubBackup, hubRestore } from "./commands/hub-backup.js";
import { hubExport } from "./commands/hub-export.js";
import { hubKeyAdd, hubKeyList, hubKeyRevoke, hubKeysRevoke } from "./commands/hub-key.js";
import { hubAccountAdd, hubAccountList, hubAccountToken } from "./commands/hub-operator-account.js";
import {
  hubFirmwareWithdraw,
  hubPublisherAdd,
  hubPublisherFirmware,
  hubPublisherList,
  hubPublisherRevoke,
  hubPublisherToken,
} from "./commands/hub-publisher.js";
import { hubReviewAccept, hubReviewList, hubReviewRefuse } from "./commands/hub-review.js";
import {
  hubAudit,
  hubMembersAdd,
  hubMembersList,
  hubMembersRemove,
  hubMembersRole,
  hubMembersSignOut,
  hubMembersToken,
  hubTokensCreate,
  hubTokensList,
  hubTokensRevoke,
} from "./commands/hub-team.js";
import {
  hubWebhooksAdd,
  hubWebhooksChange,
  hubWebhooksDeliveries,
  hubWebhooksEnable,
  hubWebhooksList,
  hubWebhooksRemove,
  hubWebhooksSecret,
  hubWebhooksTest,
} from "./commands/hub-webhook.js";
import { install } from "./commands/install.js";
import { keygen, keySucceed } from "./commands/key.js";
import { keysAdd, keysList, keysRemove, keysRevoke, keysSend, keysShow } from "./commands/keys.js";
import { logs } from "./commands/logs.js";
import { otaConfirm, otaStatus, otaUpload } from "./commands/ota.js";
import { publish } from "./commands/publish.js";
import { answer, questions } from "./commands/questions.js";
import { buttons, screen } from "./commands/screen.js";
import { settings } from "./commands/settings.js";
import { shell } from "./commands/shell.js";
import { reboot, status, system } from "./commands/status.js";
import { pair, token } from "./commands/token.js";
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
  front,
  background,
  uninstall,
  logs,
  shell,
  screen,
  buttons,
  otaUpload,
  otaStatus,
  otaConfirm,
  questions,
  answer,
  settings,
  reboot,
  boardCheck,
  wifiStatus,
  wifiScan,
  wifiJoin,
  wifiForget,
  pair,
  token,
  keygen,
  keysList,
  keysAdd,
  keysRemove,
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
  firmwareStack,
  publish,
  catalog,
  push,
  hubLogin,
  hubAccountCreate,
  hubAccountAdd,
  hubAccountList,
  hubAccountToken,
  hubMembersList,
  hubMembersAdd,
  hubMembersRole,
  hubMembersToken,
  hubMembersSignOut,
  hubMembersRemove,
  hubTokensList,
  hubTokensCreate,
  hubTokensRevoke,
  hubWebhooksList,
  hubWebhooksAdd,
  hubWebhooksChange,
  hubWebhooksEnable,
  hubWebhooksTest,
  hubWebhooksDeliveries,
  hubWebhooksSecret,
  hubWebhooksRemove,
  hubAudit,
  hubExport,
  hubAccountEnd,
  hubBackup,
  hubRestore,
  hubClaim,
  hubDevices,
  hubPublisherAdd,
  hubPublisherList,
  hubPublisherRevoke,
  hubPublisherFirmware,
  hubPublisherToken,
  hubFirmwareWithdraw,
  hubReviewList,
  hubReviewAccept,
  hubReviewRefuse,
  hubKeyAdd,
  hubKeyList,
  hubKeyRevoke,
  hubKeysRevoke,
  hubTokenRotate,
  completion,
]);

/** Summaries of the groups of commands. */
export const GROUPS: Readonly<Record<string, string>> = Object.freeze({
  app: "Create, build and test apps",
  ota: "Update the firmware of a console",
  board: "Check a board, and report what it does",
  wifi: "Manage the Wi-Fi of a console, over USB",
  firmware: "Package and withdraw firmware",
  hub: "Use and operate a hub: accounts, consoles, publishers",
  account: "Manage accounts, and who and what may use yours",
  members: "Manage the members of your account",
  tokens: "Manage the tokens of programs that use your account",
  webhooks: "Have events of your account sent to a program",
  publisher: "Manage the publishers of the hub configured by SVC_HUB_…",
  review: "Review what publishers publish on the hub configured by SVC_HUB_…",
  keys: "Manage revoked keys, and your own on a console",
  token: "Manage the tokens of consoles, accounts and publishers",
  key: "Manage the keys of publishers",
});
