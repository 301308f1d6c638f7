import { expect, test, vi } from "vitest";

vi.stubGlobal("addEventListener", () => undefined);
vi.stubGlobal("navigator", { onLine: true });
vi.stubGlobal("location", { pathname: "/", search: "" });
vi.stubGlobal("document", { cookie: "", getElementById: () => null, documentElement: {} });
const { SettingsForm } = await import("../src/screens/admin/site/form.svelte.ts");

const settings = (source: "site" | "default") => ({
  version: 3,
  settings: [
    { name: "site_name", value: "Club", default: "Foreknow", source },
    { name: "house_limit_kopecks", value: 5, default: null, source: "site" as const },
  ],
});

function opened(source: "site" | "default" = "site") {
  const form = new SettingsForm();
  form.settings = settings(source);
  return form;
}

test("back to the default unsets a setting, and shows what counts then", () => {
  const form = opened();
  form.unset("site_name");
  expect(form.typed).toEqual({ site_name: null });
  expect(form.valueOf("site_name")).toBe("Foreknow");
  form.unset("house_limit_kopecks");
  expect(form.typed).toEqual({ site_name: null, house_limit_kopecks: null });
  expect(form.valueOf("house_limit_kopecks")).toBeNull();
});

test("a field that is emptied stays empty while one goes on typing", () => {
  const form = opened();
  form.set("site_name", null);
  expect(form.typed).toEqual({ site_name: null });
  expect(form.valueOf("site_name")).toBeNull();
});

test("what is set again as it was is no change, nor is unsetting what is not set", () => {
  const form = opened();
  form.unset("site_name");
  form.set("site_name", "Club");
  expect(form.changed).toEqual([]);
  const unset = opened("default");
  unset.unset("site_name");
  expect(unset.changed).toEqual([]);
});
