import { expect, test } from "vitest";
import { crispWidth } from "../../../../web/panels/screen/screen-view.js";

const LANDSCAPE = { width: 320, height: 240 };
const PORTRAIT = { width: 240, height: 320 };
const CASES = [
  { name: "has the largest whole multiple", display: LANDSCAPE, room: [700, 1000], density: 1, width: 640 },
  { name: "is no higher than the room", display: PORTRAIT, room: [700, 650], density: 1, width: 480 },
  {
    name: "uses the pixels of a dense display",
    display: LANDSCAPE,
    room: [358, 1000],
    density: 3,
    width: 320,
  },
  {
    name: "has half pixels on a dense display",
    display: PORTRAIT,
    room: [370, 1000],
    density: 2,
    width: 360,
  },
  {
    name: "has all the room if there is too little",
    display: LANDSCAPE,
    room: [300, 500],
    density: 1,
    width: 300,
  },
  {
    name: "has all the height if there is too little",
    display: PORTRAIT,
    room: [300, 160],
    density: 1,
    width: 120,
  },
] as const;
for (const { name, display, room, density, width } of CASES)
  test(`The picture ${name}`, () =>
    expect(crispWidth(display, { width: room[0], height: room[1] }, density)).toBe(width));
