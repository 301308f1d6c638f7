// What is said of a distribution.
import { beyondText, quantile, valueText, type Axis } from "../lib/shapes.ts";

/** A percentile; one in an open range is only known to be beyond its edge. */
export function percentileText(
  axis: Axis,
  probabilities: readonly number[],
  level: number,
): string {
  if ((probabilities[0] ?? 0) >= level) return beyondText(axis, false);
  if ((probabilities.at(-1) ?? 0) > 1 - level) return beyondText(axis, true);
  return valueText(axis, quantile(axis, probabilities, level));
}
