/**
 * Whether an image may replace the running one, once it is known to be whole and signed
 * (docs/spec/firmware-bundles.md#check-order).
 */
import { Fault } from "../../../protocol/fault.js";
import type { ImageHeader } from "../../../protocol/firmware/image-header.js";
import { compareVersions } from "../../../protocol/version.js";
import type { SecurityFloor } from "./security-floor.js";

/** What the console is and does. */
export interface Acceptor {
  readonly runningVersion: string;
  readonly board: string;
  readonly architecture: string;
  readonly allowsDowngrade: boolean;
  /** The minimum security version to accept, regardless of `allowsDowngrade`. */
  readonly floor: Pick<SecurityFloor, "securityVersion" | "note">;
}

/** The same version is taken too. @throws {Fault} `version_downgrade`, `wrong_board` */
export function requireAcceptable(image: ImageHeader, acceptor: Acceptor): void {
  const { runningVersion, board, architecture, allowsDowngrade, floor } = acceptor;
  if (image.securityVersion < floor.securityVersion)
    throw new Fault(
      "version_downgrade",
      `Cannot go back to firmware ${image.version} of security version ${image.securityVersion}: firmware of ${floor.securityVersion} was confirmed`,
    );
  if (!allowsDowngrade && compareVersions(image.version, runningVersion) < 0)
    throw new Fault(
      "version_downgrade",
      `Cannot go back from firmware ${runningVersion} to ${image.version}, which is older`,
    );
  if (image.board !== board || image.architecture !== architecture)
    throw new Fault(
      "wrong_board",
      `The firmware is for "${image.board}" (${image.architecture}), and this is "${board}" (${architecture})`,
    );
}
