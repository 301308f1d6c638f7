// What is said of a distribution.
import { t } from "../lib/i18n.ts";
import { edgeText, quantile, valueText, plainValue, withUnit, type Axis } from "../lib/shapes.ts";

/** A percentile; one in an open range is only known to be beyond its edge. */
export function percentileText(
  axis: Axis,
  probabilities: readonly number[],
  level: number,
  { unit = true } = {},
): string {
  const edge = (index: number) =>
    unit ? withUnit(axis, edgeText(axis, index)) : edgeText(axis, index);
  if ((probabilities[0] ?? 0) >= level)
    return t(axis.kind === "date" ? "number.sooner" : "number.under", { end: edge(0) });
  if ((probabilities.at(-1) ?? 0) > 1 - level)
    return t(axis.kind === "date" ? "number.later" : "number.over", {
      end: edge(axis.edges.length - 1),
    });
  const value = quantile(axis, probabilities, level);
  return unit ? valueText(axis, value) : plainValue(axis, value);
}

/** "−12.5 and 0.1 °C": what holds it in eight of ten cases. */
export function bandText(axis: Axis, probabilities: readonly number[]): string {
  return t("number.and", {
    low: percentileText(axis, probabilities, 0.1, { unit: false }),
    high: percentileText(axis, probabilities, 0.9),
  });
}
