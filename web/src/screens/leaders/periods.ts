// The periods of rankings: weeks from Monday and months, of UTC, and all time.
export const PERIODS = ["week", "month", "all"] as const;
export type Period = (typeof PERIODS)[number];

/** When the period of a moment began, Unix milliseconds. */
export function periodStart(period: Period, nowMs: number): number {
  if (period === "all") return -Infinity;
  const now = new Date(nowMs);
  const daysAfterMonday = (now.getUTCDay() + 6) % 7;
  const day = period === "month" ? 1 : now.getUTCDate() - daysAfterMonday;
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), day);
}
