/** A command of the shell, and what it may use. */
import type { Drives } from "../../ports/drives.js";
import type { Directory } from "../../ports/files.js";
import type { System } from "../../ports/system.js";
import type { Request } from "../api/request.js";
import type { Apps } from "../apps/apps.js";
import type { DriveInstall } from "../apps/drive-install.js";
import type { FirmwareService } from "../firmware/firmware-service.js";
import type { HubService } from "../hub/hub-service.js";
import type { LogService } from "../logs/log-service.js";
import type { Restart } from "../restart/restart.js";
import type { Settings } from "../settings/settings.js";
import type { StatusService } from "../status/status-service.js";

/** What commands may use. */
export interface ShellContext {
  readonly apps: Apps;
  /** What is plugged in now. */
  readonly drives: Drives;
  readonly files: Directory;
  readonly hub: HubService;
  readonly installs: DriveInstall;
  readonly log: LogService;
  readonly ota: FirmwareService;
  readonly restart: Restart;
  readonly settings: Settings;
  readonly status: StatusService;
  readonly system: System;
}

/** The request that a command came with, as far as commands care. */
export type Caller = Pick<Request, "transport" | "isOwner">;

export interface Command {
  /** One word, two or three. */
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  /** How many words may follow the name. */
  readonly least: number;
  readonly most: number;
  /**
   * Whether the command changes nothing, so that `GET /api/cmd` runs it: browsers send GET for images and links of
   * any page, without an Origin. `"bare"`: only without further words.
   */
  readonly isReading: boolean | "bare";
  /**
   * @throws {Fault} whose message becomes the output
   */
  readonly run: (context: ShellContext, words: readonly string[], caller: Caller) => string | Promise<string>;
}
