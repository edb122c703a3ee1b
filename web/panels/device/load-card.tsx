/** Live charts of what a program can use up: the processor's time and the heap. */
import type { SystemInfo } from "../../../protocol/device/answers.js";
import { formatBytes } from "../../format.js";
import { Card } from "../../parts/panel.js";
import { Bars } from "./bars.js";
import { HISTORY_LENGTH, type Sample, valuesOver } from "./use-system.js";

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

/** One piece of text, of which no part moves when a figure in it changes. */
function leastFree({ minimum_free_bytes }: SystemInfo["heap"]): string {
  return `Since the last restart at least ${formatBytes(minimum_free_bytes)} of the heap were free.`;
}
