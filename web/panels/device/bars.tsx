/** A chart of the last values, newest at the right, a bar each, drawn in whole pixels of its own. */
import { useId } from "preact/hooks";
import { BAR_STEPS, barsPath, inWords } from "./bars-path.js";
import "./bars.css";

export interface BarsProps {
  readonly label: string;
  /** Oldest first; `undefined` where there is none. */
  readonly values: readonly (number | undefined)[];
  /** Of the whole height. */
  readonly maximum: number;
  /** How many have room. */
  readonly capacity: number;
  readonly format: (value: number) => string;
  /** Over how long: "last 2 minutes". */
  readonly period: string;
}

export function Bars({ label, values, maximum, capacity, format, period }: BarsProps) {
  const id = useId();
  const now = values.at(-1);
  return (
    <figure class="bars" aria-labelledby={id}>
      <figcaption>
        <span id={id}>{label}</span>
        <strong>{now === undefined ? "…" : format(now)}</strong>
      </figcaption>
      <svg
        viewBox={`0 0 ${capacity * 4} ${BAR_STEPS}`}
        preserveAspectRatio="none"
        shape-rendering="crispEdges"
        role="img"
        aria-label={inWords(values, format, period)}
      >
        <path d={barsPath(values, maximum, capacity)} />
      </svg>
      <p class="bars-axis" aria-hidden="true">
        <span>{period}</span>
        <span>at most {format(maximum)}</span>
      </p>
    </figure>
  );
}
