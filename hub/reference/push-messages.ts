/**
 * The messages of the push channel, described for the reference. The types see to it that each is there, with all of
 * its members.
 */
import type { DeviceMessage, HubMessage } from "../../protocol/hub/push-messages.js";

type Described<Message extends { readonly type: string }> = {
  readonly [Type in Message["type"]]: {
    readonly summary: string;
    /** What each member is; one that may be left out says so. */
    readonly members: Readonly<
      Record<Exclude<keyof Extract<Message, { readonly type: Type }>, "type">, string>
    >;
  };
};

const COMMAND_ID = "text; the result is to have it, too";
const RESULT_COMMAND_ID = "text, may be left out: it is then the newest command for that app, or firmware";

export const HUB_MESSAGES: Described<HubMessage> = Object.freeze({
  "app.install": {
    summary: "Download the package, verify it, install it, and tell the result.",
    members: {
      command_id: COMMAND_ID,
      app_id: "text",
      version: "MAJOR.MINOR.PATCH",
      download_url: "address of the package, to be asked with the device's token",
    },
  },
  "app.uninstall": {
    summary: "Uninstall the app, and tell the result.",
    members: { command_id: COMMAND_ID, app_id: "text" },
  },
  "firmware.update": {
    summary:
      "There is firmware for this console, which installs it when it wants, and tells how far it has come.",
    members: {
      command_id: COMMAND_ID,
      version: "MAJOR.MINOR.PATCH",
      download_url: "address of the bundle, to be asked with the device's token",
      signature: "the bundle's Ed25519 signature, 128 hexadecimal digits",
    },
  },
  "device.claimed": {
    summary: "Sent on connect and at each change: whether an account holds the console.",
    members: { claimed: "boolean" },
  },
});

export const DEVICE_MESSAGES: Described<DeviceMessage> = Object.freeze({
  "device.status": {
    summary: "Sent on connect and every 60 seconds.",
    members: {
      firmware_version: "MAJOR.MINOR.PATCH",
      free_heap_bytes: "integer",
      running_apps: "array of text",
      wifi_rssi: "integer, dBm; 0 while no network is joined",
    },
  },
  "app.install.result": {
    summary: "After an install, and again each time that the same command comes.",
    members: {
      command_id: RESULT_COMMAND_ID,
      app_id: "text",
      success: "boolean",
      error: "an error code; null when successful",
    },
  },
  "app.uninstall.result": {
    summary: "The same of an uninstall.",
    members: {
      command_id: RESULT_COMMAND_ID,
      app_id: "text",
      success: "boolean",
      error: "an error code; null when successful",
    },
  },
  "firmware.update.result": {
    summary: "At each step of a firmware update; the last three states end it.",
    members: {
      command_id: RESULT_COMMAND_ID,
      version: "MAJOR.MINOR.PATCH",
      state: "`available`, `staged`, `pending_confirm`, `confirmed`, `rolled_back` or `rejected`",
      success: "boolean; null while it is under way",
      error: "an error code; null when there is none",
    },
  },
});
