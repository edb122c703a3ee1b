/** The list of lines: follows the end until the user scrolls up, then keeps its position. */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "../../parts/button.js";
import { Empty } from "../../parts/messages.js";
import { LogBlock, lineId } from "./log-block.js";
import { BLOCK_LINES } from "./log-book.js";
import { EVERYTHING, isFiltering } from "./log-entry.js";
import type { LogView } from "./log-view.js";

/** The view is at the end within this distance: half a line, and the rounding of a zoomed page. */
const END_PIXELS = 12;

export function LogList({ view }: { view: LogView }) {
  const { scroller, content, onScroll, toEnd } = useFollowing(view);
  const blocks = view.blocks.value;
  const current = view.current.value;
  return (
    <div class="log-frame notched">
      {/* `LogAnnouncements` announces new lines: a live region here would be read out whole after each filter. */}
      <div
        ref={scroller}
        class={view.leftAt.value === undefined ? "log log-following" : "log"}
        role="log"
        aria-live="off"
        aria-label="Log of the console"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
        tabIndex={0}
        onScroll={onScroll}
      >
        <div ref={content}>
          {blocks.map((block, index) => (
            <LogBlock
              key={block.id}
              block={block}
              pattern={view.pattern.value}
              isLast={index >= blocks.length - 2}
              current={
                current !== undefined && Math.floor(current / BLOCK_LINES) === block.id ? current : undefined
              }
            />
          ))}
        </div>
        {blocks.length === 0 && <NothingShown view={view} />}
      </div>
      {view.newCount.value > 0 && (
        <div class="log-new">
          <Button kind="primary" onClick={toEnd}>
            ↓ {counted(view.newCount.value, "new line")}
          </Button>
        </div>
      )}
    </div>
  );
}

function NothingShown({ view }: { view: LogView }) {
  if (!view.hasLines.value)
    return (
      <Empty title="No lines yet">
        <p>What the console and its apps log shows here as it comes.</p>
      </Empty>
    );
  if (view.isCleared.value && !isFiltering(view.filter.value))
    return (
      <Empty title="Cleared">
        <p>New lines show here as they come. The ones before are still there.</p>
        <Button onClick={() => view.showCleared()}>Show them again</Button>
      </Empty>
    );
  return (
    <Empty title="No lines match these filters">
      <Button
        onClick={() => {
          view.filter.value = EVERYTHING;
        }}
      >
        Show every line
      </Button>
    </Empty>
  );
}

/** Follows new lines until the user scrolls up, and again after the user scrolls back to the end. */
function useFollowing(view: LogView) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const lastTop = useRef(0);

  const keepAtEnd = () => {
    const element = scroller.current;
    if (!element || view.leftAt.peek() !== undefined) return;
    element.scrollTop = element.scrollHeight;
    lastTop.current = element.scrollTop;
  };
  const toEnd = () => {
    view.leftAt.value = undefined;
    keepAtEnd();
    scroller.current?.focus({ preventScroll: true }); // the pressed button disappears
  };
  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = scroller.current as HTMLDivElement;
    const isAtEnd = scrollHeight - clientHeight - scrollTop < END_PIXELS;
    // Blocks that get their real height near the viewport move the end, not `scrollTop`: only scrolling up leaves it.
    if (isAtEnd) view.leftAt.value = undefined;
    else if (scrollTop < lastTop.current) view.leftAt.value ??= view.end.peek();
    lastTop.current = scrollTop;
  };

  useLayoutEffect(keepAtEnd);
  useEffect(() => {
    const observer = new ResizeObserver(keepAtEnd);
    observer.observe(scroller.current as Element);
    observer.observe(content.current as Element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => showCurrent(view), [view.current.value]);
  return { scroller, content, onScroll, toEnd };
}

function showCurrent(view: LogView): void {
  const current = view.current.peek();
  if (current === undefined) return;
  view.leftAt.value ??= view.end.peek();
  document.getElementById(lineId(current))?.scrollIntoView({ block: "center" });
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
