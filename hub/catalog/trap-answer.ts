/** How the hub answers with a trap whose stack has files and lines, to an app's publisher and to the holder of a console. */
import Type, { type Static } from "typebox";
import type { ToldTrap } from "./app-lines.js";

export const TOLD_TRAP = Type.Object(
  {
    message: Type.String({ description: "With files and lines in place of offsets" }),
    stack: Type.Array(
      Type.Object({
        function: Type.String(),
        file: Type.Optional(Type.String()),
        line: Type.Optional(Type.Integer()),
        is_start: Type.Optional(Type.Boolean({ description: "The line is that of the function's start" })),
      }),
    ),
  },
  { title: "Trap" },
);

export function trapAnswer({ message, stack }: ToldTrap): Static<typeof TOLD_TRAP> {
  return {
    message,
    stack: stack.map(({ isStart, ...frame }) => (isStart ? { ...frame, is_start: true } : frame)),
  };
}
