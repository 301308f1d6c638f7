"""The card of an event as a page for iframes: whole without scripts, and renewed by one while it is seen."""

from __future__ import annotations

import html
from base64 import b64encode
from hashlib import sha256
from typing import Literal

from foreknow.kernel.site_theme import SiteTheme
from foreknow.site.elsewhere.embeds import EmbedCard, EmbedOutcome
from foreknow.site.previews.texts import PreviewLanguage

EmbedTheme = Literal["light", "dark"]

_PLAIN_ACCENT = SiteTheme("#00606c", "#63cbd6")
_STYLE = """
:root{color-scheme:light dark;--ink:light-dark(#14211d,#e9f0ec);--soft:light-dark(#51605a,#a3b1aa);
--paper:light-dark(#fff,#161e1b);--line:light-dark(#d5ddd6,#33403a);--accent:light-dark(@LIGHT,@DARK)}
:root[data-theme=light]{color-scheme:light}:root[data-theme=dark]{color-scheme:dark}
*{box-sizing:border-box}body{margin:0;font:1rem/1.4 system-ui,sans-serif;color:var(--ink);background:transparent}
main{border:1px solid var(--line);border-radius:.75rem;background:var(--paper);padding:1rem;overflow-wrap:anywhere}
h1{font-size:1.0625rem;line-height:1.3;margin:0 0 .75rem}h1 a{color:inherit;text-decoration:none}
h1 a:hover{text-decoration:underline}a:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
ul{list-style:none;margin:0;padding:0}li{margin:0 0 .625rem}
.row{display:flex;justify-content:space-between;gap:1rem}.row b{font-variant-numeric:tabular-nums;white-space:nowrap}
progress{appearance:none;display:block;width:100%;height:.375rem;margin-top:.25rem;border:0;border-radius:1rem;
background:var(--line);overflow:hidden}progress::-webkit-progress-bar{background:var(--line)}
progress::-webkit-progress-value{background:var(--accent)}progress::-moz-progress-bar{background:var(--accent)}
p{margin:.75rem 0 0;font-size:.875rem;color:var(--soft);display:flex;justify-content:space-between;gap:1rem}
p a{color:var(--accent)}
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
    "en": {"won": "won", "more": "and {count} more", "gone": "This question is not here any more."},
    "ru": {"won": "победа", "more": "и ещё {count}", "gone": "Этого вопроса здесь больше нет."},
}
_PAGE = (
    '<!doctype html><html lang="{language}"{theme}><head><meta charset="utf-8"><title>{title}</title>'
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">'
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
            style=self._style,
            card=self._gone(language) if card is None else self._card(card, language),
            script=_SCRIPT,
        )
        return page.encode()

    def _card(self, card: EmbedCard, language: PreviewLanguage) -> str:
        address = f"/events/{card.event_id}"
        question = html.escape(card.question)
        more = f"<li>{_WORDS[language]['more'].format(count=card.more)}</li>" if card.more else ""
        return (
            f'<h1><a href="{address}" target="_blank" rel="noopener">{question}</a></h1>'
            f"<ul>{''.join(_outcome(one, language) for one in card.outcomes)}{more}</ul>"
            f"<p><span>{html.escape(card.state)}</span>{self._link(address)}</p>"
        )

    def _gone(self, language: PreviewLanguage) -> str:
        return f"<h1>{_WORDS[language]['gone']}</h1><p>{self._link('/')}</p>"

    def _link(self, address: str) -> str:
        return f'<a href="{address}" target="_blank" rel="noopener">{self._site_name}</a>'


def _outcome(one: EmbedOutcome, language: PreviewLanguage) -> str:
    name = html.escape(one.name)
    figure = one.figure or (_WORDS[language]["won"] if one.has_won else "")
    bar = f'<progress max="1000" value="{one.permille}" aria-label="{name}"></progress>' if one.figure else ""
    return f'<li><div class="row"><span>{name}</span><b>{figure}</b></div>{bar}</li>'


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
