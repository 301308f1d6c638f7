"""Administration: users and roles, invitations, money in and out, partners and keys, the admin log, statistics.

service             actions of admins, over HTTP and on the command line, each logged
statistics          the view of /admin/stats
user_routes         /admin/users, /admin/members, /admin/log, /admin/stats
invitation_routes   /admin/invitations
invitation_schemas  its bodies
members             inviting members by mail
member_schemas      its bodies
backups             when the newest backup was finished
first_hour_routes   /admin/first-hour: how far a new site has come
partner_routes      /admin/partners
upkeep_routes       /admin/upkeep
partner_views       partners and their keys as an admin sees them
"""
