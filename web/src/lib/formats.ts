// Numbers and times as a language writes them.
import { now } from "./clock.svelte.ts";
import { language, t } from "./i18n.ts";
import { withSign } from "./money.ts";
import { site, type Currency } from "./site.ts";
import { onClock } from "./zone-clock.ts";
import { zone } from "./zone.svelte.ts";

/** Dates and times: "18 December", "14:02". */
const LOCALE = language === "en" ? "en-GB" : language;

const number0 = new Intl.NumberFormat(language);
const percents = [0, 1].map(
  (digits) =>
    new Intl.NumberFormat(language, {
      style: "percent",
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }),
);
const tenths = new Intl.NumberFormat(language, {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const threeDigits = new Intl.NumberFormat(language, {
  minimumFractionDigits: 3,
  maximumFractionDigits: 3,
});
const signedTenths = new Intl.NumberFormat(language, {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: "exceptZero",
});

/** A score: "0.182". */
export function decimals(value: number): string {
  return threeDigits.format(value);
}

/** What a forecast earned: "+12.5". */
export function signed(value: number): string {
  return signedTenths.format(value).replace("-", "−");
}

export function count(value: number): string {
  return number0.format(value);
}

/**
 * A probability: 49%, or 48.7% with digits of 1. While the market is open it is never shown as impossible or certain:
 * "<1%", ">99%".
 */
export function percent(probability: number, digits: 0 | 1 = 0, open = true): string {
  const format = percents[digits] as Intl.NumberFormat;
  const least = 10 ** -(digits + 2);
  const rounded = Math.round(probability / least) * least;
  if (open && rounded < least / 2) return `<${format.format(least)}`;
  if (open && rounded > 1 - least / 2) return `>${format.format(1 - least)}`;
  return format.format(probability);
}

/** The change of a probability in percentage points: "+4.2 pp". */
export function points(change: number): string {
  return t("common.points", { change: signed(change * 100) });
}

/** "up", "down" or "" for a change of a probability, as points() rounds it. */
export function direction(change: number): "up" | "down" | "" {
  const tenth = Math.round(change * 1000);
  return tenth > 0 ? "up" : tenth < 0 ? "down" : "";
}

/**
 * The price of a payout of one unit of the currency: "48.7 kop." for ₽1, "$0.487" for $1, "0.487" for 1 pts; "<0.1" and ">99.9" where it
 * would be rounded to nothing or to all.
 */
export function price(probability: number, currency: Currency = site.currency): string {
  const rounded = Math.round(probability * 1000);
  if (probability > 0 && rounded < 1) return `<${thousandths(1, currency)}`;
  if (probability < 1 && rounded > 999) return `>${thousandths(999, currency)}`;
  return thousandths(probability * 1000, currency);
}

/** The price of an order, in basis points, as it is typed: a whole per cent. "45%". */
export function orderPrice(bps: number): string {
  return percent(bps / 10_000, 0, false);
}

function thousandths(value: number, currency: Currency): string {
  if (currency.code === "RUB") return t("common.kopecks", { amount: tenths.format(value / 10) });
  const number = threeDigits.format(value / 1000);
  // A sign of letters would be wider than the price, in every button.
  return /\p{L}/u.test(currency.sign) ? number : withSign(number, { currency });
}

export function date(time: string | number): string {
  return dateFormat(time, { day: "numeric", month: "long" });
}

export function dateTime(time: string | number): string {
  return dateFormat(time, { day: "numeric", month: "long", hour: "2-digit", minute: "2-digit" });
}

/** Of today the time alone. */
export function moment(time: string): string {
  return date(time) === date(now()) ? clockTime(time) : dateTime(time);
}

export function clockTime(time: string | number): string {
  return inZone(LOCALE, { hour: "2-digit", minute: "2-digit" }).format(new Date(time));
}

/** What tells the day of a moment from others, as the reader's clock has it: "2026-03-01". */
export function dayKey(time: string | number): string {
  return inZone("en-CA").format(new Date(time));
}

/** The year is written only where it is not this one. */
function dateFormat(time: string | number, parts: Intl.DateTimeFormatOptions): string {
  const value = new Date(time);
  const isThisYear = yearOf(value.getTime()) === yearOf(Date.now());
  return inZone(LOCALE, isThisYear ? parts : { ...parts, year: "numeric" }).format(value);
}

const yearOf = (time: number) => onClock(time).getUTCFullYear();

function inZone(locale: string, parts: Intl.DateTimeFormatOptions = {}): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, { ...parts, timeZone: zone.name });
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A length of time in one unit: "4 s", "12 min", "3 h", "25 d". Never below 0. */
export function span(ms: number): string {
  if (ms < MINUTE) return t("time.seconds", { n: Math.max(0, Math.floor(ms / 1000)) });
  if (ms < HOUR) return t("time.minutes", { n: Math.floor(ms / MINUTE) });
  if (ms < 2 * DAY) return t("time.hours", { n: Math.floor(ms / HOUR) });
  return t("time.days", { n: Math.floor(ms / DAY) });
}

/** What is left as a clock: "2 d 04:05:06", "04:05:06", "05:06". */
export function countdown(ms: number): string {
  const left = Math.max(0, Math.ceil(ms / 1000));
  const two = (value: number) => String(value).padStart(2, "0");
  const days = Math.floor(left / 86_400);
  const hours = Math.floor(left / 3600) % 24;
  const clock = `${two(Math.floor(left / 60) % 60)}:${two(left % 60)}`;
  if (days > 0) return `${t("time.days", { n: days })} ${two(hours)}:${clock}`;
  return hours > 0 ? `${two(hours)}:${clock}` : clock;
}

const someDigits = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });

/** A rate of so many per cent: "0.5%", "2%". */
export function rate(value: number): string {
  return someDigits.format(value / 100);
}
