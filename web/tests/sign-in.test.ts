import { expect, test, vi } from "vitest";

vi.stubGlobal("location", { origin: "https://here.example", pathname: "/", search: "" });
const { addressAfterSignIn } = await import("../src/lib/sign-in.ts");

const after = (next: string) => addressAfterSignIn(new URLSearchParams({ next }));

test("signing in leads back to an address of this site", () => {
  expect(after("/events/7?side=yes")).toBe("/events/7?side=yes");
  expect(addressAfterSignIn(new URLSearchParams())).toBe("/");
});

test.each([
  "https://evil.example/",
  "//evil.example/",
  "/\\evil.example",
  "\\\\evil.example",
  "javascript:alert(1)",
  "/\t/evil.example",
  "/..//evil.example",
  "/.//evil.example",
  "/events/../..//evil.example",
  "/%2e%2E//evil.example",
  "/..\\/evil.example",
  "/.\n//evil.example",
  "/..///evil.example",
])("signing in never leads to another site: %j", (next) => {
  expect(after(next)).toBe("/");
});
