/** A word that says of what kind or in what state something is. Never by its colour alone. */
import type { ComponentChildren } from "preact";
import "./tag.css";

export type TagTone = "quiet" | "good" | "warning" | "bad" | "accent";

export function Tag({ tone = "quiet", children }: { tone?: TagTone; children: ComponentChildren }) {
  return <span class={`tag tag-${tone}`}>{children}</span>;
}
