"""What `foreknow init` asks, and the files that it writes into the data folder.

env_file    the settings kept there, which every command reads
questions   what is asked, and how answers are read
caddyfile   a proxy that speaks TLS, for a site with a domain
"""
