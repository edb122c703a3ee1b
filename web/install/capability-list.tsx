/** Lists an app's capabilities, in words and in few lines. */
import { capabilityInWords } from "./install-plan.js";
import "./capability-list.css";

export function CapabilityList({ names }: { names: readonly string[] }) {
  if (names.length === 0) return <p class="small muted">Needs no capabilities.</p>;
  const words = names.map((name) => capabilityInWords(name).replace(/\.$/, ""));
  return (
    <ul class="capabilities" aria-label="What it may do" title={words.join(" · ")}>
      {words.map((each) => (
        <li key={each}>{each}</li>
      ))}
    </ul>
  );
}
