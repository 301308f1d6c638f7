// What becomes of an invited person, in words.
import { t } from "../../lib/i18n.ts";
import type { Row } from "./inviting.svelte.ts";

export const GROUPS = ["go", "sent", "waiting", "member", "no"] as const;
export type Group = (typeof GROUPS)[number];

/** undefined while it is not known. */
export function groupOf({ fault, result, sent }: Row): Group | undefined {
  if (fault || result === "refused") return "no";
  if (result === "member") return "member";
  if (sent) return "sent";
  return { invited: "go", waiting: "waiting", none: undefined }[result ?? "none"] as Group;
}

/** "" while it is not known. */
export function stateText(row: Row): string {
  const { fault, reason } = row;
  if (fault) return t(`members.state_${fault.why}`, { text: fault.text });
  switch (groupOf(row)) {
    case undefined:
      return "";
    case "go":
      return t("members.state_invited");
    case "sent":
      return t("members.state_sent");
    case "waiting":
      return t("members.state_waiting");
    case "member":
      return t(reason ? "members.state_unverified" : "members.state_member");
    case "no":
      return refusal(reason);
  }
}

/** Why an address is not invited. */
export function refusal(reason: Row["reason"]): string {
  if (reason === "" || reason === "email_not_verified") return "";
  return t(`members.state_${reason}`);
}
