"""The looks of a site of one's own: logo, icon, colours and pages, from its admins and from FOREKNOW_SITE_DIR.

parts           what they are made of
markdown        draws pages as HTML
folder          reads the folder once, at the start
pictures        draws logos and icons again
editing_routes  /admin/looks
serving         the logo, the icon and the stylesheet
"""

from foreknow.site.looks.editing_routes import LooksRoutes
from foreknow.site.looks.folder import read_looks
from foreknow.site.looks.parts import Looks
from foreknow.site.looks.routes import SitePageRoutes
from foreknow.site.looks.service import LiveLooks
from foreknow.site.looks.serving import SiteFiles, icon_file, logo_file, style_address

__all__ = [
    "LiveLooks",
    "Looks",
    "LooksRoutes",
    "SiteFiles",
    "SitePageRoutes",
    "icon_file",
    "logo_file",
    "read_looks",
    "style_address",
]
