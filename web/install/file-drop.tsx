/**
 * A drop zone that is also a button: pressing it opens the browser's file chooser. Files may be dropped anywhere on its
 * panel.
 */
import { useEffect, useId, useRef, useState } from "preact/hooks";
import "./file-drop.css";
import type { RefObject } from "preact";

interface FileDropProps {
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

/**
 * @param place an element of the panel
 * @param onFiles `undefined`: nothing is taken now
 * @returns whether files are held over the panel
 */
function useDroppedFiles(
  place: RefObject<HTMLElement | null>,
  onFiles: ((files: readonly File[]) => void) | undefined,
): boolean {
  const [isOver, setOver] = useState(false);
  const take = useRef(onFiles);
  take.current = onFiles;
  useEffect(() => {
    const listening = new AbortController();
    const isHere = (event: DragEvent) => take.current !== undefined && isOnPanel(event, place.current);
    const show = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault(); // or they would take the place of the page
      const isTaken = isHere(event);
      if (event.dataTransfer) event.dataTransfer.dropEffect = isTaken ? "copy" : "none";
      setOver(isTaken);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      if (isHere(event)) take.current?.([...(event.dataTransfer?.files ?? [])]);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false); // the window was left
    };
    window.addEventListener("dragover", show, listening);
    window.addEventListener("drop", drop, listening);
    window.addEventListener("dragleave", leave, listening);
    return () => listening.abort();
  }, [place]);
  return isOver;
}

/** A question in front of the panel is none of it. */
function isOnPanel({ target }: DragEvent, place: HTMLElement | null): boolean {
  const panel = place?.closest("main");
  return target instanceof Element && panel?.contains(target) === true && !target.closest("dialog");
}

/** What else can be dragged, such as a text that is selected, is the browser's business. */
function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("Files") ?? false;
}
