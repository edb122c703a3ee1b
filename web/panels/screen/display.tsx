/** The console's picture, as large as fits with all console pixels of equal size. */
import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { crispWidth, type Picture, type Size } from "./screen-view.js";

/** Display of the simulated console: reserves the space until the first picture arrives. */
const USUAL: Size = { width: 240, height: 320 };

export function Display({ picture, label }: { picture: Picture | undefined; label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    if (canvas.current) draw(canvas.current, picture?.bitmap);
  }, [picture]);
  return <CrispCanvas canvas={canvas} size={picture?.bitmap ?? USUAL} label={label} />;
}

export interface CrispCanvasProps {
  readonly canvas: RefObject<HTMLCanvasElement | null>;
  /** In the console's pixels. */
  readonly size: Size;
  readonly label: string;
}

/** A canvas as large as its place allows at a whole number of screen pixels for each of its own. */
export function CrispCanvas({ canvas, size: { width, height }, label }: CrispCanvasProps) {
  const roomElement = useRef<HTMLDivElement>(null);
  const room = useSize(roomElement);
  const shown = crispWidth({ width, height }, room, window.devicePixelRatio);
  return (
    <div class="display">
      <div ref={roomElement} class="display-room" />
      <canvas
        ref={canvas}
        role="img"
        aria-label={label}
        style={{ width: `${shown}px`, aspectRatio: `${width} / ${height}` }}
      />
    </div>
  );
}

function draw(canvas: HTMLCanvasElement, bitmap: ImageBitmap | undefined): void {
  const context = canvas.getContext("2d");
  if (!bitmap) {
    context?.clearRect(0, 0, canvas.width, canvas.height);
    return;
  }
  if (canvas.width !== bitmap.width) canvas.width = bitmap.width; // this also clears the canvas
  if (canvas.height !== bitmap.height) canvas.height = bitmap.height;
  context?.drawImage(bitmap, 0, 0);
}

/** Current size of an element in CSS pixels. */
function useSize(element: { current: HTMLElement | null }): Size {
  const [size, setSize] = useState(USUAL);
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return;
    const update = () => setSize({ width: current.clientWidth, height: current.clientHeight });
    update();
    const observer = new ResizeObserver(update);
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return size;
}
