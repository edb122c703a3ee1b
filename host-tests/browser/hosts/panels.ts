/** The panels of the web console, and how to tell that each shows all its data. */
import type { ConsolePage, PanelName } from "./console-page.js";
import { openStore } from "./store.js";

export const PANELS: readonly PanelName[] = [
  "Connect",
  "Device",
  "Apps",
  "Store",
  "Firmware",
  "Logs",
  "Shell",
  "Screen",
];

/** Opens a panel, and waits until it shows data of the connected console. */
export async function showPanel(page: ConsolePage, name: PanelName): Promise<void> {
  const panel = await page.go(name);
  const shows: Readonly<Record<PanelName, () => Promise<void>>> = {
    Connect: () => panel.waitFor(),
    Device: () => panel.getByText("02:00:00:00:1A:2B").first().waitFor(),
    Apps: () => page.button("Stop bricks").waitFor(),
    Store: async () => void (await openStore(page)),
    Firmware: () => panel.getByRole("region", { name: "Running", exact: true }).waitFor(),
    Logs: () =>
      panel
        .getByText(/is ready: HTTP/)
        .first()
        .waitFor(),
    Shell: () => runCommand(page, "app list"),
    Screen: () => panel.getByRole("img", { name: /by \d+ pixels/ }).waitFor(),
  };
  await shows[name]();
}

/** Runs a command in the visible shell panel, and waits for its output. */
export async function runCommand(page: ConsolePage, command: string): Promise<void> {
  const shell = await page.panel("Shell");
  const prompt = shell.getByRole("textbox");
  await prompt.fill(command);
  await prompt.press("Enter");
  await shell.locator(`.shell-entry-command:has-text("${command}") + .shell-entry`).waitFor();
}
