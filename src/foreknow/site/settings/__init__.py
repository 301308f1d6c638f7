"""What an admin sets of the site, from the browser or by a command; what it may be: `kernel/site_settings.py`."""
