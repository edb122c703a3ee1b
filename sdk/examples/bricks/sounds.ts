/**
 * What the game sounds like: a tone for each thing that can happen. Each kind has a voice of its own, so that a bounce does not
 * cut off the sound of a brick. A console without a loudspeaker is silent, and nothing here has to know.
 */
import { Shape, soundTone } from "svc";
import { Event } from "./rules";

/** @param events bits of what a frame has done */
export function playSounds(events: i32): void {
  if (events & Event.LAUNCHED) soundTone(0, 300, 600, 80, 50, Shape.TRIANGLE);
  if (events & Event.BROKE_BRICK) soundTone(1, 880, 700, 70, 60, Shape.SQUARE);
  else if (events & Event.BOUNCED) soundTone(0, 330, 330, 40, 50, Shape.SQUARE);
  if (events & Event.FINISHED_LEVEL) soundTone(2, 400, 1600, 500, 70, Shape.TRIANGLE);
  if (events & Event.LOST_BALL) soundTone(3, 2000, 100, 400, 60, Shape.NOISE);
}
