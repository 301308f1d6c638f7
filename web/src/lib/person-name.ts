// People who are not named are called something in English by the service; nobody else may take these names.
import { t } from "./i18n.ts";

/** A name in the page's language where it stands for somebody who hides theirs, or is gone. */
export function personName(name: string): string {
  if (name === "Hidden trader") return t("common.hidden_trader");
  if (name === "Deleted trader") return t("common.deleted_trader");
  return name;
}
