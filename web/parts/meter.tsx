/** Bars that show how full something is, and the progress of an operation. */
import type { Capacity } from "../../protocol/device/answers.js";
import { formatBytes, formatPercent } from "../format.js";
import "./meter.css";
import { useId } from "preact/hooks";

/** Share from which the bar has a warning colour. */
const NEARLY_FULL = 0.9;

/** How full something is, in blocks, with the figures in words. */
export function Meter({ label, capacity }: { readonly label: string; readonly capacity: Capacity }) {
  const { total_bytes, free_bytes } = capacity;
  const used = total_bytes - free_bytes;
  const share = total_bytes === 0 ? 0 : used / total_bytes;
  const words = `${formatBytes(free_bytes)} of ${formatBytes(total_bytes)} free`;
  return (
    <div class="meter">
      <div class="meter-head">
        <span>{label}</span>
        <span class="muted">{words}</span>
      </div>
      <div
        class={share < NEARLY_FULL ? "meter-track" : "meter-track meter-full"}
        aria-hidden="true" // the text has the same figures
      >
        <div style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  );
}

interface ProgressBarProps {
  readonly label: string;
  /** 0 to 1; leave it out if unknown. */
  readonly value?: number;
  /** Text beside the bar, such as rate and remaining time. */
  readonly detail?: string;
}

/** A progress bar in blocks, with a text for what the bar cannot show. */
export function ProgressBar({ label, value, detail }: ProgressBarProps) {
  const id = useId();
  const percent = value === undefined ? undefined : Math.round(Math.min(1, Math.max(0, value)) * 100);
  return (
    <div class="progress">
      <div class="progress-head">
        <span id={id}>{label}</span>
        <span class="mono">{value === undefined ? "" : formatPercent(value)}</span>
      </div>
      <div
        class={percent === undefined ? "progress-track progress-unknown" : "progress-track"}
        role="progressbar"
        aria-labelledby={id}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={
          [percent === undefined ? "" : `${percent}%`, detail].filter(Boolean).join(", ") || undefined
        }
      >
        <div class="progress-fill" style={{ width: percent === undefined ? "100%" : `${percent}%` }} />
      </div>
      <p class="progress-detail">{detail ?? "\u00a0"}</p>
    </div>
  );
}
