import { answer, api, type Schemas } from "../../api/client.ts";

export type MemberResult = Schemas["MemberResult"];
type NewMember = Pick<Schemas["NewMember"], "email"> & Partial<Schemas["NewMember"]>;

/** Invites people, or only says what would become of each, in their order. */
export async function invite(
  people: readonly NewMember[],
  { check = false } = {},
): Promise<MemberResult[]> {
  const members = people.map(({ email, name = null, credit_kopecks = null, creator = null }) => ({
    email,
    name,
    credit_kopecks,
    creator,
  }));
  const body = { members, check };
  return (await answer(api.POST("/api/v1/admin/members", { body }))).results;
}
