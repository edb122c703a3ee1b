/** Receives the icons of the installed apps (docs/spec/management-api.md#app-icon). */
import { useEffect, useState } from "preact/hooks";
import type { AppEntry } from "../../../protocol/device/answers.js";
import { useSession } from "../../session/session.js";

type Icons = ReadonlyMap<string, Uint8Array>;

/**
 * The icons that have arrived, by name of the app. Requests one icon at a time, so that a click of the user waits for
 * one at most, and none during an upload. Requests all again once an app or the console has changed: an app may have
 * another icon in the same version.
 */
export function useAppIcons(apps: readonly AppEntry[]): Icons {
  const session = useSession();
  const device = session.device.value;
  const isUploading = session.isUploading.value;
  const [icons, setIcons] = useState<Icons>(new Map());
  const names = apps.filter(({ icon }) => icon).map(({ name }) => name);
  const installed = apps.map(({ name, version, size_bytes }) => `${name} ${version} ${size_bytes}`).join();
  useEffect(() => {
    if (!device || isUploading) return;
    let isWanted = true;
    const receive = async () => {
      for (const name of names) {
        const icon = await device.icon(name).catch(() => undefined); // the generic icon stays
        if (!isWanted) return;
        if (icon) setIcons((known) => withIcon(known, name, icon));
      }
    };
    void receive();
    return () => {
      isWanted = false;
    };
  }, [device, isUploading, installed]);
  return icons;
}

/** Keeps an icon that is the same, so that the browser does not load it anew. */
function withIcon(known: Icons, name: string, icon: Uint8Array): Icons {
  const before = known.get(name);
  const isSame = before?.length === icon.length && before.every((byte, at) => byte === icon[at]);
  return isSame ? known : new Map(known).set(name, icon);
}
