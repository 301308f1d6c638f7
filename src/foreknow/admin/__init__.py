"""Administration: users and their roles, money in and out, partners and their keys, the log, the statistics.

service        what admins may do, over HTTP and on the command line; each deed is logged in its own transaction
user_routes    /admin/users, /admin/log, /admin/stats
partner_routes /admin/partners
"""
