/** The Timer port on Node's real timers. */
import type { Timer, TimerHandle } from "../../protocol/ports/runtime.js";

export const nodeTimer: Timer = Object.freeze({
  set: (callback: () => void, milliseconds: number) => setTimeout(callback, milliseconds) as TimerHandle,
  repeat: (callback: () => void, milliseconds: number) => setInterval(callback, milliseconds) as TimerHandle,
  clear: (timer: TimerHandle | undefined) => clearTimeout(timer as NodeJS.Timeout | undefined),
});
