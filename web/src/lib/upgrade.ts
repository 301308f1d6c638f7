// After an upgrade of the service the old code's chunks are gone: the page is loaded anew, but not again and again. Where
// the service cannot be reached it stays: the browser has nothing but an error to show instead.
import { connection } from "./connection.svelte.ts";

const STORAGE = "reloaded_at";
const PAUSE_MS = 60_000;

export function followUpgrades(): void {
  addEventListener("vite:preloadError", (event) => {
    if (isMissing(event.payload)) void reload();
  });
}

async function reload(): Promise<void> {
  if ((await connection.check()) && mayReload()) location.reload();
}

/** Whether code could not be had: what came and then failed would fail again. */
function isMissing(error: Error): boolean {
  return error instanceof TypeError || error.message.startsWith("Unable to preload CSS");
}

/** Whether this tab has not just been loaded anew for the same reason; where storage is blocked nobody can tell. */
function mayReload(): boolean {
  try {
    if (Date.now() - Number(sessionStorage.getItem(STORAGE)) < PAUSE_MS) return false;
    sessionStorage.setItem(STORAGE, String(Date.now()));
    return true;
  } catch {
    return false;
  }
}
