// What the markets that somebody made came to.
import type { Card } from "../../api/cards.ts";
import { count } from "../../lib/formats.ts";
import { t } from "../../lib/i18n.ts";
import type { Paged } from "../../lib/loading.svelte.ts";
import { money } from "../../lib/money.ts";

interface Figure {
  name: string;
  value: string;
}

/** Of those that are loaded: "20+" where there are more. `traders`: of all of them. */
export function madeFigures(
  { items, hasMore }: Pick<Paged<Card>, "items" | "hasMore">,
  traders: number,
): Figure[] {
  const atLeast = (text: string) => (hasMore ? `${text}+` : text);
  const open = items.filter(({ status }) => status === "active").length;
  const volume = items.reduce((sum, { volume_kopecks }) => sum + volume_kopecks, 0);
  return [
    { name: t("person.made"), value: atLeast(count(items.length)) },
    { name: t("person.made_open"), value: atLeast(count(open)) },
    { name: t("person.made_traders"), value: count(traders) },
    { name: t("person.made_volume"), value: atLeast(money(volume, { as: "compact" })) },
  ];
}
