"""A figure of matplotlib to SVG: small, texts as texts, the same bytes for the same figure.

What matplotlib writes is flattened: no groups, numbers of a tenth of a point, a style sheet in
place of repeated styles; of each part (axes, legend), marks of one look are one path with a
marker, and straight lines and bars of one look are one path.
"""

import io
import re
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

SETTINGS = {"svg.hashsalt": "nsop", "svg.fonttype": "none", "path.simplify": False}
SPACE = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
CLIPPED = re.compile(r"url\(#(.+)\)")
ROOT_SIZE = "10px"  # of most texts
DEFAULTS = {
    ("font-size", ROOT_SIZE),
    ("text-anchor", "start"),
    ("stroke-opacity", "1"),
    ("stroke-dashoffset", "0"),
    ("fill", "#000000"),
    ("stroke-linejoin", "round"),
}
WHITE = "#fff"


def svg(figure):
    """The figure as bytes of SVG; equal figures give equal bytes with one version of matplotlib."""
    import matplotlib

    out = io.BytesIO()
    with matplotlib.rc_context(SETTINGS):
        figure.savefig(out, format="svg", metadata={"Date": None})
    return _Drawing(ElementTree.fromstring(out.getvalue())).text().encode("utf-8")


def _number(value, digits=1):
    text = f"{value:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def _style(text):
    """{property: value} of a style; fonts become size and weight, of no family."""
    pairs = dict(part.strip().split(": ", 1) for part in (text or "").split(";") if part.strip())
    if font := pairs.pop("font", None):
        words = font.partition(" '")[0].split()
        pairs["font-size"] = words[-1]
        if words[0] in ("700", "bold"):
            pairs["font-weight"] = "700"
    return {key: _short(value) for key, value in pairs.items() if (key, value) not in DEFAULTS}


def _short(value):
    """`#fff` for `#ffffff`, `.8` for `0.8`."""
    value = re.sub(r"#(.)\1(.)\2(.)\3$", r"#\1\2\3", value)
    return re.sub(r"(?<![\d.])0\.", ".", value)


def _steps(path):
    """[(command, [numbers])] of a path that has absolute commands only."""
    found = re.findall(r"([MLCQz])([^MLCQz]*)", path)
    return [(command, [float(word) for word in numbers.split()]) for command, numbers in found]


def _moved(steps, dx, dy):
    return [(c, [n + (dy if i % 2 else dx) for i, n in enumerate(ns)]) for c, ns in steps]


def _path(steps, digits=1):
    """The text of a path."""
    text, x, y, last = "", "", "", ""
    for command, numbers in steps:
        words = [_number(number, digits) for number in numbers]
        if command == "L" and words == [x, y] and last in "LVH":
            continue  # shorter than can be seen
        if command == "L" and words[0] == x:
            text, last = f"{text}V{words[1]}", "V"
        elif command == "L" and words[1] == y:
            text, last = f"{text}H{words[0]}", "H"
        else:
            joint = " " if command == last or (last, command) == ("M", "L") else command
            text, last = text + joint + " ".join(words), command
        x, y = words[-2:] if words else ("", "")
    return text.replace(" -", "-")


class _Drawing:
    """Reads matplotlib's tree and writes elements in its order."""

    def __init__(self, root):
        self.root = root
        ids = {node.get("id"): node for node in root.iter() if node.get("id")}
        self.defined = {name: node for name, node in ids.items() if node.tag == SPACE + "path"}
        self.clips = {n: node[0] for n, node in ids.items() if node.tag == SPACE + "clipPath"}
        self.classes, self.used_clips, self.markers = {}, {}, {}
        self.marks, self.uses = {}, {}  # look: its places; name of a mark: how often it is used
        self._find_marks(root, None, None)
        self.shapes = {}  # look: [place in elements, steps]
        self.elements = []

    def text(self):
        self._walk(self.root, None, None)
        for (style, clip, _, _), (place, steps) in self.shapes.items():
            self.elements[place] = self._element("path", dict(style), clip, f'd="{_path(steps)}"')
        body = "\n".join(filter(None, self.elements))
        width, height = self.root.get("width"), self.root.get("height")
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
            f' viewBox="{self.root.get("viewBox")}">'
        )
        rules = [f"*{{stroke-linejoin:round}}text{{font:{ROOT_SIZE} sans-serif}}"]
        rules += ["marker{overflow:visible}"] if self.markers else []
        rules += [f".{name}{{{style}}}" for style, name in self.classes.items()]
        sheet = "\n".join(rules)
        defs = [*self._markers(), *(self._clip(name) for name in self.used_clips)]
        defined = f"<defs>\n{chr(10).join(defs)}\n</defs>\n" if defs else ""
        return f"{head}\n<style>\n{sheet}\n</style>\n{defined}{body}\n</svg>\n"

    def _find_marks(self, node, part, clip):
        for child, inner_part, inner in _children(node, part, clip):
            if child.tag == SPACE + "use":
                name = child.get(LINK)[1:]
                place = float(child.get("x")), float(child.get("y"))
                self.marks.setdefault((name, child.get("style"), inner, part), []).append(place)
                self.uses[name] = self.uses.get(name, 0) + 1
            self._find_marks(child, inner_part, inner)

    def _walk(self, node, part, clip):
        for child, inner_part, inner in _children(node, part, clip):
            kind = child.tag.removeprefix(SPACE)
            if kind == "g":
                self._walk(child, inner_part, inner)
            elif kind == "path" and not child.get("d"):
                continue  # a line that lies outside the axes
            elif kind == "path":
                self._add_path(_style(child.get("style")), part, inner, _steps(child.get("d")))
            elif kind == "use":
                self._add_marks((child.get(LINK)[1:], child.get("style"), inner, part))
            elif kind == "text":
                self._add_text(child)
            elif kind not in ("defs", "metadata"):
                raise ValueError(f"no figure of ours has <{kind}>")

    def _add_path(self, style, part, clip, steps):
        if self._lies_inside(clip, [numbers for _, numbers in steps]):
            clip = None
        line = len(steps) == 2 and style.get("fill") == "none"
        bar = "".join(c for c, _ in steps) == "MLLLz" and "stroke" not in style
        if not line and (not bar or style.get("fill") == WHITE):
            self.elements.append(self._element("path", style, clip, f'd="{_path(steps)}"'))
            return
        look = tuple(style.items()), clip, part, line
        kept = self.shapes.setdefault(look, [len(self.elements), []])
        kept[1] += steps
        if line:  # above the bars that it crosses
            kept[0] = len(self.elements)
        self.elements.append("")

    def _add_marks(self, look):
        name, style, clip, part = look
        places = self.marks.pop(look, None)
        if not places:
            return  # drawn with the first of them
        steps = _steps(self.defined[name].get("d"))
        style = {**_style(style), **_style(self.defined[name].get("style"))}
        if self.uses[name] == 1:
            self._add_path(style, part, clip, _moved(steps, *places[0]))
            return
        drawn = self._element("path", style, None, f'd="{_path(steps, 2)}"')
        marker = self.markers.setdefault(drawn, f"m{len(self.markers)}")
        clip = None if self._lies_inside(clip, places) else clip
        path = _path([("L" if i else "M", place) for i, place in enumerate(places)])
        shown = {"fill": "none", "marker": f"url(#{marker})"}
        self.elements.append(self._element("path", shown, clip, f'd="{path}"'))

    def _add_text(self, node):
        x, y = (_number(float(node.get(key))) for key in "xy")
        angle = float(re.match(r"rotate\((\S+)", node.get("transform", "rotate(0"))[1])
        turned = f' transform="rotate({_number(angle)} {x} {y})"' if angle else ""
        place = f'x="{x}" y="{y}"{turned}'
        style = _style(node.get("style"))
        self.elements.append(self._element("text", style, None, place, node.text or ""))

    def _element(self, kind, style, clip, attributes, text=None):
        text_of_style = ";".join(f"{key}:{value}" for key, value in style.items())
        if text_of_style:
            name = self.classes.setdefault(text_of_style, f"c{len(self.classes)}")
            attributes = f'class="{name}" {attributes}'
        if clip:
            known = self.used_clips.setdefault(CLIPPED.match(clip)[1], f"k{len(self.used_clips)}")
            attributes += f" clip-path={quoteattr(f'url(#{known})')}"
        return f"<{kind} {attributes}/>" if text is None else self._closed(kind, attributes, text)

    @staticmethod
    def _closed(kind, attributes, text):
        return f"<{kind} {attributes}>{escape(text)}</{kind}>"

    def _box(self, name):
        return [float(self.clips[name].get(key)) for key in ("x", "y", "width", "height")]

    def _lies_inside(self, clip, points):
        if not clip:
            return True
        x, y, width, height = self._box(CLIPPED.match(clip)[1])
        numbers = [(ns[i], ns[i + 1]) for ns in points for i in range(0, len(ns), 2)]
        return all(
            x - 0.1 <= a <= x + width + 0.1 and y - 0.1 <= b <= y + height + 0.1 for a, b in numbers
        )

    def _markers(self):
        for drawn, name in self.markers.items():
            of = f'id="{name}" markerUnits="userSpaceOnUse"'
            yield f"<marker {of}>{drawn}</marker>"

    def _clip(self, name):
        x, y, width, height = map(_number, self._box(name))
        box = f'<rect x="{x}" y="{y}" width="{width}" height="{height}"/>'
        return f'<clipPath id="{self.used_clips[name]}">{box}</clipPath>'


def _children(node, part, clip):
    """(child, the part and the clip path that what is in it belongs to)."""
    for child in node:
        is_part = re.match("(axes|legend)_", child.get("id", ""))
        yield child, child.get("id") if is_part else part, child.get("clip-path") or clip
