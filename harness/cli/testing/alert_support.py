"""An alert that a nightly raised, as the file of its folder."""

import json

ALERT = "0123456789ab"


def write_open_alert(
    folder, row, host="h" * 64, alert=ALERT, first_bad="b" * 40, at="2026-01-01T00:00:00Z"
):
    """Adds to the folder `folder` an open alert of a row's case `row` on a host."""
    judged = {
        **{"case": row, "variant": "hwy", "target": "AVX2", "threads": 1},
        **{"ratio": 1.08, "lo": 1.07, "hi": 1.09, "note": ""},
    }
    body = {
        **{"kind": "step", "direction": "worse", "subject": "Rewrite", "candidates": []},
        **{"last_good": "a" * 40, "first_bad": first_bad, "reason": "slower", "expires": ""},
        **{"owner": "", "good_run": "r1", "bad_run": "r2", "rows": [judged]},
    }
    event = {
        **{"schema": "nsop.alert-event/1", "id": f"e-{alert}", "alert": alert, "action": "open"},
        **{"host": host, "at": at, "body": body},
    }
    folder.mkdir(exist_ok=True)
    (folder / f"alert-{alert}.ndjson").write_text(json.dumps(event) + "\n")
