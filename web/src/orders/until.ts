// Until when an order waits.
import { now } from "../lib/clock.svelte.ts";

export type Until = "cancelled" | "today" | "date";

/** ISO 8601; null for as long as it is not cancelled, and for a time that is none or over. `date`: of a field, local. */
export function expiryOf(until: Until, date: string): string | null {
  if (until === "cancelled") return null;
  const end = until === "today" ? endOfToday() : new Date(date);
  return end.getTime() > now() ? end.toISOString() : null;
}

function endOfToday(): Date {
  const end = new Date(now());
  end.setHours(24, 0, 0, 0);
  return end;
}
