/** What a user chooses on the console itself: `/api/settings` (docs/spec/home.md#settings). */
import type { Preferences as PreferencesBody } from "../../../protocol/device/answers.js";
import { Fault, quoted } from "../../../protocol/fault.js";
import { isAppName } from "../../../protocol/manifest/manifest.js";
import type { Call } from "../api/call.js";
import type { JsonAnswer } from "../api/request.js";
import { requireOwner } from "../auth/owner.js";
import {
  type Settings,
  START_APP_SETTING,
  START_TRIES_SETTING,
  UPDATES_SETTING,
} from "../settings/settings.js";

/** As `start_app`: the app that was in front when the console was switched off. */
export const LAST_APP = "*";

type Updates = PreferencesBody["updates"];

export class Preferences {
  readonly #settings: Settings;
  readonly #isAutomaticFirst: boolean;

  /** @param isAutomaticFirst whether updates are automatic until the user chooses (`CONFIG_SVC_HUB_AUTO_UPDATE`) */
  constructor(settings: Settings, isAutomaticFirst: boolean) {
    this.#settings = settings;
    this.#isAutomaticFirst = isAutomaticFirst;
  }

  /** Name of the app that starts with the console, {@link LAST_APP}, or `""` for the home screen. */
  get startApp(): string {
    return this.#settings.read(START_APP_SETTING) ?? "";
  }

  get areUpdatesAutomatic(): boolean {
    const chosen = this.#settings.read(UPDATES_SETTING);
    return chosen === undefined ? this.#isAutomaticFirst : chosen === "automatic";
  }

  get body(): PreferencesBody {
    return { start_app: this.startApp, updates: this.areUpdatesAutomatic ? "automatic" : "ask" };
  }

  /** Changes what is given. @throws {Fault} `bad_parameter`, and changes nothing; `storage_full` */
  change(startApp: string | undefined, updates: string | undefined): void {
    if (startApp !== undefined && startApp !== "" && startApp !== LAST_APP && !isAppName(startApp))
      throw new Fault("bad_parameter", `${quoted(startApp)} is not a valid app name`);
    if (updates !== undefined && !isUpdates(updates))
      throw new Fault("bad_parameter", `Parameter "updates" must be "ask" or "automatic"`);
    if (startApp !== undefined) {
      this.#settings.write(START_APP_SETTING, startApp);
      this.#settings.delete(START_TRIES_SETTING); // the user has another try in mind
    }
    if (updates !== undefined) this.#settings.write(UPDATES_SETTING, updates);
  }
}

function isUpdates(text: string): text is Updates {
  return text === "ask" || text === "automatic";
}

interface RequiredServices {
  readonly preferences: Preferences;
}

export function showPreferences({ preferences }: RequiredServices): JsonAnswer {
  return { status: 200, body: preferences.body };
}

/** @throws {Fault} `unauthorized`, `bad_parameter`, `storage_full` */
export function changePreferences(
  { preferences }: RequiredServices,
  { request, parameters }: Call,
): JsonAnswer {
  requireOwner(request, "To change the console's settings");
  preferences.change(parameters.text("start_app"), parameters.text("updates"));
  return { status: 200, body: preferences.body };
}
