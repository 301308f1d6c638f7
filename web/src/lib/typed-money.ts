// Amounts as people type them. They become kopecks without fractions.
import { language, t, type Language } from "./i18n.ts";
import { cut, isCut, plainMoney } from "./money.ts";
import { site, type Currency } from "./site.ts";
import { plainNumber } from "./typed-number.ts";

const MOST = 9_000_000_000_000_000;
/** How roubles may be typed besides their sign. */
const ROUBLE_WORDS = ["руб.", "руб", "р.", "р"];

/** Without spaces and the currency. */
function bare(typed: string, currency: Currency): string {
  const text = typed.replace(/[\s_]/g, "");
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
  const found = /^(\d+)(?:\.(\d{1,2}))?$/.exec(plainNumber(bare(typed, currency), wanted) ?? "");
  if (!found || (isCut(currency) && Number(found[2] ?? 0) > 0)) return null;
  const whole = (found[1] ?? "").replace(/^0+(?=\d)/, "");
  if (whole.length > 14) return null;
  const kopecks = Number(whole + (found[2] ?? "").padEnd(2, "0"));
  return kopecks <= MOST ? kopecks : null;
}

const EXAMPLE_KOPECKS = 125_050;

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
  // What could part thousands, or decimals.
  const isUnclear = wanted === "ru" ? /^\d{1,3}[.,]\d{3}$/ : /^\d{4,},\d{3}$/;
  if (isUnclear.test(text)) return "unclear";
  const plain = plainNumber(text, wanted);
  if (plain === null) return "letters";
  if (isCut(currency) && plain.includes(".")) return "whole";
  return /\.\d{3}/.test(plain) ? "digits" : "large";
}

/** The same in words; "" where nothing is wrong. */
export function moneyFaultText(typed: string): string {
  const found = moneyFault(typed);
  return found ? t(`common.amount_${found}`, { example: typedMoney(EXAMPLE_KOPECKS) }) : "";
}

/** Kopecks as they would be typed: no sign of the currency, no groups. */
export function typedMoney(
  kopecks: number,
  wanted: Language = language,
  currency: Currency = site.currency,
): string {
  const shown = cut(kopecks, currency);
  const text = shown % 100 === 0 ? String(shown / 100) : plainMoney(shown);
  return wanted === "ru" ? text.replace(".", ",") : text;
}
