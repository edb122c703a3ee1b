/**
 * A drop zone that is also a button: pressing it opens the browser's file chooser. Files may be dropped anywhere on its
 * panel.
 */
import { useId, useRef } from "preact/hooks";
import { useDroppedFiles } from "./use-dropped-files.js";
import "./file-drop.css";

export interface FileDropProps {
  /** "Install app…" */
  readonly label: string;
  /** What may be dropped. */
  readonly hint: string;
  /** As the `accept` of an input: `.svcpkg,.wasm`. */
  readonly accept: string;
  readonly isMultiple?: boolean;
  readonly disabled?: boolean;
  readonly onFiles: (files: readonly File[]) => void;
}

export function FileDrop({
  label,
  hint,
  accept,
  isMultiple = false,
  disabled = false,
  onFiles,
}: FileDropProps) {
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const isOver = useDroppedFiles(place, disabled ? undefined : onFiles);
  return (
    <div ref={place} class={isOver ? "file-drop file-drop-over" : "file-drop"}>
      {/* It reaches over all of the place, hint included. */}
      <button type="button" aria-describedby={id} disabled={disabled} onClick={() => input.current?.click()}>
        {label}
      </button>
      <p id={id} class="small muted">
        {hint}
      </p>
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        multiple={isMultiple}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          currentTarget.value = ""; // so that the same file can be chosen again
          if (files.length > 0) onFiles(files);
        }}
      />
    </div>
  );
}
