// Money is whole kopecks, up to 9·10^15: exact in a number. It becomes text and is read back without fractions.
import { language, type Language } from "./i18n.ts";

const LOCALES: Record<Language, string> = { en: "en", ru: "ru" };
const MOST = 9_000_000_000_000_000;

const ROUBLES: Intl.NumberFormatOptions = {
  style: "currency",
  currency: "RUB",
  currencyDisplay: "narrowSymbol",
};

interface Look {
  /** "full" ₽1,250.50, "short" ₽1,250 where no kopecks, "compact" ₽1.3K. */
  as?: "full" | "short" | "compact";
  /** Writes the plus sign as well. */
  signed?: boolean;
  language?: Language;
}

const formats = new Map<string, Intl.NumberFormat>();

export function money(kopecks: number, look: Look = {}): string {
  const { as = "full", signed = false, language: wanted = language } = look;
  const digits = as === "full" || (as === "short" && kopecks % 100 !== 0) ? 2 : 0;
  // ₽1.3K, but ₽622 rather than ₽622.1.
  const rounded = as === "compact" && Math.abs(kopecks) >= 100_000 ? 1 : 0;
  const key = [wanted, as, digits, rounded, signed].join();
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(LOCALES[wanted], {
      ...ROUBLES,
      ...(as === "compact"
        ? { notation: "compact", minimumFractionDigits: 0, maximumFractionDigits: rounded }
        : { minimumFractionDigits: digits, maximumFractionDigits: digits }),
      signDisplay: signed ? "exceptZero" : "negative",
    });
    formats.set(key, format);
  }
  return format.format(decimal(kopecks)).replace("-", "−");
}

/** "up" of a gain, "down" of a loss. */
export function gainLook(kopecks: number): "up" | "down" | "mute" {
  return kopecks > 0 ? "up" : kopecks < 0 ? "down" : "mute";
}

/** Kopecks as a decimal number of roubles: a string, which Intl formats exactly. */
function decimal(kopecks: number): Intl.StringNumericLiteral {
  const digits = String(Math.abs(kopecks)).padStart(3, "0");
  const sign = kopecks < 0 ? "-" : "";
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}` as Intl.StringNumericLiteral;
}

/** Without spaces and the currency. */
function bare(typed: string): string {
  return typed.replace(/[\s\u00a0\u202f_₽]|руб\.?|р\.?$/giu, "");
}

/**
 * Kopecks typed as roubles in a language's way: "1 250,50", "1,250.50", "₽ 99". null where it is no amount, is over
 * 9·10^15 kopecks or could be read in two ways.
 */
export function parseMoney(typed: string, wanted: Language = language): number | null {
  const text = bare(typed);
  const pattern =
    wanted === "ru"
      ? /^(\d+|\d{1,3}(?:\.\d{3}){2,})(?:[.,](\d{0,2}))?$/
      : /^(\d+|\d{1,3}(?:,\d{3})+)(?:\.(\d{0,2}))?$/;
  const found = pattern.exec(text);
  if (!found) return null;
  const whole = (found[1] ?? "").replace(/\D/g, "").replace(/^0+(?=\d)/, "");
  if (whole.length > 14) return null;
  const kopecks = Number(whole + (found[2] ?? "").padEnd(2, "0"));
  return kopecks <= MOST ? kopecks : null;
}

/** Why what is typed is no amount. */
export type MoneyFault = "sign" | "letters" | "digits" | "unclear" | "large";

/** What is wrong with what parseMoney cannot read; null where nothing is, or nothing is typed. */
export function moneyFault(typed: string, wanted: Language = language): MoneyFault | null {
  const text = bare(typed);
  if (text === "" || parseMoney(typed, wanted) !== null) return null;
  if (/^[-+\u2212]/.test(text)) return "sign";
  if (!/^[\d.,]*\d[\d.,]*$/.test(text)) return "letters";
  // An English comma that could be a decimal point, a Russian point or comma that could part thousands.
  const isUnclear = wanted === "ru" ? /^\d{1,3}[.,]\d{3}$/ : /^\d+,\d{1,2}$/;
  if (isUnclear.test(text)) return "unclear";
  if (/^\d+[.,]\d{3,}$/.test(text)) return "digits";
  return /^[\d.,]{15,}$/.test(text) && !/[.,]\d*[.,]/.test(text) ? "large" : "letters";
}

/** Kopecks as they would be typed: no symbol, no groups. */
export function typedMoney(kopecks: number, wanted: Language = language): string {
  const text = kopecks % 100 === 0 ? String(kopecks / 100) : decimal(kopecks);
  return wanted === "ru" ? text.replace(".", ",") : text;
}
