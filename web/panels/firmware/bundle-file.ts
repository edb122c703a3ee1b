/** Reads a firmware bundle before its upload, and checks whether it fits the console. */
import type { SystemInfo } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import {
  BUNDLE_HEADER_BYTES,
  checkBundleStart,
  readBundleHeader,
} from "../../../protocol/firmware/bundle-header.js";
import {
  IMAGE_HEAD_BYTES,
  type ImageHeader,
  readImageHeader,
} from "../../../protocol/firmware/image-header.js";
import { compareVersions } from "../../../protocol/version.js";

export interface BundleFile extends ImageHeader {
  readonly bytes: Uint8Array;
}

/** @throws {Fault} `bundle_magic`, `bundle_version`, `bundle_length`, `image_invalid`, as on the console */
export function readBundleFile(bytes: Uint8Array): BundleFile {
  checkBundleStart(bytes);
  if (bytes.length < BUNDLE_HEADER_BYTES) throw wrongLength("it ends within its header");
  const totalBytes = BUNDLE_HEADER_BYTES + readBundleHeader(bytes).imageBytes;
  if (totalBytes !== bytes.length)
    throw wrongLength(`it says that it has ${totalBytes} bytes, and has ${bytes.length}`);
  const head = bytes.subarray(BUNDLE_HEADER_BYTES, BUNDLE_HEADER_BYTES + IMAGE_HEAD_BYTES);
  return { ...readImageHeader(head), bytes };
}

export interface BundleFit {
  readonly relation: "newer" | "same" | "older";
  /** Why the console will reject the bundle, or might; a sentence each. */
  readonly warnings: readonly string[];
  /** Whether the console is certain to reject the bundle. */
  readonly isRefused: boolean;
}

export function bundleFit(
  bundle: ImageHeader,
  system: Pick<SystemInfo, "board" | "arch" | "firmware">,
): BundleFit {
  const isOther = bundle.board !== system.board || bundle.architecture !== system.arch;
  const relation = relationOf(compareVersions(bundle.version, system.firmware.version));
  const warnings = [];
  if (isOther)
    warnings.push(
      `It is for "${bundle.board}" (${bundle.architecture}), and this console is "${system.board}" (${system.arch}).`,
    );
  if (relation === "older")
    warnings.push(
      `It is older than what runs (${system.firmware.version}). Most consoles reject older firmware.`,
    );
  return { relation, warnings, isRefused: isOther };
}

function relationOf(order: number): BundleFit["relation"] {
  if (order === 0) return "same";
  return order > 0 ? "newer" : "older";
}

function wrongLength(reason: string): Fault {
  return new Fault("bundle_length", `Cannot take the bundle: ${reason}`);
}
