/**
 * The radio of Bluetooth Low Energy: it advertises, and takes no connection (Core Specification 5.4, Vol 6, Part B,
 * §2.3.1.3). ECMA-419 has none.
 */
export interface AdvertisementOptions {
  /** The advertising data, at most 31 bytes, which every receiver in range sees. */
  readonly data: Uint8Array;
}

/** Advertises until `close`. Only one instance at a time. The constructor throws an `Error` if the radio refuses. */
export type AdvertisementConstructor = new (options: AdvertisementOptions) => Advertisement;

export interface Advertisement {
  /** Ends advertising. May be called twice. */
  close(): void;
}
