"""Chromium on invented sites, through selenium: tests of this folder are slow. Where the browser,
selenium or axe-core is missing (Debian: chromium, chromium-driver, python3-selenium; fetch_axe.sh),
they are skipped, and fail in `make test-full`."""

import functools
import http.server
import json
import os
import pathlib
import shutil
import threading

import pytest

from nsop_report.site.conftest import make
from nsop_report.site.testing import model_support

HERE = pathlib.Path(__file__).resolve().parent
AXE = HERE.parents[3] / "build" / "axe" / "package" / "axe.min.js"
WIDE, NARROW = (1280, 900), (390, 844)
SIZES = {"wide": WIDE, "narrow": NARROW}
# The label boxes of a drawing that overlap, as texts.
OVERLAPS = """
const found = [];
const apart = (p, q) => p.right <= q.left || q.right <= p.left || p.bottom <= q.top + 1
  || q.bottom <= p.top + 1;
for (const chart of document.querySelectorAll('svg.chart')) {
  const texts = [...chart.querySelectorAll('text')];
  const boxes = texts.map((text) => text.getBoundingClientRect());
  boxes.forEach((p, i) => boxes.slice(0, i).forEach((q, k) => {
    if (!apart(p, q)) found.push(texts[i].textContent + ' / ' + texts[k].textContent);
  }));
}
return found;
"""


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in pathlib.Path(item.fspath).parents:
            item.add_marker(pytest.mark.slow)


def without(what):
    """Ends a test that can't be run here."""
    if os.environ.get("NSOP_TEST_FULL"):
        pytest.fail(f"{what} is missing", pytrace=False)
    pytest.skip(f"{what} is missing")


def started(scripts=True):
    """A browser without a window."""
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome import service
    except ImportError:
        without("selenium")
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not program or not driver:
        without("chromium or chromedriver")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    if not scripts:
        options.add_experimental_option(
            "prefs", {"profile.managed_default_content_settings.javascript": 2}
        )
    made = webdriver.Chrome(service=service.Service(driver), options=options)
    made.set_script_timeout(300)  # axe-core looks at every cell, and others may use the processors
    return made


class Browser:
    """A browser, and what its pages asked for and complained of."""

    def __init__(self, driver):
        self.driver = driver

    def size(self, size):
        metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def theme(self, name):
        features = [{"name": "prefers-color-scheme", "value": name}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def open(self, address, ready=None):
        """Opens the page afresh; waits until its script says `ready`."""
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.driver.get(address)
        if ready:
            self.wait(f"return document.documentElement.dataset.ready === {json.dumps(ready)}")

    def wait(self, script):
        from selenium.webdriver.support.ui import WebDriverWait

        return WebDriverWait(self.driver, 120, 0.02).until(lambda d: d.execute_script(script))

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def keys(self, *keys):
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def complaints(self):
        return [e["message"] for e in self.driver.get_log("browser") if e["level"] == "SEVERE"]

    def sideways(self):
        """How many pixels of the page are beside the window."""
        return self.run(
            "const page = document.documentElement; return page.scrollWidth - page.clientWidth"
        )

    def violations(self):
        """What axe-core finds on the open page, with all that is folded shown."""
        if not AXE.is_file():
            without("axe-core, which fetch_axe.sh beside this file gets,")
        self.run("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
        self.run(AXE.read_text(encoding="utf-8"))
        return self.driver.execute_async_script(
            "const done = arguments[0]; axe.run().then((r) => done(r.violations.map((v) => v.id +"
            " ': ' + v.nodes.map((n) => n.target.join(' ')).slice(0, 3).join(' | '))))"
        )

    def requests(self):
        """The addresses that were asked for since open()."""
        events = (json.loads(e["message"])["message"] for e in self.driver.get_log("performance"))
        wanted = (e["params"]["request"]["url"] for e in events if "request" in e.get("params", {}))
        return [url for url in wanted if not url.startswith(("data:", "about:"))]


@pytest.fixture(scope="session")
def browser():
    driver = started()
    yield Browser(driver)
    driver.quit()


@pytest.fixture(scope="session")
def scriptless():
    driver = started(scripts=False)
    yield Browser(driver)
    driver.quit()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def served(site):
    """The address at which `site` is served."""
    handler = functools.partial(_Quiet, directory=os.fspath(site))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()


@pytest.fixture(scope="session")
def hostile(tmp_path_factory):
    lines = model_support.model(len(model_support.HOSTILE), hostile=True)
    return make(tmp_path_factory.mktemp("hostile"), lines)


@pytest.fixture(scope="session")
def many(tmp_path_factory):
    """Ten thousand rows."""
    return make(tmp_path_factory.mktemp("many"), model_support.model(910, points=5))


@pytest.fixture(params=["file", "http"])
def base(request, site, served):
    return site.as_uri() + "/" if request.param == "file" else served


def paths(site):
    """(page, what its script says when it is ready) of one page of each kind that the site has."""
    cases = sorted(path for path in site.glob("case/*.html") if "-points" not in path.name)
    swept = [path for path in cases if "s-sweep" in path.read_text()] or cases
    found = [
        ("index.html", None),
        ("explore.html", "explore"),
        ("roofline.html", "roofline"),
        ("compare.html", None),
        ("judge.html", "judge"),
        ("method.html", None),
    ]
    for gate in sorted(path.stem for path in site.glob("gate/*.html"))[:1]:
        found += [(f"compare.html#gate={gate}", "gate"), (f"gate/{gate}.html", None)]
    if swept:
        found += [(f"case/{swept[0].name}", "case"), ("cases/1.html", None)]
    return found
