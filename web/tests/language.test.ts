// The language that a page begins with, of those that its site offers.
import { beforeEach, expect, test, vi } from "vitest";

beforeEach(() => {
  vi.resetModules();
});

test.each([
  { offered: ["en", "ru"], reader: "ru-RU", chosen: null, begins: "ru" },
  { offered: ["en", "ru"], reader: "fr", chosen: null, begins: "en" },
  { offered: ["ru", "en"], reader: "fr", chosen: null, begins: "ru" },
  { offered: ["ru", "en"], reader: "fr", chosen: "en", begins: "en" },
  { offered: ["ru"], reader: "en-GB", chosen: null, begins: "ru" },
  { offered: ["en"], reader: "ru", chosen: "ru", begins: "en" },
])("of $offered, $reader and $chosen: $begins", async ({ offered, reader, chosen, begins }) => {
  const documentElement = { lang: "" };
  const textContent = JSON.stringify({ languages: offered, currency: {}, pages: [] });
  vi.stubGlobal("document", { documentElement, getElementById: () => ({ textContent }) });
  vi.stubGlobal("navigator", { language: reader });
  vi.stubGlobal("localStorage", { getItem: () => chosen });
  const { language } = await import("../src/lib/i18n.ts");
  expect(language).toBe(begins);
  expect(documentElement.lang).toBe(begins);
});

test.each([
  { offered: ["en", "ru"], label: "In English" },
  { offered: ["en"], label: "Name" },
])("of $offered a name is asked for as: $label", async ({ offered, label }) => {
  const textContent = JSON.stringify({ languages: offered, currency: {}, pages: [] });
  vi.stubGlobal("document", { documentElement: {}, getElementById: () => ({ textContent }) });
  const { loadMessages, t } = await import("../src/lib/i18n.ts");
  await loadMessages("en", ["work"]);
  expect(t("create.in_english")).toBe(label);
});
