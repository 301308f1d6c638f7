import { expect, test, vi } from "vitest";

test("only what a stranger may read tells that a site is for members", async () => {
  vi.stubGlobal("document", { cookie: "" });
  const { members } = await import("../src/lib/members.svelte.ts");
  const refused = new Response(null, { status: 401 });
  for (const method of ["PUT", "POST", "PATCH", "DELETE"])
    members.note(new Request("http://here.example/api/v1/events/7/follow", { method }), refused);
  members.note(new Request("http://here.example/api/v1/users/me"), refused);
  expect(members.isAlone).toBe(false);
  members.note(new Request("http://here.example/api/v1/events/7/page"), refused);
  expect(members.isAlone).toBe(true);
});
