// Numbers as people type them: one reading for every field, beside that of amounts in money.ts.
import { language, t, type Language } from "./i18n.ts";
import { typedMoney } from "./money.ts";

const EXAMPLE_KOPECKS = 125_050;

/**
 * The digits of a number typed in a language's way: "1,250.5" and "1 250,5" are "1250.5". null where it is none. An
 * English comma parts thousands and is refused elsewhere, as it could be a decimal point; a Russian one is that point.
 */
export function plainNumber(typed: string, wanted: Language = language): string | null {
  const text = typed.replace(/[\s\u00a0\u202f_]/gu, "").replace("\u2212", "-");
  const pattern =
    wanted === "ru" ? /^(-?)(\d*)(?:[.,](\d*))?$/ : /^(-?)(\d{1,3}(?:,\d{3})+|\d*)(?:\.(\d*))?$/;
  const [, minus = "", whole = "", decimals = ""] = pattern.exec(text) ?? [];
  if (whole + decimals === "") return null;
  return minus + (whole.replaceAll(",", "") || "0") + (decimals && `.${decimals}`);
}

/** Why what is typed is no number, where a comma or a point of it may be one or the other; else "". */
export function numberFault(typed: string, wanted: Language = language): string {
  const isUnclear =
    /^\D?[\d\s]*[.,][\d\s.,]*$/.test(typed.trim()) && plainNumber(typed, wanted) === null;
  return isUnclear
    ? t("common.amount_unclear", { example: typedMoney(EXAMPLE_KOPECKS, wanted) })
    : "";
}
