/**
 * `device.apps` (docs/spec/device-hub.md#apps-report): reports the installed apps piece by piece, as each app's record
 * is read from flash.
 */
import type { DeviceApp } from "../../../protocol/hub/push-messages.js";
import type { Apps } from "../apps/apps.js";
import { APPS_PIECE_CHARACTERS } from "./limits.js";

export type ReportedApps = Pick<Apps, "names" | "deviceApp">;

/** @returns what gives the next piece of the message's text, `undefined` after the last */
export function deviceAppsPieces(apps: ReportedApps): () => string | undefined {
  const names = apps.names;
  let at = 0;
  let separator = "";
  let text: string | undefined = '{"type":"device.apps","apps":[';
  return () => {
    let piece = text;
    while (piece !== undefined && at < names.length && piece.length < APPS_PIECE_CHARACTERS) {
      const app = readable(apps, names[at++] as string);
      if (!app) continue;
      piece += separator + JSON.stringify(app);
      separator = ",";
    }
    if (piece === undefined) return undefined;
    text = at < names.length ? "" : undefined;
    return text === undefined ? `${piece}]}` : piece;
  };
}

function readable(apps: ReportedApps, name: string): DeviceApp | undefined {
  try {
    return apps.deviceApp(name);
  } catch {
    return undefined; // it has gone, or its record is damaged: it is no app that runs
  }
}
