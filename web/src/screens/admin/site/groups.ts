// The site's settings in the order in which a new site needs them, and what a change of each does now.
import { t, type PlainKey } from "../../../lib/i18n.ts";
import type { Value } from "../../../own-site/values.ts";

export const GROUPS = {
  entry: ["read", "sign_up", "sign_up_domains", "cors_origins"],
  money: ["currency", "sign_up_kopecks", "allowance", "grants_per_address"],
  makers: ["creators", "creator_limit_kopecks", "creators_trade", "house_limit_kopecks"],
  results: ["dispute_minutes", "objections", "trading"],
  looks: ["site_name"],
  languages: ["languages", "time_zone"],
} as const;
export type Group = keyof typeof GROUPS;
export type Name = (typeof GROUPS)[Group][number];

/** Settings whose change matters to each member: how many there are is worth a question. */
export const COUNTED: readonly string[] = ["creators", "allowance"];

/** What a change does now; `members` null: not known. */
export function effectOf(name: Name, value: Value, members: number | null): string {
  const count = members ?? 0;
  switch (name) {
    case "read":
      return t(value === "members" ? "ownsite.does_read_members" : "ownsite.does_read_all");
    case "sign_up":
      if (value === "on") return t("ownsite.does_sign_up_on");
      return t(value === "invite" ? "ownsite.does_sign_up_invite" : "ownsite.does_sign_up_off");
    case "creators":
      if (value === "chosen") return t("ownsite.does_creators_chosen");
      if (members === null) return t("ownsite.does_creators_any");
      return value === "members"
        ? t("ownsite.does_creators_members", { count })
        : t("ownsite.does_creators_suggest", { count });
    case "allowance":
      if (value === null) return t("ownsite.does_allowance_none");
      return members === null
        ? t("ownsite.does_allowance_any")
        : t("ownsite.does_allowance", { count });
    default:
      return t(DOES[name]);
  }
}

const DOES: Record<Exclude<Name, "read" | "sign_up" | "creators" | "allowance">, PlainKey> = {
  sign_up_domains: "ownsite.does_domains",
  cors_origins: "ownsite.does_cors",
  currency: "ownsite.does_currency",
  sign_up_kopecks: "ownsite.does_grant",
  grants_per_address: "ownsite.does_grants",
  creator_limit_kopecks: "ownsite.does_limit",
  creators_trade: "ownsite.does_creators_trade",
  house_limit_kopecks: "ownsite.does_limit",
  dispute_minutes: "ownsite.does_dispute",
  objections: "ownsite.does_objections",
  trading: "ownsite.does_trading",
  site_name: "ownsite.does_site_name",
  languages: "ownsite.does_languages",
  time_zone: "ownsite.does_time_zone",
};
