/** How full something is, in blocks, with the figures in words. */
import type { Capacity } from "../../protocol/device/answers.js";
import { formatBytes } from "../format.js";
import "./meter.css";

/** From here on it is said in another colour, too. */
const NEARLY_FULL = 0.9;

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
        aria-hidden="true" // the words say it
      >
        <div style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  );
}
