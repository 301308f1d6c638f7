"""The looks of a site of one's own: logo, icon, colours and pages from the folder FOREKNOW_SITE_DIR.

folder   reads it once, at the start
theme    colours that can be read, and the stylesheet that sets them
pages    Markdown as HTML that runs nothing
routes   GET /site/pages/{name}
serving  the logo, the icon and the stylesheet
"""

from foreknow.site.looks.folder import Looks, read_looks
from foreknow.site.looks.routes import SitePageRoutes
from foreknow.site.looks.serving import ICON_PATH, LOGO_PATH, STYLE_PATH, SiteFiles

__all__ = ["ICON_PATH", "LOGO_PATH", "STYLE_PATH", "Looks", "SiteFiles", "SitePageRoutes", "read_looks"]
