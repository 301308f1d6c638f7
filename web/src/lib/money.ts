// Amounts are whole hundredths of the site's currency ("kopecks"), up to 9·10^15: exact in a number. They become text and
// are read back without fractions.
import { language, type Language } from "./i18n.ts";
import { site, type Currency } from "./site.ts";

const LOCALES: Record<Language, string> = { en: "en", ru: "ru" };
const MOST = 9_000_000_000_000_000;
const NO_BREAK_SPACE = "\u00a0";
/** How roubles may be typed besides their sign. */
const ROUBLE_WORDS = ["руб.", "руб", "р.", "р"];

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

/** "up" of a gain, "down" of a loss. */
export function gainLook(kopecks: number): "up" | "down" | "mute" {
  return kopecks > 0 ? "up" : kopecks < 0 ? "down" : "mute";
}

/** Kopecks as a decimal number of units without its minus: a string, which Intl formats exactly. */
function decimal(kopecks: number): Intl.StringNumericLiteral {
  const digits = String(Math.abs(kopecks)).padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}` as Intl.StringNumericLiteral;
}

/** Without spaces and the currency. */
function bare(typed: string, currency: Currency): string {
  const text = typed.replace(/[\s\u00a0\u202f_]/gu, "");
  const sign = currency.sign.replace(/\s/gu, "");
  const signs = currency.code === "RUB" ? [sign, ...ROUBLE_WORDS] : [sign];
  const lower = text.toLowerCase();
  for (const one of signs.map((word) => word.toLowerCase())) {
    if (lower.startsWith(one)) return text.slice(one.length);
    if (lower.endsWith(one)) return text.slice(0, -one.length);
  }
  return text;
}

/**
 * Kopecks typed in a language's way: "1 250,50", "1,250.50", "₽ 99". null where it is no amount, is over 9·10^15
 * kopecks, could be read in two ways, or has decimals that the currency does not show.
 */
export function parseMoney(
  typed: string,
  wanted: Language = language,
  currency: Currency = site.currency,
): number | null {
  const text = bare(typed, currency);
  const pattern =
    wanted === "ru"
      ? /^(\d+|\d{1,3}(?:\.\d{3}){2,})(?:[.,](\d{0,2}))?$/
      : /^(\d+|\d{1,3}(?:,\d{3})+)(?:\.(\d{0,2}))?$/;
  const found = pattern.exec(text);
  if (!found || (isCut(currency) && Number(found[2] ?? 0) > 0)) return null;
  const whole = (found[1] ?? "").replace(/\D/g, "").replace(/^0+(?=\d)/, "");
  if (whole.length > 14) return null;
  const kopecks = Number(whole + (found[2] ?? "").padEnd(2, "0"));
  return kopecks <= MOST ? kopecks : null;
}

/** Why what is typed is no amount. */
export type MoneyFault = "sign" | "letters" | "digits" | "whole" | "unclear" | "large";

/** What is wrong with what parseMoney cannot read; null where nothing is, or nothing is typed. */
export function moneyFault(
  typed: string,
  wanted: Language = language,
  currency: Currency = site.currency,
): MoneyFault | null {
  const text = bare(typed, currency);
  if (text === "" || parseMoney(typed, wanted, currency) !== null) return null;
  if (/^[-+\u2212]/.test(text)) return "sign";
  if (!/^[\d.,]*\d[\d.,]*$/.test(text)) return "letters";
  // An English comma that could be a decimal point, a Russian point or comma that could part thousands.
  const isUnclear = wanted === "ru" ? /^\d{1,3}[.,]\d{3}$/ : /^\d+,\d{1,2}$/;
  if (isUnclear.test(text)) return "unclear";
  if (/^\d+[.,]\d+$/.test(text) && isCut(currency)) return "whole";
  if (/^\d+[.,]\d{3,}$/.test(text)) return "digits";
  return /^[\d.,]{15,}$/.test(text) && !/[.,]\d*[.,]/.test(text) ? "large" : "letters";
}

/** Kopecks as they would be typed: no sign of the currency, no groups. */
export function typedMoney(
  kopecks: number,
  wanted: Language = language,
  currency: Currency = site.currency,
): string {
  const shown = cut(kopecks, currency);
  const text = shown % 100 === 0 ? String(shown / 100) : decimal(shown);
  return wanted === "ru" ? text.replace(".", ",") : text;
}

/** Kopecks as programs read them: exact units, a point, a minus. */
export function plainMoney(kopecks: number): string {
  return (kopecks < 0 ? "-" : "") + decimal(kopecks);
}
