/** A progress bar in blocks, with a text for what the bar cannot show. */
import { useId } from "preact/hooks";
import { formatPercent } from "../format.js";
import "./progress-bar.css";

export interface ProgressBarProps {
  readonly label: string;
  /** 0 to 1; left out when unknown. */
  readonly value?: number;
  /** Such as rate and time left. */
  readonly detail?: string;
}

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
