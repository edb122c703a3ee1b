/** Creates the services for firmware updates with their dependencies. */
import type { Crc32Constructor, DigestConstructor, Ed25519 } from "../../../protocol/ports/crypto.js";
import type { Clock, Memory, Timer } from "../../../protocol/ports/runtime.js";
import type { Directory } from "../../ports/files.js";
import type { FirmwareSlots } from "../../ports/firmware-slots.js";
import type { System } from "../../ports/system.js";
import type { Config } from "../config/options.js";
import type { HeapAdmission } from "../heap/heap-admission.js";
import type { Logger } from "../logs/log-line.js";
import type { Restart } from "../restart/restart.js";
import type { Scheduler } from "../scheduler/scheduler.js";
import type { Settings } from "../settings/settings.js";
import type { TrustedKeysFile } from "../trust/trusted-keys-file.js";
import type { UploadSink } from "../upload/upload-phase.js";
import { SecurityFloor, StagedSigner } from "./acceptance.js";
import type { FirmwareFacts } from "./firmware-facts.js";
import { type BundleStart, FirmwareReceiver } from "./firmware-receiver.js";
import { FirmwareService } from "./firmware-service.js";
import { FirmwareUpload } from "./firmware-upload.js";

export interface FirmwareServicesOptions {
  readonly config: Config;
  readonly firmware: FirmwareFacts;
  readonly slots: FirmwareSlots;
  readonly system: Pick<System, "board" | "architecture">;
  readonly files: Directory;
  readonly settings: Settings;
  readonly restart: Restart;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly memory: Memory;
  /** Admits updates; left out: memory is unlimited. */
  readonly heap?: HeapAdmission | undefined;
  readonly Digest: DigestConstructor;
  readonly ed25519: Ed25519;
  readonly Crc32: Crc32Constructor;
  readonly trustedKeys: TrustedKeysFile;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  /** See {@link FirmwareService}. */
  onSettled(): void;
  /** Called when the state of the update or its progress has changed. */
  onChange(): void;
}

export interface FirmwareServices {
  readonly ota: FirmwareService;
  /** `POST /api/ota/upload`. */
  readonly firmwareUpload: FirmwareUpload;
  /** `POST /upload`. */
  readonly firmwareFlash: FirmwareUpload;
  /** Receives firmware that the console downloads. @throws {Fault} as {@link FirmwareReceiver} */
  receiveFirmware(start: BundleStart): UploadSink;
}

export function firmwareServices(options: FirmwareServicesOptions): FirmwareServices {
  const { config, firmware, system } = options;
  const floor = new SecurityFloor(options.settings, firmware);
  const signer = new StagedSigner(options.settings, options.trustedKeys);
  const service = new FirmwareService({
    ...options,
    floor,
    signer,
    confirmTimeoutS: config.CONFIG_SVC_OTA_CONFIRM_TIMEOUT_S,
  });
  const upload = {
    ...options,
    service,
    signer,
    acceptor: {
      runningVersion: firmware.version,
      board: system.board,
      architecture: system.architecture,
      allowsDowngrade: config.CONFIG_SVC_OTA_ALLOW_DOWNGRADE,
      floor,
    },
  };
  return {
    ota: service,
    firmwareUpload: new FirmwareUpload(upload, { alwaysReboots: false }),
    firmwareFlash: new FirmwareUpload(upload, { alwaysReboots: true }),
    receiveFirmware: (start) => new FirmwareReceiver(upload, start),
  };
}
