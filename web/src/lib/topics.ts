// Topics are what authors type. Those that are common on sites of this kind have a name in each language.
import { t } from "./i18n.ts";

const KNOWN = [
  "politics",
  "elections",
  "world",
  "economics",
  "economy",
  "finance",
  "business",
  "markets",
  "crypto",
  "sport",
  "sports",
  "football",
  "hockey",
  "tennis",
  "chess",
  "science",
  "technology",
  "ai",
  "space",
  "health",
  "climate",
  "weather",
  "culture",
  "music",
  "film",
  "games",
  "psychology",
  "replication",
  "forecast",
  "language",
  "memory",
  "mind",
  "people",
  "transport",
  "work",
  "recurring",
  "choice",
] as const;

/** A topic's name in the page's language; as it was typed where it has none. */
export function topicName(tag: string): string {
  const known = KNOWN.find((one) => one === tag);
  return known ? t(`topics.is_${known}`) : tag;
}
