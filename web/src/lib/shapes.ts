// The axis of a pool that asks for a number or a date: its edges, what its ranges are called, its quantiles.
import { language as ofPage, t, type Language } from "./i18n.ts";

export interface Axis {
  kind: "number" | "date";
  /** Between the ranges, growing: numbers, or Unix seconds. The first range and the last are open. */
  edges: number[];
  /** "" for none. */
  unit: string;
  /** Within a range the logarithm counts. */
  isLog: boolean;
  /** IANA, of dates. */
  zone: string;
}

/** A pool's axis; null of one without, and of a price rule's before its edges are known. */
export function axisOf({ shape }: { shape?: object | null }): Axis | null {
  if (!shape || !("kind" in shape) || !("edges" in shape) || !Array.isArray(shape.edges))
    return null;
  const sent: unknown[] = shape.edges;
  const text = (name: string) => {
    const found: unknown = name in shape ? shape[name as keyof typeof shape] : null;
    return typeof found === "string" ? found : "";
  };
  if (shape.kind === "number")
    return {
      kind: "number",
      edges: sent.map(Number),
      unit: text("unit"),
      isLog: "log" in shape && shape.log === true,
      zone: "",
    };
  if (shape.kind !== "date") return null;
  const edges = sent.map((edge) => Date.parse(String(edge)) / 1000);
  return { kind: "date", edges, unit: "", isLog: false, zone: text("zone") || "UTC" };
}

const MOST_DECIMALS = 8;
const GROUPED_FROM = 10_000;
/** Of a range, how finely a value within it is told. */
const PARTS = 20;

/** A number as it is written, with at most so many digits after the point. */
function numberText(value: number, digits: number, language: Language): string {
  return new Intl.NumberFormat(language, {
    maximumFractionDigits: digits,
    useGrouping: Math.abs(value) >= GROUPED_FROM,
  })
    .format(value)
    .replace("-", "−")
    .replace(/^−0$/, "0");
}

/** Whether times are told to the day: all of the axis begin one. */
function isDaily(axis: Axis): boolean {
  return axis.edges.every((edge) => {
    const at = partsOf(edge, axis.zone);
    return at.hour === "00" && at.minute === "00";
  });
}

function partsOf(seconds: number, zone: string): Record<string, string> {
  const format = dateFormat("en-GB", zone, { ...DAY, ...HOUR });
  const parts = format.formatToParts(seconds * 1000).map(({ type, value }) => [type, value]);
  return Object.fromEntries(parts) as Record<string, string>;
}

const DAY = { day: "numeric", month: "long", year: "numeric" } as const;
const HOUR = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const formats = new Map<string, Intl.DateTimeFormat>();

function dateFormat(
  locale: string,
  zone: string,
  look: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, zone, look]);
  let format = formats.get(key);
  if (!format) {
    try {
      format = new Intl.DateTimeFormat(locale, { ...look, timeZone: zone });
    } catch {
      format = new Intl.DateTimeFormat(locale, { ...look, timeZone: "UTC" }); // a zone that this browser does not know
    }
    formats.set(key, format);
  }
  return format;
}

function timeText(
  seconds: number,
  zone: string,
  look: Intl.DateTimeFormatOptions,
  language: Language,
): string {
  const locale = language === "en" ? "en-GB" : language;
  return dateFormat(locale, zone, look)
    .format(seconds * 1000)
    .replace(/\sг\./, "");
}

/** An edge as it was set, without its unit. */
export function edgeText(axis: Axis, index: number, language: Language = ofPage): string {
  const edge = axis.edges[index] ?? 0;
  if (axis.kind === "number") return numberText(edge, MOST_DECIMALS, language);
  const at = partsOf(edge, axis.zone);
  const day = timeText(edge, axis.zone, DAY, language);
  if (at.hour === "00" && at.minute === "00") return day;
  return `${day}, ${at.hour ?? ""}:${at.minute ?? ""}`;
}

/** A value as it was told: digits, or a time. */
export function exactValue(axis: Axis, told: string): string {
  const value = axis.kind === "date" ? Date.parse(told) / 1000 : Number(told);
  return withUnit(axis, edgeText({ ...axis, edges: [value] }, 0));
}

/** An edge where there is little room: "Jan 2027", "1 Jan", "15:00". */
export function shortEdge(axis: Axis, index: number, language: Language = ofPage): string {
  const { edges, zone, kind } = axis;
  if (kind === "number") return edgeText(axis, index, language);
  const all = edges.map((edge) => partsOf(edge, zone));
  const is = (name: string, value: string) => all.every((at) => at[name] === value);
  const same = (name: string) => is(name, all[0]?.[name] ?? "");
  const look: Intl.DateTimeFormatOptions = !isDaily(axis)
    ? same("day") && same("month")
      ? HOUR
      : { day: "numeric", month: "short", ...HOUR }
    : is("day", "1")
      ? same("month")
        ? { year: "numeric" }
        : { month: "short", year: "numeric" }
      : { day: "numeric", month: "short", ...(same("year") ? {} : { year: "2-digit" }) };
  return timeText(edges[index] ?? 0, zone, look, language).replace(/(?<=\p{L})\./u, "");
}

/** With its unit; a long one may stand on the next line. */
export function withUnit({ unit }: Axis, text: string): string {
  return unit ? `${text}${unit.length > 3 ? " " : "\u00a0"}${unit}` : text;
}

/** A value of the axis, such as a median: as finely as its ranges allow. */
export function valueText(axis: Axis, value: number): string {
  return withUnit(axis, plainValue(axis, value));
}

/** The same without its unit. */
export function plainValue(axis: Axis, value: number): string {
  const { edges } = axis;
  const after = edges.findIndex((edge) => edge > value);
  const index = after === -1 ? edges.length - 1 : Math.max(1, after);
  const gap = Math.abs((edges[index] ?? 0) - (edges[index - 1] ?? 0)) || Math.abs(edges[0] ?? 1);
  if (axis.kind === "date") {
    const isFine = gap < 3 * 86_400;
    const look = { ...DAY, month: "short", ...(isFine ? HOUR : {}) } as const;
    return timeText(value, axis.zone, look, ofPage).replace(/(?<=\p{L})\./u, "");
  }
  const digits = Math.ceil(-Math.log10(gap / PARTS || 1) - 1e-9);
  return numberText(value, Math.min(MOST_DECIMALS, Math.max(0, digits)), ofPage);
}

/** A value below the first edge, or past the last: in an open range no more is known of it. */
export function beyondText(axis: Axis, isPast: boolean): string {
  const end = withUnit(axis, edgeText(axis, isPast ? axis.edges.length - 1 : 0));
  return isPast ? overText(axis, end) : underText(axis, end);
}

function underText({ kind }: Axis, end: string): string {
  return t(kind === "date" ? "home.sooner" : "home.under", { end });
}

function overText({ kind }: Axis, end: string): string {
  return t(kind === "date" ? "home.later" : "home.over", { end });
}

/**
 * What holds the value in eight of ten cases, from its 10th percentile to its 90th: "80% between", "−12.5 and 0.1 °C".
 * Where one of them lies in an open range, what is known: "90%", "under 0.1 °C".
 */
export function bandText(axis: Axis, low: number, high: number): { share: string; text: string } {
  const isLowOpen = low <= (axis.edges[0] ?? 0);
  const isHighOpen = high >= (axis.edges.at(-1) ?? 0);
  const [from, to] = [valueText(axis, low), valueText(axis, high)];
  const ends = { low: plainValue(axis, low), high: to };
  if (isLowOpen && isHighOpen) {
    const wider = axis.kind === "date" ? "home.wider_dates" : "home.wider";
    return { share: t("home.eighty"), text: t(wider, ends) };
  }
  if (isLowOpen) return { share: t("home.ninety"), text: underText(axis, to) };
  if (isHighOpen) return { share: t("home.ninety"), text: overText(axis, from) };
  return { share: t("home.between"), text: t("home.between_ends", ends) };
}

/** What the outcomes from `low` to below `high` are together called; both 0 … how many outcomes there are. */
export function rangeText(
  axis: Axis,
  low: number,
  high: number,
  language: Language = ofPage,
): string {
  const { unit, kind, edges } = axis;
  const from = low > 0 ? edgeText(axis, low - 1, language) : "";
  const to = high <= edges.length ? edgeText(axis, high - 1, language) : "";
  const end = unit ? ` ${unit}` : "";
  if (from && to) return `${from} – ${to}${end}`;
  const values = { end: (from || to) + end };
  if (language !== ofPage) return english(kind, from !== "", values.end);
  if (from) return t(kind === "date" ? "common.or_later" : "common.or_above", values);
  if (to) return t(kind === "date" ? "common.before" : "common.below", values);
  return t("common.any_value");
}

/** As the service names an open range. */
function english(kind: Axis["kind"], isFrom: boolean, edge: string): string {
  if (isFrom) return `${edge} or ${kind === "date" ? "later" : "above"}`;
  return `${kind === "date" ? "Before" : "Below"} ${edge}`;
}

/** The names that the service gave, in the page's language; those that its creator chose stay. */
export function rangeNames(axis: Axis, given: readonly string[]): string[] {
  const count = axis.edges.length + 1;
  if (given.length !== count) return [...given];
  const plain = (name: string) =>
    name
      .replaceAll("-", "−")
      .replace(/(\d),(?=\d{3})/g, "$1")
      // A price rule's have all of its decimals.
      .replace(/(\.\d*?)0+(?!\d)/g, "$1")
      .replace(/\.(?!\d)/g, "");
  // Those of the template for prices have no unit.
  const isGiven = [axis, { ...axis, unit: "" }].some((one) =>
    given.every((name, index) => plain(name) === plain(rangeText(one, index, index + 1, "en"))),
  );
  return isGiven ? given.map((_, index) => rangeText(axis, index, index + 1)) : [...given];
}

const LEVELS = [0.1, 0.25, 0.5, 0.75, 0.9] as const;

/** The 10th, 25th, 50th, 75th and 90th percentile at these prices, as docs/baskets.md has them. */
export function quantiles(axis: Axis, probabilities: readonly number[]): number[] {
  return LEVELS.map((level) => quantile(axis, probabilities, level));
}

export function quantile(axis: Axis, probabilities: readonly number[], level: number): number {
  const { edges, isLog } = axis;
  let below = 0;
  for (const [index, probability] of probabilities.entries()) {
    if (below + probability >= level || index === probabilities.length - 1) {
      if (index === 0) return edges[0] ?? 0;
      if (index >= edges.length) return edges.at(-1) ?? 0;
      const part = probability > 0 ? Math.min(1, Math.max(0, (level - below) / probability)) : 0;
      return within(edges[index - 1] ?? 0, edges[index] ?? 0, part, isLog);
    }
    below += probability;
  }
  return edges.at(-1) ?? 0;
}

/** The value at a part of the way from an edge to the next. */
export function within(low: number, high: number, part: number, isLog: boolean): number {
  return isLog && low > 0 ? low * Math.exp(part * Math.log(high / low)) : low + part * (high - low);
}

/** Which outcome holds a value: on an edge the one above. */
export function outcomeOf(axis: Axis, value: number): number {
  const index = axis.edges.findIndex((edge) => value < edge);
  return index === -1 ? axis.edges.length : index;
}

/** Where a value stands, counted in ranges from the left end: each is as wide as the others. In an open one it is the edge. */
export function placeOf(axis: Axis, value: number): number {
  const { edges, isLog } = axis;
  const after = edges.findIndex((edge) => value < edge);
  if (after === 0) return 1;
  if (after === -1) return edges.length;
  const [low, high] = [edges[after - 1] ?? 0, edges[after] ?? 0];
  const part =
    isLog && low > 0 ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  return after + part;
}
