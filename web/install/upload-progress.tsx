/** Progress bar of an upload, with rate and remaining time. */
import { formatBytes, formatDuration, formatRate } from "../format.js";
import { ProgressBar } from "../parts/meter.js";
import { hasAllLeft, type Transfer } from "./upload-run.js";

/** @param after what the console does after the last byte, for example "checks and installs it" */
export function UploadProgress(props: { label: string; transfer: Transfer; after: string }) {
  const { sentBytes, totalBytes } = props.transfer;
  return (
    <ProgressBar
      label={props.label}
      value={sentBytes / totalBytes}
      detail={
        hasAllLeft(props.transfer)
          ? `Upload complete. The console ${props.after} …`
          : detailOf(props.transfer)
      }
    />
  );
}

function detailOf({ sentBytes, totalBytes, bytesPerSecond, secondsLeft, isWaiting }: Transfer): string {
  if (isWaiting) return "The connection broke. The file is sent again once the console is back …";
  const parts = [`${formatBytes(sentBytes)} of ${formatBytes(totalBytes)}`];
  if (bytesPerSecond !== undefined) parts.push(formatRate(bytesPerSecond));
  if (secondsLeft !== undefined) parts.push(`${formatDuration(Math.ceil(secondsLeft) * 1000)} left`);
  return parts.join(" · ");
}
