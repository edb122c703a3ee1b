import { expect, test } from "vitest";
import type { SoundFile } from "../../../../protocol/device/sound-file.js";
import {
  type Loudspeaker,
  SOUND_INTERVAL_MS,
  SoundPlayer,
} from "../../../../web/panels/screen/sound-player.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";

/** A loudspeaker that notes what it is to play and when, and a console that plays one sample each millisecond. */
class Scene {
  readonly clock = new EmulatedClock();
  readonly started: { readonly atS: number; readonly samples: number[] }[] = [];
  readonly wanted: (number | undefined)[] = [];
  samples: number[] = [];
  isAway = false;
  isClosed = false;

  readonly sound = async (since: number | undefined): Promise<SoundFile> => {
    this.wanted.push(since);
    if (this.isAway) throw new Error("away");
    const start = since ?? 0;
    return { start, rate: 1000, samples: Int16Array.from(this.samples.slice(start)) };
  };

  get loudspeaker(): Loudspeaker {
    const { clock, started } = this;
    return {
      destination: {} as AudioDestinationNode,
      get currentTime() {
        return clock.uptimeMs() / 1000;
      },
      createBuffer: (_channels: number, length: number, rate: number) => {
        const channel = new Float32Array(length);
        return { duration: length / rate, getChannelData: () => channel } as unknown as AudioBuffer;
      },
      createBufferSource: () => {
        const source = {
          buffer: undefined as unknown as AudioBuffer,
          connect: () => {},
          start: (atS: number) =>
            started.push({
              atS,
              samples: [...source.buffer.getChannelData(0)].map((sample) => sample * 32_768),
            }),
        };
        return source as unknown as AudioBufferSourceNode;
      },
      close: async () => {
        this.isClosed = true;
      },
    };
  }

  async pass(times = 1): Promise<void> {
    for (let time = 0; time < times; time++) await this.clock.pass(SOUND_INTERVAL_MS);
  }
}

function start() {
  const scene = new Scene();
  scene.samples = [1, 2, 3];
  return { scene, player: () => new SoundPlayer(scene) };
}

test("What was played before is not, and what comes is played one after the other", async () => {
  const { scene, player } = start();
  const playing = player();
  await scene.clock.pass(0);
  expect([scene.wanted, scene.started]).toEqual([[undefined], []]);
  scene.samples.push(...Array.from({ length: 200 }, (_, index) => index));
  await scene.pass();
  scene.samples.push(...Array.from({ length: 200 }, (_, index) => -index));
  await scene.pass();
  await scene.pass();
  expect(scene.wanted).toEqual([undefined, 3, 203, 403]);
  expect(scene.started.map(({ atS, samples }) => [atS, samples.length, samples[1]])).toEqual([
    [0.5, 200, 1],
    [0.7, 200, -1],
  ]);
  playing.close();
});

test("After a pause sound begins a moment after its answer", async () => {
  const { scene, player } = start();
  const playing = player();
  await scene.pass(10);
  scene.samples.push(7);
  await scene.pass(5);
  expect(scene.started.map(({ atS }) => Math.round(atS * 10))).toEqual([25]);
  playing.close();
});

test("A console that was away is asked from the start, and what it played meanwhile is left out", async () => {
  const { scene, player } = start();
  const playing = player();
  await scene.pass();
  scene.isAway = true;
  await scene.pass(2);
  scene.isAway = false;
  scene.samples.push(1, 2);
  await scene.pass();
  expect(scene.wanted.slice(-1)).toEqual([undefined]);
  scene.samples.push(9);
  await scene.pass();
  expect(scene.started.map(({ samples }) => samples)).toEqual([[9]]);
  playing.close();
  await scene.pass(3);
  expect([scene.isClosed, scene.clock.timerCount]).toEqual([true, 0]);
});
