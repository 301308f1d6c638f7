// Where an axis has its marks, and what they say.
import { language } from "./i18n.ts";
import { momentAt, onClock } from "./zone-clock.ts";

interface Tick {
  /** Unix seconds. */
  time: number;
  text: string;
}

const [MINUTE, HOUR, DAY, MONTH] = [60, 3_600, 86_400, 30 * 86_400];
const PARTS = [1, 2, 5, 10, 15, 30];
/** Steps between marks of time, in seconds; a month's are as long as it is. */
const STEPS = [
  ...PARTS,
  ...PARTS.map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 3, 5, 7, 14].map((days) => days * DAY),
  ...[1, 2, 3, 6, 12, 24, 60, 120].map((months) => months * MONTH),
];
/** Pixels from mark to mark; fewer where there is room for three or less. */
const TIME_WIDTH = { usual: 80, least: 60 };

/**
 * Marks between two moments (Unix seconds), as many as that many pixels hold: at round seconds, hours, days or months of
 * the clock on the wall.
 */
export function timeTicks(first: number, last: number, width: number): Tick[] {
  const most = Math.max(1, Math.min(3, width / TIME_WIDTH.least), width / TIME_WIDTH.usual);
  const step = STEPS.find((one) => (last - first) / one <= most) ?? STEPS.at(-1) ?? DAY;
  const at = new Date(floorTo(onClock(first * 1000).getTime(), Math.min(step, DAY) * 1000));
  const years = Math.max(1, step / (12 * MONTH));
  if (step >= MONTH) at.setUTCFullYear(Math.floor(at.getUTCFullYear() / years) * years, 0, 1);
  const text = texts(first, last, step);
  // What stands at the very ends would be cut.
  const space = (last - first) * 0.06;
  const found: Tick[] = [];
  for (; ; forward(at, step)) {
    const time = momentAt(at.getTime()) / 1000;
    if (time >= last - space) return found;
    if (time > first + space) found.push({ time, text: text(at) });
  }
}

/** Days begin at multiples of a day, too. */
function floorTo(value: number, step: number): number {
  return Math.floor(value / step) * step;
}

function forward(at: Date, step: number): void {
  if (step >= MONTH) at.setUTCMonth(at.getUTCMonth() + step / MONTH);
  else at.setUTCSeconds(at.getUTCSeconds() + step);
}

/** Of what the clock on the wall shows. */
function texts(first: number, last: number, step: number): (at: Date) => string {
  const format = (parts: Intl.DateTimeFormatOptions) => {
    const locale = language === "en" ? "en-GB" : language;
    const made = new Intl.DateTimeFormat(locale, { ...parts, timeZone: "UTC" });
    return (at: Date) => made.format(at).replace(".", "");
  };
  const day = format({ day: "numeric", month: "short" });
  const month = format({ month: "short" });
  if (step >= MONTH) {
    const yearOf = (seconds: number) => onClock(seconds * 1000).getUTCFullYear();
    if (yearOf(first) === yearOf(last)) return month;
    return (at) => `${month(at)} ${String(at.getUTCFullYear())}`;
  }
  if (step >= DAY) return day;
  const clock = format({
    hour: "2-digit",
    minute: "2-digit",
    ...(step < MINUTE ? { second: "2-digit" } : {}),
  });
  return (at) => (at.getTime() % (DAY * 1000) === 0 ? day(at) : clock(at));
}

const ROUND = [1, 2, 5, 10];

/** Round numbers between two values, about so many; of a log axis 1, 2 and 5 times powers of ten. */
export function valueTicks(low: number, high: number, most: number, isLog = false): number[] {
  if (isLog && low > 0 && high / low > 8) {
    const found: number[] = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++)
      for (const digit of [1, 2, 5]) found.push(Number((digit * 10 ** power).toPrecision(3)));
    const inside = found.filter((value) => value >= low && value <= high);
    return inside.filter((_, index) => index % Math.ceil(inside.length / most) === 0);
  }
  const rough = (high - low) / Math.max(1, most);
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough) + 1e-9);
  const step = (ROUND.find((one) => one * power >= rough * (1 - 1e-9)) ?? 10) * power;
  const ticks: number[] = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at++)
    ticks.push(Number((at * step).toPrecision(12)));
  return ticks;
}
