const MILLION_KOPECKS = 100_000_000;

/** How a ranking writes a profit: from a million on it leaves no room for names. */
export function profitLook(kopecks: number): "short" | "compact" {
  return Math.abs(kopecks) < MILLION_KOPECKS ? "short" : "compact";
}
