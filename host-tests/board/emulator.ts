/** The command line of an emulator of Espressif's chips: Espressif's release of QEMU, or a program that takes the same. */

/** The UART of the chip that carries the management protocol. */
export const UARTS = Object.freeze([0, 1, 2]);

/** Of `-chardev`, in the emulator's message that names its pseudo-terminal. */
export const MANAGEMENT_PORT = "management";

/** The console's ports (device/hosts/esp32/manifest.json). */
const HTTP_PORT = 8080;
const WS_PORT = 8081;

export interface EmulatorOptions {
  /** Of `-machine`. */
  readonly machine: string;
  /** PSRAM, such as `4M`. */
  readonly memory: string;
  /** Whether the PSRAM has eight lines, which an emulator has to be told. */
  readonly isOctal?: boolean;
  /** Of the whole flash; the emulator writes it. */
  readonly flash: string;
  /** Of this machine, on the loopback interface. */
  readonly ports: { readonly http: number; readonly ws: number };
  /** The emulator appends what the console prints. */
  readonly log: string;
  readonly uart: number;
  /** One instruction takes 2 to the power of this, in nanoseconds of the board's time; default: as fast as it goes. */
  readonly icount?: number | undefined;
  readonly extra: readonly string[];
}

/**
 * The machine waits for `cont` on the emulator's standard input, in QMP: what a UART sends while nobody has its
 * pseudo-terminal open can be lost.
 */
export function emulatorArguments(options: EmulatorOptions): readonly string[] {
  const { machine, memory, isOctal = false, flash, ports, icount, extra } = options;
  const forwarded = [
    [ports.http, HTTP_PORT],
    [ports.ws, WS_PORT],
  ].map(([ours, theirs]) => `hostfwd=tcp:127.0.0.1:${ours}-:${theirs}`);
  return [
    ...["-display", "none", "-monitor", "none", "-qmp", "stdio", "-S"],
    ...["-machine", machine, "-m", memory],
    ...(isOctal ? ["-global", "driver=ssi_psram,property=is_octal,value=true"] : []),
    ...["-drive", `file=${quoted(flash)},if=mtd,format=raw`],
    ...["-nic", ["user", "model=open_eth", ...forwarded].join()],
    ...serialPorts(options),
    ...(icount === undefined ? [] : ["-icount", String(icount)]),
    ...extra,
  ];
}

/** What the chip and ESP-IDF print is on UART 0, which the management protocol shares where it is there, too. */
function serialPorts({ uart, log }: EmulatorOptions): readonly string[] {
  const logged = `logfile=${quoted(log)},logappend=on`;
  return UARTS.slice(0, Math.max(2, uart + 1)).flatMap((port) => {
    if (port !== uart) return ["-chardev", `null,id=uart${port},${logged}`, "-serial", `chardev:uart${port}`];
    const device = `pty,id=${MANAGEMENT_PORT}${port === 0 ? `,${logged}` : ""}`;
    return ["-chardev", device, "-serial", `chardev:${MANAGEMENT_PORT}`];
  });
}

/** A comma ends a value, and two of them stand for one. */
const quoted = (file: string) => file.replaceAll(",", ",,");
