// A list that grows: what taking an outcome out of Other does to prices, and what it costs the house. The formulas are
// docs/lists.md's.

/** What is known of a list's Other. */
export interface Other {
  /** Of Other, now. */
  probability: number;
  /** The market maker's liquidity parameter, kopecks. */
  b: number;
  /** The most that the house can lose if Other wins, kopecks; null where only its runner knows. */
  boundKopecks: number | null;
  /** What the house has paid in, kopecks. */
  paidKopecks: number;
}

/** Chances after an outcome was taken out of Other: where it starts, and what Other keeps. */
export function startOf(percent: number, probability: number): { starts: number; keeps: number } {
  const starts = (probability * percent) / 100;
  return { starts, keeps: probability - starts };
}

/** What the house pays for it, kopecks. */
export function costOf(percent: number, { b, boundKopecks, paidKopecks }: Other): number {
  const least = Math.min(percent, 100 - percent) / 100;
  return Math.max(0, (boundKopecks ?? 0) + Math.ceil(b * Math.log(1 / least)) - paidKopecks);
}

/** Names of a list differ without regard to case. */
export function isTaken(name: string, names: readonly string[]): boolean {
  const folded = name.trim().toLowerCase();
  return names.some((one) => one.trim().toLowerCase() === folded);
}
