/** When polling for pictures pauses, and the message for it. */
export interface ScreenCircumstances {
  /** How the console is reached; `undefined` while it is not. */
  readonly kind: "usb" | "http" | undefined;
  readonly isUploading: boolean;
  /** The tab is in front. */
  readonly isVisible: boolean;
}

/** @returns why the picture stands still; `undefined` while it does not */
export function standstillOf({ kind, isUploading, isVisible }: ScreenCircumstances): string | undefined {
  if (kind === undefined) return "Waiting for the console";
  if (isUploading && kind === "usb") return "The picture pauses during an upload over USB";
  return isVisible ? undefined : "The picture pauses while this tab is hidden";
}
