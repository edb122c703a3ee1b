/** How the hub answers with a trap whose stack has files and lines, to an app's publisher and to the holder of a console. */
import type { ToldTrapAnswer } from "../../protocol/hub/answers/catalog.js";
import type { ToldTrap } from "./app-lines.js";

export function trapAnswer({ message, stack }: ToldTrap): ToldTrapAnswer {
  return {
    message,
    stack: stack.map(({ isStart, ...frame }) => (isStart ? { ...frame, is_start: true } : frame)),
  };
}
