/** The types of a shell command and of the services that it may use. */
import type { Drives } from "../../ports/drives.js";
import type { Directory } from "../../ports/files.js";
import type { System } from "../../ports/system.js";
import type { Request } from "../api/request.js";
import type { Apps } from "../apps/apps.js";
import type { DriveInstall } from "../apps/drive-install.js";
import type { Right } from "../auth/rights.js";
import type { FirmwareService } from "../firmware/firmware-service.js";
import type { HubService } from "../hub/hub-service.js";
import type { LogService } from "../logs/log-service.js";
import type { Restart } from "../restart/restart.js";
import type { Settings } from "../settings/settings.js";
import type { StatusService } from "../status/status-service.js";

/** The services and ports that commands use. */
export interface ShellContext {
  readonly apps: Apps;
  readonly files: Directory;
  /** The attached drives. */
  readonly hardware: { readonly drives: Drives };
  readonly hub: HubService;
  readonly installs: DriveInstall;
  readonly log: LogService;
  readonly ota: FirmwareService;
  readonly restart: Restart;
  readonly settings: Settings;
  readonly status: StatusService;
  readonly system: System;
}

/** The part of a command's request that commands use. */
export type Caller = Pick<Request, "transport" | "isOwner" | "refusal">;

export interface Command {
  /** One to three words. */
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  /** What its caller needs; a command may need another one for a part of what it does. */
  readonly right: Right;
  /** Minimum and maximum number of words after the name. */
  readonly least: number;
  readonly most: number;
  /**
   * Whether the command changes nothing. Of who is not the owner, `GET /api/cmd` runs only such commands, since browsers
   * send GET for images and links of any page, without an Origin. `"bare"`: only without further words.
   */
  readonly isReading: boolean | "bare";
  /** @returns the output @throws {Fault} with a message that becomes the output */
  readonly run: (context: ShellContext, words: readonly string[], caller: Caller) => string | Promise<string>;
}
