import type { AnswerName } from "../../../protocol/device/answers.js";
import type { Base64 } from "../../../protocol/ports/runtime.js";
import type { Buttons } from "../../ports/display.js";
import type { Directory } from "../../ports/files.js";
import type { FirmwareSlots } from "../../ports/firmware-slots.js";
import type { Sound } from "../../ports/sound.js";
import type { System } from "../../ports/system.js";
import type { AppUpload } from "../apps/app-endpoints.js";
import type { Apps } from "../apps/apps.js";
import type { DriveInstall } from "../apps/drive-install.js";
import type { AccessToken } from "../auth/access-token.js";
import type { Right } from "../auth/rights.js";
import type { Config } from "../config/options.js";
import type { DisplayService } from "../display/display-service.js";
import type { FirmwareFacts } from "../firmware/firmware-facts.js";
import type { FirmwareService } from "../firmware/firmware-service.js";
import type { FirmwareUpload } from "../firmware/firmware-upload.js";
import type { HubService } from "../hub/hub-service.js";
import type { LogService } from "../logs/log-service.js";
import type { WebPage } from "../page/web-page.js";
import type { Preferences } from "../preferences/preferences.js";
import type { Restart } from "../restart/restart.js";
import type { Settings } from "../settings/settings.js";
import type { SetupService } from "../setup/setup-service.js";
import type { ShellContext } from "../shell/command.js";
import type { StatusService } from "../status/status-service.js";
import type { Hardware } from "../status/system-info.js";
import type { OwnerKeys } from "../trust/owner-keys.js";
import type { Revocations, RevocationsUpload } from "../trust/revocations.js";
import type { Uploads } from "../upload/uploads.js";
import type { WifiService } from "../wifi/wifi-service.js";
import type { Call, DocumentedParameter, Parameter } from "./call.js";
import type { Answer, Exchange, Transport } from "./request.js";

/** The services that handlers use. Each is created once, in main. */
export interface Services {
  readonly name: string;
  readonly accessToken: AccessToken;
  readonly apps: Apps;
  readonly appUpload: AppUpload;
  readonly base64: Base64;
  readonly buttons: Buttons;
  readonly config: Config;
  readonly display: DisplayService;
  readonly files: Directory;
  readonly firmware: FirmwareFacts;
  readonly firmwareFlash: FirmwareUpload;
  readonly firmwareUpload: FirmwareUpload;
  readonly hardware: Hardware & ShellContext["hardware"];
  readonly hub: HubService;
  readonly installs: DriveInstall;
  readonly log: LogService;
  readonly ota: FirmwareService;
  readonly ownerKeys: OwnerKeys;
  /** The web console; empty if the firmware contains none. */
  readonly page: WebPage;
  readonly preferences: Preferences;
  readonly restart: Restart;
  readonly revocations: Revocations;
  readonly revocationsUpload: RevocationsUpload;
  readonly settings: Settings;
  /** The set-up access point; `undefined` in a build or on hardware without one. */
  readonly setup: SetupService | undefined;
  /** Whether the console started without apps, drives and hub, after several crashes in a row. */
  readonly isSafeMode: boolean;
  readonly servers: Servers;
  readonly slots: FirmwareSlots;
  readonly sound: Sound;
  readonly status: StatusService;
  readonly system: System;
  readonly uploads: Uploads;
  readonly wifi: WifiService;
}

/** The servers; they are there once the console listens. */
export interface Servers {
  readonly http: Port;
  /** The log over WiFi. */
  readonly webSocket: Port & {
    /** The bearer token is another one. */
    tokenReplaced(): void;
  };
  readonly usb: {
    /** Whether a program of the host has the port open. */
    readonly isConnected: boolean;
    /** Turns the log events on or off. */
    streamLogs(enabled: boolean): void;
  };
}

interface Port {
  /** TCP port. */
  readonly port: number;
}

interface Row<P extends Parameter> {
  readonly method: "GET" | "POST";
  /** Full path; `/api/v1/…` is an alias of `/api/…`. */
  readonly path: string;
  /** The only transport that serves it; left out: both. The other answers 404 `wifi_only` or `usb_only`. */
  readonly transport?: Transport;
  /** What its client needs; an endpoint may need another one for a part of what it does. */
  readonly right: Right;
  readonly parameters?: readonly P[];
}

type Handler =
  | { readonly handle: (services: Services, call: Call) => Answer | Promise<Answer> }
  | { readonly receive: (services: Services, call: Call) => Exchange };

/** What the console needs of an endpoint. */
export type Route = Row<Parameter> & Handler;

/** A route, and what the reference documentation says of it. */
export type Endpoint = Row<DocumentedParameter> &
  Handler & {
    readonly summary: string;
    /** Body of a successful answer, by its name among the schemas. */
    readonly answer: AnswerName;
  };
