"""What an earlier comment of a gate said: the verdict of each push, newest first."""

import html
import re

MOST = 20  # pushes that a comment keeps
# A headline holds counts and words; what holds more was not written by us.
HEADLINE = re.compile(r"[\w ,.:;%()/+'-]{1,300}")
COMMIT = re.compile(r"[0-9a-f]{7,40}")
TITLE = re.compile(r"## nsop: (.*)")
HEAD = re.compile(r"`([0-9a-f]{7,40})` \(head\)")
PUSH = re.compile(r"- `([0-9a-f]{7,40})`: (.*)")


def pushes(comment, head):
    """[(commit, headline)] of a comment and of those that it keeps; none of the commit `head`,
    which is reported again. Anything that reads differently is left out."""
    lines = comment.splitlines()
    title = next((match[1] for line in lines if (match := TITLE.fullmatch(line))), None)
    commit = next((match[1] for line in lines if (match := HEAD.match(line))), None)
    found = [(commit, title)] if title and commit else []
    found += [match.groups() for line in lines if (match := PUSH.fullmatch(line))]
    known, kept = set(), []
    for commit, headline in ((commit, _plain(text)) for commit, text in found):
        sound = COMMIT.fullmatch(commit) and HEADLINE.fullmatch(headline)
        if sound and commit not in known and not head.startswith(commit):
            known.add(commit)
            kept.append((commit, headline))
    return kept[:MOST]


def _plain(text):
    """The text that escape.markdown made this of."""
    return re.sub(r"\\(?=[^\w\s])", "", html.unescape(text)).strip()
