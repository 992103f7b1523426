"""The alert hook of GitLab against a stand-in for GitLab that keeps issues."""

import http.server
import json
import subprocess
import threading
import urllib.parse
from pathlib import Path

import pytest

HOOK = Path(__file__).resolve().parents[1] / "ci/hooks/gitlab_issue.py"
ISSUES = "/api/v4/projects/7/issues"


class GitLab(http.server.BaseHTTPRequestHandler):
    """Issues of one user in one project; a title that another user has is not listed."""

    def answer(self, code, what):
        self.send_response(code)
        self.end_headers()
        self.wfile.write(json.dumps(what).encode())

    def fields(self):
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        return dict(urllib.parse.parse_qsl(text))

    def do_GET(self):
        path, _, query = self.path.partition("?")
        asked = dict(urllib.parse.parse_qsl(query))
        if "/elsewhere/" in path:
            self.send_response(302)
            self.send_header("Location", ISSUES)
            return self.end_headers()
        if self.headers["PRIVATE-TOKEN"] != "t0ken":
            return self.answer(401, {"message": "401 Unauthorized"})
        assert path == ISSUES and asked["scope"] == "created_by_me" and asked["state"] == "all"
        return self.answer(200, self.server.issues)

    def do_POST(self):
        assert self.path == ISSUES
        issue = {"iid": len(self.server.issues) + 1, "state": "opened", **self.fields()}
        self.server.issues.append(issue)
        self.answer(201, issue)

    def do_PUT(self):
        issue = self.server.issues[int(self.path.removeprefix(ISSUES + "/")) - 1]
        fields = self.fields()
        issue["state"] = {"close": "closed", "reopen": "opened"}[fields.pop("state_event")]
        issue.update(fields)
        self.answer(200, issue)

    def log_message(self, *_):
        pass


@pytest.fixture
def gitlab():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), GitLab)
    server.issues = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def run(gitlab, tmp_path, state="open", body="slower", alert="0123456789ab", **more):
    (tmp_path / "alert.md").write_text(body)
    environment = {
        "ALERT_ID": alert,
        "ALERT_TITLE": f"relu is slower ({alert})",
        "ALERT_STATE": state,
        "CI_API_V4_URL": f"http://127.0.0.1:{gitlab.server_port}/api/v4",
        "CI_PROJECT_ID": "7",
        "GITLAB_TOKEN": "t0ken",
        "PATH": "/usr/bin:/bin",
        **more,
    }
    done = [HOOK, tmp_path / "alert.md"]
    return subprocess.run(done, env=environment, capture_output=True, text=True, timeout=60)


def test_an_issue_is_opened_once_updated_closed_and_opened_again(gitlab, tmp_path):
    steps = (
        ("open", "a"),
        ("open", "b & c=d\nü"),
        ("accepted", "e"),
        ("open", "f"),
        ("closed", "g"),
    )
    for (state, body), seen in zip(steps, ("opened", "opened", "closed", "opened", "closed")):
        done = run(gitlab, tmp_path, state, body)
        assert done.returncode == 0, done.stderr
        (issue,) = gitlab.issues
        assert (issue["title"], issue["state"]) == ("relu is slower (0123456789ab)", seen)
        assert issue["description"] == body


def test_another_alert_is_another_issue_and_a_closed_one_opens_none(gitlab, tmp_path):
    assert run(gitlab, tmp_path, "closed").returncode == 0
    assert gitlab.issues == []
    assert run(gitlab, tmp_path, alert="0123456789ab").returncode == 0
    assert run(gitlab, tmp_path, alert="ba9876543210").returncode == 0
    assert [issue["iid"] for issue in gitlab.issues] == [1, 2]


@pytest.mark.parametrize(
    "wrong, said",
    [
        ({"GITLAB_TOKEN": ""}, "GITLAB_TOKEN is not set"),
        ({"GITLAB_TOKEN": "other"}, "HTTP Error 401"),
        ({"GITLAB_TOKEN": "t0ken\n"}, "GITLAB_TOKEN: holds what no token does"),
        ({"CI_API_V4_URL": "http://127.0.0.1:9/api/v4"}, "refused"),
        ({"CI_PROJECT_ID": "elsewhere"}, "HTTP Error 302"),
    ],
)
def test_what_goes_wrong_is_one_line_without_the_token(gitlab, tmp_path, wrong, said):
    done = run(gitlab, tmp_path, **wrong)
    assert done.returncode == 5
    assert done.stderr.startswith("gitlab_issue: ") and said in done.stderr
    assert done.stderr.count("\n") == 1 and "t0ken" not in done.stderr
