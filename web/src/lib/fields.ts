// Attributes of <TextField> by what is typed.
export const NAME = { maxlength: 200, dir: "auto" } as const;
export const RUSSIAN_NAME = { ...NAME, lang: "ru" } as const;
export const ADDRESS = {
  type: "url",
  inputmode: "url",
  maxlength: 2_048,
  placeholder: "https://",
} as const;
/** In the zone of the one who types it. */
export const MOMENT = { type: "datetime-local" } as const;
export const PERCENT = {
  inputmode: "decimal",
  maxlength: 6,
  autocomplete: "off",
  short: true,
} as const;
export const MINUTES = { inputmode: "numeric", maxlength: 8, autocomplete: "off" } as const;
export const DECIMAL = { inputmode: "decimal", maxlength: 24, autocomplete: "off" } as const;
/** A symbol or a code that nobody completes. */
export const CODE = { autocomplete: "off" } as const;
