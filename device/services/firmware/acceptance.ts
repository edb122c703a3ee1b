/** Whether an image may replace the running one, once it is known to be whole and signed (section 7 of the decisions). */
import { Fault } from "../../../protocol/fault.js";
import type { ImageHeader } from "../../../protocol/firmware/image-header.js";
import { compareVersions } from "../../../protocol/version.js";

/** What the console is and does. */
export interface Acceptor {
  readonly runningVersion: string;
  readonly board: string;
  readonly architecture: string;
  readonly allowsDowngrade: boolean;
}

/** The same version is taken too. @throws {Fault} `version_downgrade`, `wrong_board` */
export function requireAcceptable(image: ImageHeader, acceptor: Acceptor): void {
  const { runningVersion, board, architecture, allowsDowngrade } = acceptor;
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
