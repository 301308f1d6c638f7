// Amounts are whole hundredths of the site's currency ("kopecks"), up to 9·10^15: exact in a number. They become text
// without fractions; as people type them: typed-money.ts.
import { language, type Language } from "./i18n.ts";
import { site, type Currency } from "./site.ts";

const LOCALES: Record<Language, string> = { en: "en", ru: "ru" };
const NO_BREAK_SPACE = "\u00a0";

interface Look {
  /** "full" ₽1,250.50, "short" ₽1,250 where no kopecks, "compact" ₽1.3K. */
  as?: "full" | "short" | "compact";
  /** Writes the plus sign as well. */
  signed?: boolean;
  language?: Language;
  currency?: Currency;
}

const formats = new Map<string, Intl.NumberFormat>();

/** An amount as people read it; in whole units, cut, where the currency shows no decimals. */
export function money(kopecks: number, look: Look = {}): string {
  const {
    as = "full",
    signed = false,
    language: wanted = language,
    currency = site.currency,
  } = look;
  const shown = cut(kopecks, currency);
  const isWhole = as === "short" ? shown % 100 === 0 : isCut(currency);
  const digits = as === "compact" || isWhole ? 0 : 2;
  // ₽1.3K, but ₽622 rather than ₽622.1.
  const rounded = as === "compact" && Math.abs(shown) >= 100_000 ? 1 : 0;
  const key = [wanted, as, digits, rounded].join();
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(LOCALES[wanted], {
      ...(as === "compact"
        ? { notation: "compact", minimumFractionDigits: 0, maximumFractionDigits: rounded }
        : { minimumFractionDigits: digits, maximumFractionDigits: digits }),
      signDisplay: "never",
      useGrouping: "always",
    } as Intl.NumberFormatOptions);
    formats.set(key, format);
  }
  const number = format.format(decimal(shown));
  const before = shown < 0 ? "−" : signed && shown > 0 ? "+" : "";
  return before + withSign(number, { language: wanted, currency });
}

/** What was paid or received at once: of a trade that is less than one unit, that it is, and never 0. */
export function tradedMoney(kopecks: number, look: Look = {}): string {
  const isPart = kopecks > 0 && cut(kopecks, look.currency ?? site.currency) === 0;
  return isPart ? `<${oneUnit(look)}` : money(kopecks, { as: "short", ...look });
}

/** A number with the currency's sign: before it, or, in Russian and where the sign has a letter, after it. */
export function withSign(
  number: string,
  { language: wanted = language, currency = site.currency }: Look = {},
): string {
  const { sign } = currency;
  const isAfter = wanted === "ru" || /\p{L}/u.test(sign);
  return isAfter ? number + NO_BREAK_SPACE + sign : sign + number;
}

/** "₽1": what prices are for. */
export function oneUnit(look: Look = {}): string {
  return money(100, { as: "short", ...look });
}

/** Whether the currency shows no decimals. */
export function isCut(currency: Currency = site.currency): boolean {
  return currency.decimals === 0;
}

/** An amount without what is not shown of it: what "All" stands for where whole units are typed. */
export function cut(kopecks: number, currency: Currency = site.currency): number {
  return isCut(currency) ? kopecks - (kopecks % 100) : kopecks;
}

/** What was received, or something is worth, less what was paid: the difference of both as they are shown. */
export function gain(received: number, paid: number, currency: Currency = site.currency): number {
  return cut(received, currency) - cut(paid, currency);
}

/** "up" of a gain, "down" of a loss, as it is shown. */
export function gainLook(kopecks: number): "up" | "down" | "mute" {
  const shown = cut(kopecks);
  return shown > 0 ? "up" : shown < 0 ? "down" : "mute";
}

/** Kopecks as a decimal number of units without its minus: a string, which Intl formats exactly. */
function decimal(kopecks: number): Intl.StringNumericLiteral {
  const digits = String(Math.abs(kopecks)).padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}` as Intl.StringNumericLiteral;
}

/** Kopecks as programs read them: exact units, a point, a minus. */
export function plainMoney(kopecks: number): string {
  return (kopecks < 0 ? "-" : "") + decimal(kopecks);
}
