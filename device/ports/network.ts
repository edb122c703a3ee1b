/** The joined network, as WiFi sees it. */
export interface NetworkInterface {
  /** IPv4 address in dotted form, `""` while no network is joined. */
  readonly address: string;
  /** IPv6 address, where there is one. */
  readonly addressIpv6?: string;
  /** Signal strength in dBm, 0 while no network is joined or where the link has none (a wire). */
  readonly rssi: number;
}
