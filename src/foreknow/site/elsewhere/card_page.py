"""The card of an event as a page for iframes: whole without scripts, and renewed by one while it is seen."""

from __future__ import annotations

import html
from base64 import b64encode
from hashlib import sha256
from typing import Literal

from foreknow.kernel.site_theme import SiteTheme
from foreknow.site.elsewhere.embeds import EmbedCard, EmbedOutcome, EmbedSpread
from foreknow.site.previews.texts import PreviewLanguage

EmbedTheme = Literal["light", "dark"]

#: Outcomes with colours of their own; all further ones share one more.
COLOURS = 6
_PLAIN_ACCENT = SiteTheme("#00606c", "#63cbd6")
#: The client's colours and its scale (web/src/styles/tokens.css, web/src/components/Scale.svelte). The card fills its
#: frame: what is left transparent is opaque where the page around has the other colours.
_STYLE = """
:root{color-scheme:light dark;--ink:light-dark(#14211d,#e9f0ec);--soft:light-dark(#58675f,#94a39b);
--card:light-dark(#fff,#161e1b);--line:light-dark(#d5ddd6,#2a3530);--rule:light-dark(#7d8a83,#6e7d75);
--gain:light-dark(#1a6934,#74cf8c);--accent:light-dark(@LIGHT,@DARK)}
:root[data-theme=light]{color-scheme:light}:root[data-theme=dark]{color-scheme:dark}
.c1{--col:light-dark(#2f5cb0,#93b4f5)}.c2{--col:light-dark(#7a3e8e,#ce9be0)}.c3{--col:light-dark(#4b7714,#a5d06a)}
.c4{--col:light-dark(#b03a55,#f3919f)}.c5{--col:light-dark(#7a6200,#d9c06a)}.c6{--col:light-dark(#6a766f,#94a39b)}
*{box-sizing:border-box;margin:0}html{background:var(--card)}
body{font:15px/22px system-ui,"Segoe UI",Roboto,sans-serif;color:var(--ink);font-variant-numeric:tabular-nums}
main{display:flex;flex-direction:column;gap:12px;min-height:100vh;padding:14px 16px;border:1px solid var(--line);
border-radius:10px;overflow-wrap:anywhere}
h1{font-size:16px;line-height:22px;font-weight:600;text-wrap:balance}a{color:inherit;text-decoration:none}
a:hover{text-decoration:underline}a:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
ul{list-style:none;padding:0;display:grid;gap:8px}.row{display:flex;justify-content:space-between;gap:12px}
.row b,.spread b{font-weight:600;white-space:nowrap}.one b,.spread b{font-size:24px;line-height:30px}
.one .row{align-items:baseline}.won{color:var(--gain)}
progress{appearance:none;display:block;width:100%;height:14px;margin-top:2px;border:0;border-radius:0;background:
linear-gradient(90deg,var(--rule) 1px,transparent 1px) 0 100%/10% 4px repeat-x,
linear-gradient(var(--rule),var(--rule)) 100% 100%/1px 4px no-repeat,
linear-gradient(var(--line),var(--line)) 0 10px/100% 1px no-repeat;
--bar:linear-gradient(var(--col,var(--accent)) 0 0) 0 3px/100% 5px no-repeat,
linear-gradient(var(--col,var(--accent)) 0 0) 100% 0/2px 14px no-repeat}
progress::-webkit-progress-bar{background:none}progress::-webkit-progress-value{background:var(--bar)}
progress::-moz-progress-bar{background:var(--bar)}
svg{display:block;width:100%;height:56px;margin-top:6px;border-bottom:1px solid var(--rule)}rect{fill:var(--accent)}
.small{font-size:13px;line-height:18px;color:var(--soft)}
.foot{display:flex;flex-wrap:wrap;margin-top:auto;justify-content:space-between;gap:2px 12px}
.foot a{font-weight:600;color:var(--ink)}
.live{color:var(--gain);font-weight:600;margin-right:8px}
.live::before{content:"";display:inline-block;width:6px;height:6px;margin-right:5px;border-radius:50%;
background:currentColor;vertical-align:2px}
"""
#: Asks for the same page again: what is shown is made in one place.
_SCRIPT = """
const renew = async () => {
  if (document.hidden) return;
  const answer = await fetch(location.href, { credentials: "omit" }).catch(() => null);
  if (!answer || (!answer.ok && answer.status !== 404)) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const [shown, made] = [document.querySelector("main"), page.querySelector("main")];
  if (made && made.innerHTML !== shown.innerHTML && !shown.contains(document.activeElement)) shown.replaceWith(made);
};
setInterval(renew, 5000);
document.addEventListener("visibilitychange", renew);
"""
_WORDS: dict[PreviewLanguage, dict[str, str]] = {
    "en": {
        "won": "won",
        "more": "and {count} more",
        "gone": "This question is not here any more.",
        "live": "live",
        "median": "median",
        "about": "What is likely now, and how sure.",
    },
    "ru": {
        "won": "победа",
        "more": "и ещё {count}",
        "gone": "Этого вопроса здесь больше нет.",
        "live": "обновляется",
        "median": "медиана",
        "about": "Что сейчас вероятно, и насколько.",
    },
}
_PAGE = (
    '<!doctype html><html lang="{language}"{theme}><head><meta charset="utf-8"><title>{title}</title>'
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">'
    '<meta name="description" content="{about}">'
    "<style>{style}</style></head><body><main>{card}</main><script>{script}</script></body></html>"
)


class CardPages:
    """Makes the pages of one site."""

    def __init__(self, site_name: str, theme: SiteTheme | None) -> None:
        """Name the site, and use its colours."""
        self._site_name = html.escape(site_name)
        accent = theme or _PLAIN_ACCENT
        self._style = _STYLE.replace("@LIGHT", accent.accent_light).replace("@DARK", accent.accent_dark)
        # The one place that other sites may show: it takes no orders and reads no cookie.
        self.policy = (
            f"default-src 'none'; style-src {_hash(self._style)}; script-src {_hash(_SCRIPT)}; connect-src 'self'; "
            "base-uri 'none'; form-action 'none'; frame-ancestors *"
        )

    def page(self, card: EmbedCard | None, *, language: PreviewLanguage, theme: EmbedTheme | None) -> bytes:
        """Return the page of a card; None for an event that no one may see."""
        title = _WORDS[language]["gone"] if card is None else html.escape(card.question)
        page = _PAGE.format(
            language=language,
            theme="" if theme is None else f' data-theme="{theme}"',
            title=f"{title} · {self._site_name}",
            about=_WORDS[language]["about"],
            style=self._style,
            card=self._gone(language) if card is None else self._card(card, language),
            script=_SCRIPT,
        )
        return page.encode()

    def _card(self, card: EmbedCard, language: PreviewLanguage) -> str:
        address = f"/events/{card.event_id}"
        words = _WORDS[language]
        live = f'<span class="live">{words["live"]}</span>' if card.is_live else ""
        return (
            f'<h1><a href="{address}" target="_blank" rel="noopener">{html.escape(card.question)}</a></h1>'
            f"{_outcomes(card, language) if card.spread is None else _spread(card.spread, language)}"
            f'<p class="small foot"><span>{live}{html.escape(card.state)}</span>{self._link(address)}</p>'
        )

    def _gone(self, language: PreviewLanguage) -> str:
        return f'<h1>{_WORDS[language]["gone"]}</h1><p class="small foot">{self._link("/")}</p>'

    def _link(self, address: str) -> str:
        return f'<a href="{address}" target="_blank" rel="noopener">{self._site_name}</a>'


def _outcomes(card: EmbedCard, language: PreviewLanguage) -> str:
    more = f'<li class="small">{_WORDS[language]["more"].format(count=card.more)}</li>' if card.more else ""
    look = ' class="one"' if card.outcomes[0].index is None else ""
    return f"<ul{look}>{''.join(_outcome(one, language) for one in card.outcomes)}{more}</ul>"


def _outcome(one: EmbedOutcome, language: PreviewLanguage) -> str:
    name = html.escape(one.name)
    figure = one.figure or (f'<span class="won">{_WORDS[language]["won"]}</span>' if one.has_won else "")
    look = "" if one.index is None else f' class="c{min(one.index + 1, COLOURS)}"'
    bar = f'<progress{look} max="1000" value="{one.permille}" aria-label="{name}"></progress>' if one.figure else ""
    return f'<li><div class="row"><span>{name}</span><b>{figure}</b></div>{bar}</li>'


def _spread(spread: EmbedSpread, language: PreviewLanguage) -> str:
    words = _WORDS[language]
    most = max(1, *spread.permille)
    bars = "".join(
        f'<rect x="{10 * index + 1}" y="{100 - 100 * one // most}" width="8" height="{100 * one // most}"/>'
        for index, one in enumerate(spread.permille)
    )
    return (
        f'<div class="spread"><b>{html.escape(spread.median)}</b> <span class="small">{words["median"]}</span> '
        f'<div class="small">{html.escape(spread.band)}</div> '
        f'<svg viewBox="0 0 {10 * len(spread.permille)} 100" preserveAspectRatio="none" aria-hidden="true">{bars}</svg>'
        "</div>"
    )


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
