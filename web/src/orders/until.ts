// Until when an order waits.
import { now } from "../lib/clock.svelte.ts";
import { momentAt, onClock } from "../lib/zone-clock.ts";

export type Until = "cancelled" | "today" | "date";

/** ISO 8601; null for as long as it is not cancelled, and for a time that is none or over. `date`: as a field has it. */
export function expiryOf(until: Until, date: string): string | null {
  if (until === "cancelled") return null;
  const end = until === "today" ? endOfToday() : momentAt(Date.parse(`${date}Z`));
  return end > now() ? new Date(end).toISOString() : null;
}

function endOfToday(): number {
  return momentAt(onClock(now()).setUTCHours(24, 0, 0, 0));
}
