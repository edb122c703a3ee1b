/** Describes what the hub has ordered. */
import type { HubQuestion } from "../../../protocol/device/answers.js";

interface DescribedQuestion {
  /** What it is about: `tetris 1.0.0`. */
  readonly subject: string;
  readonly title: string;
  readonly action: "Install" | "Uninstall";
}

export function describeQuestion({ kind, name, version }: HubQuestion): DescribedQuestion {
  const isFirmware = kind === "firmware";
  const subject = [isFirmware ? "firmware" : name, version].filter((word) => word !== undefined).join(" ");
  if (kind === "uninstall")
    return { subject, title: `The hub wants to uninstall ${subject}`, action: "Uninstall" };
  return { subject, title: `The hub wants to install ${subject}`, action: "Install" };
}
