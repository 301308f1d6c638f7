// Numbers as people type them: one reader for every field, those of amounts (typed-money.ts) too.
import { language, type Language } from "./i18n.ts";

/**
 * The digits of a number as it is typed: "1,250.5", "1 250,5" and "1250,5" are "1250.5". null where it is none. A comma
 * is a decimal point but in English, where it parts thousands: "1,250" is 1250 there, "0,5" a half everywhere. What
 * could be either, "1500,000", is none.
 */
export function plainNumber(typed: string, wanted: Language = language): string | null {
  const text = typed.replace(/[\s_]/g, "").replace("\u2212", "-");
  const isRussian = wanted === "ru";
  if (!isRussian && /^-?\d{4,},\d{3}$/.test(text)) return null;
  const grouped = isRussian
    ? /^-?[1-9]\d{0,2}(\.\d{3}){2,}(,\d*)?$/
    : /^-?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/;
  const digits = grouped.test(text) ? text.replaceAll(isRussian ? "." : ",", "") : text;
  const [, minus = "", whole = "", decimals = ""] = /^(-?)(\d*)(?:[.,](\d*))?$/.exec(digits) ?? [];
  if (whole + decimals === "") return null;
  return minus + (whole || "0") + (decimals && `.${decimals}`);
}
