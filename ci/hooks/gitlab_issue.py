#!/usr/bin/env python3
"""ALERT_HOOK of GitLab: one issue per open alert, found again by the alert's id in its title, and
closed with the alert.

  ALERT_ID=0123456789ab ALERT_STATE=open ALERT_TITLE=... CI_API_V4_URL=https://host/api/v4 \\
    CI_PROJECT_ID=7 GITLAB_TOKEN=... ci/hooks/gitlab_issue.py BODY.md

GITLAB_TOKEN: an access token of the project with the scope `api`; the job's own can't write issues.
Rotate it before it expires: issues are found again by the token's user, and a new token is another.
"""

import http.client
import json
import os
import sys
import urllib.parse
import urllib.request

SECONDS = 60


class Refused(Exception):
    """What is missing, or what GitLab said."""


def setting(name):
    if not os.environ.get(name):
        raise Refused(f"{name} is not set")
    return os.environ[name]


def token():
    """Never printed: also not by the library that would refuse to send it."""
    text = setting("GITLAB_TOKEN")
    if not all("!" <= c <= "~" for c in text):
        raise Refused(
            "GITLAB_TOKEN: holds what no token does, such as a space or the end of a line"
        )
    return text


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """The token goes to the given host only; a redirected POST would do nothing."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):
        return None


OPENER = urllib.request.build_opener(NoRedirect)


def call(method, path, **fields):
    """GitLab's answer; fields go into the address of a GET, and into the body of all others."""
    data = urllib.parse.urlencode(fields)
    url = f"{setting('CI_API_V4_URL')}/projects/{setting('CI_PROJECT_ID')}/{path}"
    request = urllib.request.Request(
        url + ("?" + data if method == "GET" else ""),
        None if method == "GET" else data.encode(),
        {"PRIVATE-TOKEN": token()},
        method=method,
    )
    try:
        with OPENER.open(request, timeout=SECONDS) as answer:
            return json.load(answer)
    except (OSError, ValueError, http.client.HTTPException) as error:  # HTTPError is an OSError
        raise Refused(f"{method} {url}: {error}") from None


def tell(body, alert, title, state):
    """Anybody can put an id into a title: only issues of the token's own user count."""
    own = call("GET", "issues", search=alert, scope="created_by_me", state="all", per_page=100)
    known = [issue for issue in own if alert in issue["title"]]
    if known:
        event = "reopen" if state == "open" else "close"
        call("PUT", f"issues/{known[0]['iid']}", description=body, state_event=event)
    elif state == "open":
        call("POST", "issues", title=title, description=body)


def main():
    try:
        with open(sys.argv[1], encoding="utf-8") as file:
            body = file.read()
        state = os.environ.get("ALERT_STATE", "open")
        tell(body, setting("ALERT_ID"), setting("ALERT_TITLE"), state)
    except (Refused, OSError) as error:
        print(f"gitlab_issue: {error}", file=sys.stderr)
        return 5
    return 0


if __name__ == "__main__":
    sys.exit(main())
