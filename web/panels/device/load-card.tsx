/** Live charts of processor load and heap use. */
import { useId } from "preact/hooks";
import type { SystemInfo } from "../../../protocol/device/answers.js";
import { formatBytes } from "../../format.js";
import { Card } from "../../parts/panel.js";
import { BAR_STEPS, barsPath, inWords } from "./bars-path.js";
import { HISTORY_LENGTH, type Sample, valuesOver } from "./use-system.js";
import "./device-panel.css";

const PERIOD = "last 2 minutes";

export function LoadCard({
  history,
  heap,
}: {
  readonly history: readonly Sample[];
  readonly heap: SystemInfo["heap"];
}) {
  return (
    <Card title="Load">
      <Bars
        label="Processor"
        values={valuesOver(history, ({ loadPercent }) => loadPercent)}
        maximum={100}
        capacity={HISTORY_LENGTH}
        format={(percent) => `${Math.round(percent)}%`}
        period={PERIOD}
      />
      <Bars
        label="Heap in use"
        values={valuesOver(history, ({ heapUsedBytes }) => heapUsedBytes)}
        maximum={heap.total_bytes}
        capacity={HISTORY_LENGTH}
        format={formatBytes}
        period={PERIOD}
      />
      <p class="muted small">{leastFree(heap)}</p>
    </Card>
  );
}

/** One string, so that no part of it moves on its own when the figure changes. */
function leastFree({ minimum_free_bytes }: SystemInfo["heap"]): string {
  return `Since the last restart at least ${formatBytes(minimum_free_bytes)} of the heap were free.`;
}

interface BarsProps {
  readonly label: string;
  /** Oldest first; `undefined` for a gap. */
  readonly values: readonly (number | undefined)[];
  /** The value of a bar of full height. */
  readonly maximum: number;
  /** Number of bars that fit. */
  readonly capacity: number;
  readonly format: (value: number) => string;
  /** The time that the chart covers, for example "last 2 minutes". */
  readonly period: string;
}

/** A chart with one bar per value, newest at the right, drawn on a coarse pixel grid. */
function Bars({ label, values, maximum, capacity, format, period }: BarsProps) {
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
