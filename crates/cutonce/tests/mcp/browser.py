"""Plays the user's browser: opens the address, follows redirects, and presses the button of a page."""
import sys, urllib.error, urllib.request

page = urllib.request.urlopen(sys.argv[1])
body = page.read().decode()
try:
    if "<form" in body:
        urllib.request.urlopen(page.url, data=b"allow=yes").read()
except urllib.error.HTTPError as error:
    error.read()
