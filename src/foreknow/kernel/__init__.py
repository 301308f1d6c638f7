"""What every package may use: callers and roles, checks of input, caches, settings, logs, small tools.

Imports: nothing of the layers above.

access              callers, levels and roles
validation          checks of input
cache               bounded and expiring caches, shared calls
settings            settings from the environment
grant_settings      settings of the currency and of grants
trading_settings    whether a site takes orders
setting_errors      what is wrong with settings, as sentences
site_settings       those that a site sets by itself, from the browser
provider_settings   settings of providers and sources
mail_settings       the mail server and the sender
logging             log lines without secrets
terms               settings that rules depend on
sign_up_settings    those of new accounts
community_settings  what a site is called, whose it is to read
cors_settings       whose pages may use the API
currency            the site's currency, and how amounts are written
units               units and limits of amounts and integers
clock               Unix milliseconds and ISO 8601
time_zones          time zones, and the times of day in them
languages           the site's language that a client prefers
errors              `DomainError`, and the errors that several packages raise
schema_types        fields that several features show; bounds of values
email_addresses     the domain that a mail is sent to; the key of an address
look_alikes         what names look like, whatever their letters
text                Unicode normalisation, case folding, base64url
pagination          signed cursors and keyset positions
chunks              splits long lists for statements
histogram           histograms for the metrics
backoff             exponential back-off
prompt_future       a future that is acted upon at once
threads             threads for work that would block the event loop
hosts               parses hosts and origins
networks            parses networks
rates               parses rates
cost                what a request costs
private_files       files that only their owner may read
tls                 the TLS context of outgoing connections
site_theme          colours of a site of one's own
startup             errors of a failed start
versions            the version that runs, with its commit
"""
