// Whether the first hour is over, as this browser knows it: the service is not asked again then.
import { store, stored } from "../../lib/storage.ts";

const KEY = "first-hour";
const OVER = "over";

export function hasEnded(): boolean {
  return stored(KEY) === OVER;
}

export function noteEnd(): void {
  store(KEY, OVER);
}
