/**
 * A drop zone that is also a button: a click opens the browser's file chooser. The whole panel accepts dropped files.
 */
import { useEffect, useId, useRef, useState } from "preact/hooks";
import "./file-drop.css";
import type { RefObject } from "preact";

interface FileDropProps {
  /** For example "Install app…". */
  readonly label: string;
  /** Says which files are accepted. */
  readonly hint: string;
  /** The `accept` attribute of the file input, for example `.svcpkg,.wasm`. */
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
      {/* Covers the whole drop zone, hint included (file-drop.css). */}
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
 * @param place an element inside the panel
 * @param onFiles `undefined` accepts no files for now
 * @returns whether the user drags files over the panel
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
      event.preventDefault(); // otherwise the browser would leave the page and open the files
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
      if (event.relatedTarget === null) setOver(false); // the pointer has left the window
    };
    window.addEventListener("dragover", show, listening);
    window.addEventListener("drop", drop, listening);
    window.addEventListener("dragleave", leave, listening);
    return () => listening.abort();
  }, [place]);
  return isOver;
}

/** A dialog over the panel does not count as part of it. */
function isOnPanel({ target }: DragEvent, place: HTMLElement | null): boolean {
  const panel = place?.closest("main");
  return target instanceof Element && panel?.contains(target) === true && !target.closest("dialog");
}

/** Other dragged items, such as selected text, are left to the browser. */
function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("Files") ?? false;
}
