"""Administration: users and roles, invitations, money in and out, partners and keys, the admin log, statistics.

service             actions of admins, over HTTP and on the command line, each logged
statistics          the view of /admin/stats
user_lists          people as they are listed, and as one file
user_routes         /admin/users, /admin/log, /admin/stats
invitation_routes   /admin/invitations
invitation_schemas  its bodies
first_hour          how far a new site has come
first_hour_routes   /admin/first-hour
partner_routes      /admin/partners
partner_views       partners and their keys as an admin sees them
"""
