/** What is left of a program's output on a terminal. */
import { expect, test } from "vitest";
import { shownText } from "../../../tools/shown-text.js";

const CASES = [
  { name: "lines as they are", output: "a\n  b\n\nc\n", shown: "a\n  b\n\nc\n" },
  { name: "nothing of nothing", output: "", shown: "" },
  { name: "text without its colours", output: "\x1b[1m\x1b[31merror:\x1b[0m no\n", shown: "error: no\n" },
  { name: "the last of lines over each other", output: "1/2\r2/2\rdone\n", shown: "done\n" },
  { name: "the rest of a longer line below", output: "abcdef\rxy\n", shown: "xycdef\n" },
  { name: "nothing that is erased to the right", output: "step 1... \x1b[10D\x1b[0Kend", shown: "end" },
  { name: "nothing of a line that is erased whole", output: "step 1\x1b[2K\rend", shown: "end" },
  { name: "the end of a line that is erased to the left", output: "abcd\x1b[3D\x1b[1K", shown: "  cd" },
  { name: "nothing that is written over after backspaces", output: "50%\b\b\b   \b\b\bend", shown: "end" },
  { name: "nothing of several lines that are erased", output: "a\n b\n c\x1b[2F\x1b[Jend\n", shown: "end\n" },
  {
    name: "nothing of what a newer Zig draws",
    output:
      "\x1b[?2026h\x1b[J[1] Compile\n\u2514\u2500 main.zig\r\x1bM\x1b[?2026l\x1b[Jmain.zig:1:1: error\n",
    shown: "main.zig:1:1: error\n",
  },
  { name: "nothing of a screen that is erased", output: "a\nb\x1b[2J\x1b[Ac", shown: " c\n" },
  { name: "text to the right of the end", output: "a\x1b[3Cb\x1b[1Gc", shown: "c   b" },
  { name: "the text of a link", output: "\x1b]8;;http://a.example\x07here\x1b]8;;\x1b\\", shown: "here" },
  { name: "nothing above or left of the start", output: "\x1b[9A\x1b[9D\x1b[0Gx", shown: "x" },
  { name: "nothing of half a sequence", output: "a\x1b[", shown: "a" },
];
for (const { name, output, shown } of CASES)
  test(`A terminal shows ${name}`, () => {
    expect(shownText(output)).toBe(shown);
  });
