// The site's settings as its admins see them: GET /admin/settings, and what a change of them sends.
import { answer, api, type Schemas } from "../api/client.ts";
import { localName, t } from "../lib/i18n.ts";
import { money } from "../lib/money.ts";
import type { Currency } from "../lib/site.ts";

export interface Allowance {
  /** null while what is typed is no amount. */
  kopecks: number | null;
  every: "day" | "week" | "month";
  up_to: number | null;
}
/** The JSON of a setting; null: not set. */
export type Value = string | number | string[] | Currency | Allowance | null;
export type Values = Record<string, Value>;
type Settings = Schemas["SiteSettings"];
type Change = Schemas["SiteSettingsChange"]["changes"];

/** Changes settings of the site, as seen at a version; returns all as they are then. */
export function changeSettings(version: number, changes: Values): Promise<Settings> {
  const body = { version, changes: changes as Change };
  return answer(api.PATCH("/api/v1/admin/settings", { body }));
}

/** By name what counts. */
export function valuesOf({ settings }: Settings): Values {
  return Object.fromEntries(settings.map(({ name, value }) => [name, value as Value]));
}

export function isSame(one: Value | undefined, other: Value | undefined): boolean {
  const sorted = (value: Value | undefined) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
      : value;
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

/** Settings that choose one of a few. */
export const CHOICES = {
  read: ["all", "members"],
  sign_up: ["on", "invite", "off"],
  creators: ["chosen", "suggest", "members"],
  creators_trade: ["on", "off"],
  objections: ["on", "off"],
  trading: ["on", "off"],
} as const;
export type ChoiceName = keyof typeof CHOICES;

export const isChoice = (name: string): name is ChoiceName => name in CHOICES;

/** A choice in words: "Members alone". */
export function choiceText(name: ChoiceName, value: string): string {
  const all: Record<string, string> = {
    read_all: t("ownsite.read_all"),
    read_members: t("ownsite.read_members"),
    sign_up_on: t("ownsite.sign_up_on"),
    sign_up_invite: t("ownsite.sign_up_invite"),
    sign_up_off: t("ownsite.sign_up_off"),
    creators_chosen: t("ownsite.creators_chosen"),
    creators_suggest: t("ownsite.creators_suggest"),
    creators_members: t("ownsite.creators_members"),
  };
  return all[`${name}_${value}`] ?? t(value === "on" ? "ownsite.is_on" : "ownsite.is_off");
}

const LANGUAGE_NAMES: Record<string, string> = { en: "English", ru: "Русский" };

/** A value as people read it; amounts in `currency`. */
export function written(name: string, value: Value | undefined, currency: Currency): string {
  if (value === null || value === undefined || value === "") return t("ownsite.none");
  if (isChoice(name)) return choiceText(name, String(value));
  if (name === "languages" && Array.isArray(value))
    return value.map((one) => LANGUAGE_NAMES[one] ?? one).join(", ");
  if (Array.isArray(value)) return value.join(", ") || t("ownsite.none");
  if (typeof value === "object") {
    if ("every" in value)
      return t(`ownsite.allowance_${value.every}`, {
        sum: money(value.kopecks ?? 0, { as: "short", currency }),
        most: money(value.up_to ?? 0, { as: "short", currency }),
      });
    return t("ownsite.currency_is", {
      name: localName(value),
      example: money(123_450, { currency: value }),
    });
  }
  if (name.endsWith("_kopecks") && typeof value === "number")
    return value === 0 ? t("ownsite.none") : money(value, { as: "short", currency });
  return String(value);
}
