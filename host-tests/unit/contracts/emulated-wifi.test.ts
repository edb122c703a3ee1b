import { CONTRACT_NETWORKS, WIFI_CONTRACT } from "../../contracts/wifi.js";
import { EmulatedClock } from "../../hosts/emulated-clock.js";
import { EmulatedAir } from "../../hosts/emulated-wifi.js";
import { runContract } from "./run-contract.js";

runContract("Wifi in memory", WIFI_CONTRACT, () => {
  const clock = new EmulatedClock();
  const { open, secured } = CONTRACT_NETWORKS;
  const air = new EmulatedAir(clock, [open, secured, secured, { SSID: "", password: "hidden network" }]);
  return { Wifi: air.wifi(), pass: (milliseconds) => clock.pass(milliseconds) };
});
