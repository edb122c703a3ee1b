/** What can be measured, in thousandths of a degree or of a volt. */
import { adcRead, i2cRead } from "svc";

export const SENSORS = 2;
const TEMPERATURE = 0;

/** An LM75: its address if no pin of it is connected, and its register of the temperature. */
const LM75 = 0x48;
const LM75_TEMPERATURE = 0;

/** The pin of an ESP32-S3 for apps that measures voltages. */
const PIN = 2;

const bytes = new Uint8Array(2);
let error: i32 = 0;

export function nameOf(sensor: i32): string {
  return sensor === TEMPERATURE ? "LM75" : `pin ${PIN}`;
}

export function unitOf(sensor: i32): string {
  return sensor === TEMPERATURE ? "°C" : "V";
}

/** The value, or 0 where `lastError` is below 0. */
export function measure(sensor: i32): i32 {
  return sensor === TEMPERATURE ? readTemperature() : readVoltage();
}

/** Of the last measurement: below 0 if it failed. */
export function lastError(): i32 {
  return error;
}

/** Why the last measurement failed. */
export function failure(): string {
  if (error === -2) return "no sensor answers";
  if (error === -19) return "this console has none";
  return `error ${error}`;
}

/** The upper 11 bits of two bytes are a number of eighths of a degree; the first byte has the sign. */
function readTemperature(): i32 {
  error = i2cRead(LM75, LM75_TEMPERATURE, bytes);
  if (error < 0) return 0;
  const eighths = ((i32(i8(bytes[0])) << 8) | bytes[1]) >> 5;
  return eighths * 125;
}

function readVoltage(): i32 {
  error = adcRead(PIN);
  return max(error, 0);
}

/** A number of thousandths with two digits after the point: `-0.12`. */
export function decimal(thousandths: i32): string {
  const hundredths = abs(thousandths) / 10;
  const sign = thousandths < 0 ? "-" : "";
  return `${sign}${hundredths / 100}.${(hundredths % 100).toString().padStart(2, "0")}`;
}
