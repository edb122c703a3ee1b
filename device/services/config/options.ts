/**
 * The one table of build options (docs/spec/simulated-console.md#build): name, type, default, range. On a board
 * the values come from `config` in the manifest, in the simulator also from `--config NAME=VALUE`.
 */

export type Option = FlagOption | IntegerOption | TextOption;

interface OptionBase {
  readonly summary: string;
}

interface FlagOption extends OptionBase {
  readonly type: "flag";
  readonly default: boolean;
}

export interface IntegerOption extends OptionBase {
  readonly type: "integer";
  readonly default: number;
  readonly minimum: number;
  readonly maximum: number;
  /** Unit of the number, for messages and the documentation. */
  readonly unit: string;
}

interface TextOption extends OptionBase {
  readonly type: "text";
  readonly default: string;
}

export const OPTIONS = Object.freeze({
  CONFIG_SVC_APP_MAX_SIZE_KB: {
    type: "integer",
    default: 1024,
    minimum: 1,
    maximum: 16384,
    unit: "KiB",
    summary: "Largest app that is installed, unpacked.",
  },
  CONFIG_SVC_SHELL_WEB_CMD_ENABLE: {
    type: "flag",
    default: true,
    summary: "Whether `/api/cmd` runs shell commands.",
  },
  CONFIG_SVC_HTTP_AUTH: {
    type: "flag",
    default: false,
    summary: "Whether HTTP and the WebSocket ask for the bearer token.",
  },
  CONFIG_SVC_PAIRING: {
    type: "flag",
    default: false,
    summary: "Whether network clients are paired over the cable: `CONFIG_SVC_HTTP_AUTH` is on then.",
  },
  CONFIG_SVC_WASM_APP_STACK_SIZE: {
    type: "integer",
    default: 8192,
    minimum: 4096,
    maximum: 65536,
    unit: "bytes",
    summary: "Native stack of an app's thread.",
  },
  CONFIG_SVC_ALLOW_UNSIGNED_APPS: {
    type: "flag",
    default: false,
    summary: "Whether apps install without a signature. For app development only.",
  },
  CONFIG_SVC_APP_ALLOW_DOWNGRADE: {
    type: "flag",
    default: false,
    summary: "Whether `downgrade=true` takes an older version of an app over the network too.",
  },
  CONFIG_SVC_HTTP_ALLOWED_ORIGINS: {
    type: "text",
    default: "",
    summary: "Origins of web pages elsewhere that may use the API, separated by commas.",
  },
  CONFIG_SVC_OTA_CONFIRM_TIMEOUT_S: {
    type: "integer",
    default: 300,
    minimum: 1,
    maximum: 86400,
    unit: "seconds",
    summary: "How long new firmware may run without being confirmed.",
  },
  CONFIG_SVC_OTA_ALLOW_DOWNGRADE: {
    type: "flag",
    default: false,
    summary: "Whether firmware older than the running one is taken.",
  },
  CONFIG_SVC_HUB_AUTO_UPDATE: {
    type: "flag",
    default: false,
    summary:
      "Whether firmware that the hub announces is staged at once, until the user chooses otherwise: the first value of the setting `updates`.",
  },
  CONFIG_SVC_HOME_SCREEN: {
    type: "flag",
    default: true,
    summary: "Whether the home screen is in front while no app is.",
  },
  CONFIG_SVC_HOME_CHORD: {
    type: "text",
    default: "select+start",
    summary:
      "Buttons that lead home from any app, held for half a second; joined by `+`. Pressed alone, each of them counts up to 200 ms later.",
  },
  CONFIG_SVC_HOME_REMOTE: {
    type: "flag",
    default: false,
    summary:
      "Whether anybody in the network may press buttons on the home screen, and sees all of it. For app development only.",
  },
  CONFIG_SVC_KEPT_PICTURES: {
    type: "integer",
    default: 4,
    minimum: 0,
    maximum: 16,
    unit: "pictures",
    summary:
      "How many pictures of apps that are not in front are kept, 150 KiB each outside the heap; the oldest is dropped first.",
  },
  CONFIG_SVC_SETUP_AP: {
    type: "flag",
    default: true,
    summary: "Whether the console can be set up with a phone, over an access point of its own.",
  },
  CONFIG_SVC_SETUP_AP_TIMEOUT_S: {
    type: "integer",
    default: 600,
    minimum: 1,
    maximum: 3600,
    unit: "seconds",
    summary: "How long the set-up access point stays open if no network is joined.",
  },
  CONFIG_SVC_TIME_SERVER: {
    type: "text",
    default: "",
    summary:
      "Time server, with `:` and its port if that is not 123. Empty: the host's own clock, else `pool.ntp.org`; `off`: none is asked.",
  },
  CONFIG_SVC_MAX_RUNNING_APPS: {
    type: "integer",
    default: 4,
    minimum: 1,
    maximum: 16,
    unit: "apps",
    summary: "How many apps run at the same time.",
  },
} as const satisfies Record<string, Option>);

export type OptionName = keyof typeof OPTIONS;

/** A value for every option. */
export type Config = {
  readonly [Name in OptionName]: (typeof OPTIONS)[Name]["type"] extends "flag"
    ? boolean
    : (typeof OPTIONS)[Name]["type"] extends "integer"
      ? number
      : string;
};
