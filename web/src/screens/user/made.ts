// What the markets that somebody made came to.
import type { Schemas } from "../../api/client.ts";
import type { Card } from "../../api/cards.ts";
import { count } from "../../lib/formats.ts";
import { t } from "../../lib/i18n.ts";
import type { Paged } from "../../lib/loading.svelte.ts";
import { money } from "../../lib/money.ts";
import { isTrading } from "../../lib/site.ts";

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
    ...(isTrading
      ? [
          { name: t("person.made_traders"), value: count(traders) },
          { name: t("person.made_volume"), value: atLeast(money(volume, { as: "compact" })) },
        ]
      : []),
  ];
}

type Decided = Pick<Schemas["Profile"], "resolved_pools" | "corrected_pools" | "overdue_pools">;

/** How they decided what they made; none while there was nothing to decide. */
export function decidedFigures({
  resolved_pools: resolved,
  corrected_pools: corrected,
  overdue_pools: overdue,
}: Decided): Figure[] {
  if (resolved + overdue === 0) return [];
  return [
    { name: t("person.resolved"), value: count(resolved) },
    { name: t("person.corrected"), value: count(corrected) },
    { name: t("person.overdue"), value: count(overdue) },
  ];
}
