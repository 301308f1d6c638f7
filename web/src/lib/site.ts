// What this site is called and offers, as its page brought it: known before the first paint.
import type { components } from "../api/schema.d.ts";

export const PAGES = ["about", "rules", "terms", "privacy"] as const;
export type PageName = (typeof PAGES)[number];
/** GET /site's answer. */
export type AskedSite = components["schemas"]["Site"];
/** The same, and what only its page brings. */
export type Site = AskedSite & {
  /** Whether creators trade in their own events. */
  creators_trade: boolean;
};
export type Currency = Site["currency"];

export const ROUBLES: Currency = {
  code: "RUB",
  sign: "₽",
  name: "roubles",
  name_ru: "рубли",
  decimals: 2,
};

/** What holds where a page brings nothing: one that is being changed with Vite, and tests. */
const PLAIN: Site = {
  name: "Foreknow",
  version: "",
  sign_up: true,
  invitation_only: false,
  domains: [],
  passwords: true,
  creators: "chosen",
  oauth: [],
  email: false,
  image_bytes_max: 5_242_880,
  currency: ROUBLES,
  languages: ["en", "ru"],
  objections: true,
  trading: true,
  creators_trade: true,
  dispute_minutes: 0,
  logo: "",
  icon: "",
  theme: null,
  pages: [],
  terms: null,
};

export const site = read(globalThis.document?.getElementById("site")?.textContent);
/** Those of its own pages that the client knows. */
export const sitePages = PAGES.filter((name) => site.pages.includes(name));
/** Whether anyone may make an account. */
export const takesAnyone = site.sign_up && !site.invitation_only;
/** Whether more than one language is offered: with one there is nothing to choose, and no text in the others. */
export const isBilingual = site.languages.length > 1;
/** Whether people bet here; where they do not, they forecast alone, and nothing speaks of money. */
export const isTrading = site.trading;
/** Whether amounts are play money, which is never called money. */
export const isPlay = site.currency.code === null;

function read(text: string | null | undefined): Site {
  return text ? (JSON.parse(text) as Site) : PLAIN;
}
