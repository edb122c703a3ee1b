/** Creates the services for apps with their dependencies. */
import type { DigestConstructor, Ed25519 } from "../../../protocol/ports/crypto.js";
import type { TcpClient } from "../../../protocol/ports/network.js";
import type { Clock, Memory, Timer } from "../../../protocol/ports/runtime.js";
import type { Sandbox } from "../../../protocol/ports/sandbox.js";
import type { Drives } from "../../ports/drives.js";
import type { Directory } from "../../ports/files.js";
import type { GuestConstructor } from "../../ports/guest.js";
import type { System } from "../../ports/system.js";
import type { Config } from "../config/options.js";
import type { HeapAdmission } from "../heap/heap-admission.js";
import type { LogService } from "../logs/log-service.js";
import type { Lookups } from "../network/lookups.js";
import type { Scheduler } from "../scheduler/scheduler.js";
import type { TrustedKeysFile } from "../trust/trusted-keys-file.js";
import type { Advertising } from "./advertising.js";
import { AppUpload } from "./app-endpoints.js";
import { type AppCrash, AppRunner } from "./app-runner.js";
import { AppStore } from "./app-store.js";
import { Apps } from "./apps.js";
import { DriveInstall } from "./drive-install.js";
import { GuestCalls, type TimeOfDay } from "./guest-calls.js";
import { GuestConnections } from "./guest-connections.js";
import { GuestRequests, type GuestRequestsOptions, type RequestCount } from "./guest-requests.js";
import { Installer } from "./installer.js";
import { SignatureVerifier } from "./signature-verifier.js";

export interface AppServicesOptions {
  readonly config: Config;
  readonly files: Directory;
  /** The same files, with the reserve. */
  readonly owners: Directory;
  readonly drives: Drives;
  readonly log: LogService;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly Guest: GuestConstructor;
  readonly Digest: DigestConstructor;
  readonly ed25519: Ed25519;
  readonly sandbox: Sandbox;
  readonly Socket: TcpClient["Socket"];
  readonly lookups: Lookups;
  readonly memory: Memory;
  readonly heap?: HeapAdmission;
  readonly trustedKeys: TrustedKeysFile;
  readonly scheduler: Scheduler;
  /** The console's architecture. */
  readonly architecture: System["architecture"];
  readonly advertising: Advertising | undefined;
  readonly isSafeMode?: boolean;
  /** For requests of apps. */
  readonly ports: GuestRequestsOptions["ports"];
  readonly time: TimeOfDay;
  /** Whether this is a management port of the console itself. */
  isOwnPort(address: string, port: number): boolean;
  /** Called when an app's state or the installed apps have changed. @param crash how the app has failed, if it has */
  onChange(crash?: AppCrash): void;
  /** Called when no app is in front any more. */
  onFrontFree(): void;
}

export interface AppServices {
  readonly apps: Apps;
  readonly appUpload: AppUpload;
  readonly installer: Installer;
  readonly installs: DriveInstall;
  /** Stops the apps that a revoked key has signed. */
  stopRevoked(): Promise<void>;
  /** Leaves the front to the home screen. */
  goHome(): void;
  /** Stops every running app. */
  close(): void;
}

export function appServices(options: AppServicesOptions): AppServices {
  const { config, files, log, clock, Digest, ed25519, Guest, sandbox, memory, heap, trustedKeys, scheduler } =
    options;
  const { architecture, timer, onChange, onFrontFree } = options;
  const logger = log.loggerFor("apps");
  const requestCount: RequestCount = { open: 0 };
  const store = new AppStore(files, logger, options.owners);
  const runner: AppRunner = new AppRunner({
    store,
    files,
    Guest,
    Digest,
    clock,
    heap,
    log,
    onChange,
    onFrontFree,
    architecture,
    isSafeMode: options.isSafeMode ?? false,
    trustedKeys,
    runningAppsLimit: config.CONFIG_SVC_MAX_RUNNING_APPS,
    stackBytes: config.CONFIG_SVC_WASM_APP_STACK_SIZE,
    callsFor: (name, guest) => {
      const connections = new GuestConnections(options);
      const onFailure = (reason: string) => logger.info(`a request of "${name}" failed: ${reason}`);
      const requests = new GuestRequests({ ...options, requestCount, onFailure });
      const { drives, advertising, time } = options;
      return new GuestCalls({
        name,
        guest,
        files,
        drives,
        apps,
        connections,
        requests,
        advertising,
        time,
        logger,
      });
    },
  });
  const apps: Apps = new Apps({ files, store, runner, logger, onChange });
  const allowsUnsigned = config.CONFIG_SVC_ALLOW_UNSIGNED_APPS;
  const gate = new SignatureVerifier({ Digest, ed25519, scheduler, logger, trustedKeys, allowsUnsigned });
  const appLimitBytes = config.CONFIG_SVC_APP_MAX_SIZE_KB * 1024;
  const installer = new Installer({
    files,
    apps,
    gate,
    scheduler,
    Digest,
    sandbox,
    memory,
    heap,
    logger,
    appLimitBytes,
    architecture,
    machine: Guest.machine,
  });
  return {
    apps,
    installer,
    appUpload: new AppUpload(installer, config.CONFIG_SVC_APP_ALLOW_DOWNGRADE),
    installs: new DriveInstall({ apps, installer, scheduler, timer, logger }),
    stopRevoked: () => runner.stopRevoked(),
    goHome: () => runner.goHome(),
    close: () => runner.close(),
  };
}
