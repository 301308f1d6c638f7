// How sure a share of few is.
/** The 0.975 quantile of the normal distribution. */
const Z = 1.959963984540054;

/** Wilson's 95 % interval (1927) of a probability of which `won` of `all` came true: [low, high]. */
export function wilson(won: number, all: number): [number, number] {
  if (all === 0) return [0, 1];
  const share = won / all;
  const part = (Z * Z) / all;
  const middle = (share + part / 2) / (1 + part);
  const half = Math.sqrt(share * (1 - share) * part + (part * part) / 4) / (1 + part);
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

/** Fewer outcomes than this say nothing. */
export const FEW = 20;

/** Moments whose chances may count: halfway through, or so long before the end. */
export const HORIZONS = ["mid", "1h", "1d", "7d", "30d"] as const;
