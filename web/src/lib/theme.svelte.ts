import { stored, store } from "./storage.ts";

export type Theme = "system" | "light" | "dark";

/** The chosen theme; theme-script.js applies it before the first paint. */
class ThemeChoice {
  #theme = $state<Theme>(read());

  get value(): Theme {
    return this.#theme;
  }

  set value(theme: Theme) {
    this.#theme = theme;
    store("theme", theme === "system" ? null : theme);
    const { dataset } = document.documentElement;
    if (theme === "system") delete dataset.theme;
    else dataset.theme = theme;
  }
}

function read(): Theme {
  const theme = stored("theme");
  return theme === "light" || theme === "dark" ? theme : "system";
}

export const theme = new ThemeChoice();
