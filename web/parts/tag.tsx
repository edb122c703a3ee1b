/** A label for a kind or a state. Never distinguished by colour alone. */
import type { ComponentChildren } from "preact";
import "./tag.css";

export type TagTone = "quiet" | "good" | "warning" | "bad" | "accent";

export function Tag({ tone = "quiet", children }: { tone?: TagTone; children: ComponentChildren }) {
  return <span class={`tag tag-${tone}`}>{children}</span>;
}
